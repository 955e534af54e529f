"""A listing pasted into an empty file runs alone, and so does a notebook."""

import sys

import pytest
from codeblocks import NO_TRITON, blocks
from draw import fresh
from generate import environment, lacks_library
from pages import ROOT, cells, name, pages


def programs():
    """{(text, output): the first place that shows it}, for the README and all pages."""
    found = {}
    for page in [ROOT / "README.md", *pages()]:
        if page.suffix == ".py":
            found.setdefault(("\n\n".join(cells(page)) + "\n", None), name(page))
            continue
        for block in blocks(page):
            if not block.excerpt:
                place = f"{name(page)}:{block.line}"
                found.setdefault((block.code, block.output), place)
    return found


def start(text, folder):
    """(status, output, errors) of the text as a file of its own, in an empty folder."""
    folder.mkdir()
    file = folder / "listing.py"
    file.write_text(text, "utf-8")
    return fresh.run(file, folder, environment())


@pytest.mark.parametrize("program", programs().keys(), ids=programs().values())
def test_listing_runs_alone(program):
    if lacks_library(program[0]):
        pytest.skip(NO_TRITON)
    status, output, errors = fresh.alone(program[0], environment())
    assert status == 0, errors
    assert program[1] in (None, output)


@pytest.mark.parametrize("first", ["", "import torch\n"])
def test_a_listing_runs_in_nothing_but_itself(first, tmp_path):
    """Also after other programs, in a fork: what it does not import is not there."""
    code = first + "import math, sys\nmath.kept = 1\nprint(math.pi)\n"
    assert start(code, tmp_path / "a") == (0, "3.141592653589793\n", "")
    kinds = "print(sys.flags.isolated, __name__, sys.warnoptions[:1], end='')"
    code = (
        f"{first}import sys\n{kinds}"
        + "\nprint([x for x in sys.modules if 'tilewise' in x])\n"
    )
    assert start(code, tmp_path / "b")[:2] == (0, "1 __main__ ['error'][]\n")
    status, _, errors = start(first + "print(math.pi)\n", tmp_path / "c")
    assert status == 1 and "NameError" in errors
    status, _, errors = start(first + "import math\nmath.kept\n", tmp_path / "d")
    assert status == 1 and "AttributeError" in errors
    status, _, errors = start(f"{first}int('x', base=0.5)\n", tmp_path / "e")
    assert status == 1 and "listing.py" in errors
    code = first + "import warnings, sys\nwarnings.warn('x')\n"
    assert start(code, tmp_path / "f")[0] == 1
    assert start(f"{first}raise SystemExit(3)\n", tmp_path / "g")[0] == 3
    code = first + "import atexit, threading\nsay = lambda: print('last', end='')\n"
    late = "atexit.register(say)\nthreading.Timer(0.1, print, ['late']).start()\n"
    assert start(code + late, tmp_path / "h")[:2] == (0, "late\nlast")


@pytest.mark.skipif(sys.platform != "linux", reason="all have their own")
def test_who_has_no_fork():
    """Who names what `import torch` alone does not give, or changes the environment."""
    assert fresh.forked("import torch\ntorch.nn.functional.gelu\n", environment())
    late = "torch.fx.experimental.symbolic_shapes.ShapeEnv"
    for code in (late, f"({late}())", "os.environ['A'] = '1'"):
        assert not fresh.forked(f"import torch\n{code}\n", environment())
    assert not fresh.forked("import math\n", environment())
