"""Beside the floors: programs that need nothing of ours, made from these modules.

`program(name)` is the text of one of FILES: a module of this folder with everything
that it uses from `tilewise` written into it (`inline`). PyTorch is not needed for this.
"""

import subprocess
from functools import cache
from pathlib import Path

from tilewise import __version__
from tilewise.alone.inline import inline
from tilewise.alone.modules import Unusable

FILES = {  # name: the packages that it needs
    "online_softmax": (),
    "flash_attention_torch": ("torch",),
    "flash_attention_triton": ("torch", "triton"),
    "flash_attention_options_triton": ("torch", "triton"),
    "flash_decode_triton": ("torch", "triton"),
    "attention_check": ("torch",),
}
MOST = 450  # lines of a file
HERE = Path(__file__).resolve().parent
HEAD = """# {name}.py of Tilewise {version}{commit}, by `tilewise export`.
# It needs {needs}; python {name}.py tests it.
# Copyright (c) 2026 The Tilewise authors. SPDX-License-Identifier: MIT
"""


LISTING = """# A listing of {page}, with what it takes from Tilewise {version}.
# Copyright (c) 2026 The Tilewise authors. SPDX-License-Identifier: MIT

"""


def program(name: str, commit: str = "") -> str:
    """The text of a file of FILES; commit, where it is known, is named in its head."""
    needs = " and ".join(FILES[name]) or "only Python"
    head = HEAD.format(
        name=name,
        version=__version__,
        commit=commit and f", commit {commit}",
        needs=needs,
    )
    text = (HERE / f"{name}.py").read_text("utf-8")
    return f"{head}\n{inline(text, between=1)}"


@cache
def listing(code: str, page: str) -> str | None:
    """A listing of a page without its imports from tilewise, or None if it is long."""
    try:
        text = LISTING.format(page=page, version=__version__) + inline(code)
    except (Unusable, RecursionError):
        return None
    return text if len(text.splitlines()) <= MOST else None


@cache
def commit() -> str:
    """The commit of the checkout that this package is in, "" where there is none."""
    git = ["git", "-C", str(HERE)]
    ours = [
        *git,
        "ls-files",
        "--error-unmatch",
        "__init__.py",
    ]  # not another's checkout
    try:
        subprocess.run(ours, check=True, capture_output=True)
        what = [*git, "describe", "--always", "--dirty", "--exclude", "*"]
        found = subprocess.run(what, check=True, capture_output=True, text=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return found.stdout.strip()
