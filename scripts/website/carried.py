"""What programs need to run where nothing of ours is installed: packages, our modules.

`setup(codes)` is the first code cell of a notebook. It installs what is missing and
unpacks the modules of tilewise that the programs import, directly or not.
"""

import ast
import base64
import io
import re
import sys
import tarfile
from functools import cache

from tilewise import _FRONT
from tilewise.alone.modules import SOURCE

MODULES = "base64 importlib.util io os subprocess sys tarfile tempfile".split()
COMMAND = re.compile(r"'-m', 'tilewise', '(\w+)'")  # of a program that is started
PACKAGE = re.compile(r"tilewise(?:\.\w+)+\.")  # then a name that is computed
NEEDS = """\
missing = [x for x in {} if not importlib.util.find_spec(x)]
if missing:
    subprocess.run([sys.executable, "-m", "pip", "install", *missing], check=True)
"""
OURS = '''\
PACKED = """
{}
"""
if not importlib.util.find_spec("tilewise"):  # then the part of it that is used here
    folder = tempfile.mkdtemp()
    file = io.BytesIO(base64.b64decode(PACKED))
    tarfile.open(fileobj=file).extractall(folder, filter="data")
    sys.path.insert(0, folder)
    os.environ["PYTHONPATH"] = folder  # for programs that a cell starts
'''
TRITON = """\
if not any(Path("/dev").glob("nvidia[0-9]*")):
    os.environ["TRITON_INTERPRET"] = "1"  # without a GPU, before Triton is imported
"""


@cache
def files():
    """{module: file} of the package."""
    paths = sorted(SOURCE.rglob("*.py"))
    names = {p: p.relative_to(SOURCE.parent).with_suffix("").parts for p in paths}
    return {".".join(x).removesuffix(".__init__"): p for p, x in names.items()}


@cache
def read(module):
    """The text of a module of the package."""
    return files()[module].read_text("utf-8")


def starts(node):
    """Whether it is the option of a command that starts a module."""
    return isinstance(node, ast.Constant) and node.value == "-m"


def statements(node):
    """(node, whether it runs as its module is imported), without what only types do."""
    stack = [(node, True)]
    while stack:
        node, early = stack.pop()
        yield node, early
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            continue
        inner = early and not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        stack += [(child, inner) for child in ast.iter_child_nodes(node)]


@cache
def imports(code):
    """(names of what a text imports early, of what later); "a.b." is all of a.b."""
    found = set(), set()
    for node, early in statements(ast.parse(code)):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            names = [f"tilewise.{node.attr}"] if node.value.id == "tilewise" else []
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            names = [node.value] if PACKAGE.fullmatch(node.value) else []
        elif isinstance(node, ast.List) and any(map(starts, node.elts)):
            if started := COMMAND.search(ast.unparse(node)):
                names = ["tilewise.__main__", f"tilewise.{started[1]}."]
        found[not early].update(names)
    return found


def home(name, modules):
    """The module that has a name: tilewise.merge for tilewise.merge.merge."""
    first, _, rest = name.removeprefix("tilewise").removeprefix(".").partition(".")
    name = f"tilewise.{_FRONT[first]}.{rest}" if first in _FRONT else name
    while name not in modules:
        name = name.rpartition(".")[0]
    return name


def with_parents(module):
    """A module and the packages that it is in, which Python imports first."""
    parts = module.split(".")
    return [".".join(parts[:n]) for n in range(1, len(parts) + 1)]


def used(codes):
    """(packages of others, files of tilewise) that the programs need.

    What is imported later, within a function, is a file that may be needed, but its
    own packages may be missing: kernels, where there is no GPU. Tables lie beside the
    modules that read them.
    """
    modules, others, seen = files(), set(), {}
    waiting = [(code, True) for code in codes]
    while waiting:
        code, early = waiting.pop()
        first, late = imports(code)
        ours = [(x, early) for x in first] + [(x, code in codes) for x in late]
        for name, now in ours:
            package = name.partition(".")[0]
            if package != "tilewise":
                others |= {package} if now else set()
                continue
            found = [home(name, modules)]
            if name.endswith("."):
                found = [x for x in modules if x.startswith(name)]
            for module in found:
                for one in filter(modules.get, with_parents(module)):
                    if seen.get(one) is None or now > seen[one]:
                        seen[one] = now
                        waiting.append((read(one), now))
    paths = [modules[x] for x in sorted(seen)]
    paths += sorted({x for path in paths for x in path.parent.glob("*.toml")})
    return sorted(others - sys.stdlib_module_names), paths


@cache
def packed(texts):
    """((path, bytes), …) as an archive in letters, the same for the same files."""
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:xz") as archive:
        for path, content in texts:
            info = tarfile.TarInfo(path)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    text = base64.b64encode(file.getvalue()).decode()
    return "\n".join(text[at : at + 120] for at in range(0, len(text), 120))


def setup(codes):
    """(packages that are needed, the cell that provides them, "" for none)."""
    needs, paths = used(codes)
    triton = "triton" in needs or any("kernels" in code for code in codes)
    text = NEEDS.format(needs) * bool(needs)
    texts = ((x.relative_to(SOURCE.parent).as_posix(), x.read_bytes()) for x in paths)
    text += OURS.format(packed((*texts,))) if paths else ""
    text += TRITON * triton
    names = [x for x in MODULES if re.search(rf"\b{x}\.", text)]
    lines = [f"import {x}\n" for x in names] + ["from pathlib import Path\n"] * triton
    return needs, f"{''.join(lines)}\n{text}" if text else ""
