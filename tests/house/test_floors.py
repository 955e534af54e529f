"""The house stands: arrows go down only, floor 0 is plain Python, files stay short."""

import ast
import graphlib
import subprocess
import sys

import pytest
from every import every

import tilewise

from ._house import FLOORS, MODULES, ROOT, SOURCE, floor_of, imports, part_of

LIBRARIES = {0: {"math", "fractions"}, 1: {"torch", *sys.stdlib_module_names}}
LIBRARIES[2] = LIBRARIES[1] | {"triton"}
SERVE = {"fastapi", "hypercorn", "prometheus_client", "pydantic", "safetensors"}
SERVE |= {"starlette"}  # FastAPI is made of it
LIVE = {"itertools", "json", "io", "sys", "traceback"}  # tilewise.live, besides
MORE = {
    "checks": {"json"},
    "live": LIVE,
    "serve": SERVE,
    "integrations": {"transformers"},
}
MATH = {"ceil", "e", "exp", "floor", "inf", "isinf", "isnan", "log", "log2", "nan"}
MATH |= {"pi", "pow", "sqrt", "tanh"}  # what MicroPython has, of what we may want
FLOOR_0 = [path for path in FLOORS if floor_of(part_of(path)) == 0]


def over(paths):
    return every("path", paths, ids=lambda p: str(p.relative_to(ROOT)))


@over(FLOORS)
def test_arrows_go_down(path):
    floor = floor_of(part_of(path))
    for name in imports(path):
        library, _, rest = name.partition(".")
        if library == "tilewise":
            below = floor_of(rest.split(".")[0]) if rest else floor
            assert below is not None and below <= floor, f"floor {floor} imports {name}"
        else:
            more = MORE.get(part_of(path), set())
            assert library in LIBRARIES[floor] | more, f"floor {floor} imports {name}"


def test_no_circle_of_rooms():
    """The entries right below tilewise import one another in one direction only."""
    front = {name: path.partition(".")[0] for name, path in tilewise._FRONT.items()}
    arrows = {}
    for path in MODULES:
        room = part_of(path)
        parts = {x.split(".")[1] for x in imports(path) if x.startswith("tilewise.")}
        arrows.setdefault(room, set()).update(front.get(x, x) for x in parts)
    for room, others in arrows.items():
        others.discard(room)
    graphlib.TopologicalSorter(arrows).prepare()  # raises CycleError, which names it


@over(FLOORS)
def test_the_service_is_imported_by_nothing_else(path):
    serves = [name for name in imports(path) if name.startswith("tilewise.serve")]
    assert part_of(path) == "serve" or serves == []


@over(MODULES)
def test_source_knows_neither_scripts_nor_tests_nor_wrong_variants(path):
    rooms = {p.name for p in (ROOT / "scripts").iterdir() if p.is_dir()}
    for name in imports(path):
        assert name.split(".")[0] not in {"scripts", "tests", "generate", *rooms}
        wrong = name.startswith(("tilewise.pitfalls", "tilewise.errata"))
        assert part_of(path) in {"pitfalls", "errata", "examples"} or not wrong


def beyond_micropython(tree):
    """What runs in CPython but not in MicroPython, which has floor 0 in the browser."""
    for node in ast.walk(tree):
        match node:
            case ast.Dict(keys=keys) if None in keys:
                yield node, "{**x}: write a | b"
            case ast.List(elts=e) | ast.Tuple(elts=e) | ast.Set(elts=e) if any(
                isinstance(x, ast.Starred) and isinstance(x.ctx, ast.Load) for x in e
            ):
                yield node, "[*x]: write a + b"
            case ast.Call(func=ast.Name(id="slice")):
                yield node, "slice(a, b): write x[a:b]"
            case ast.keyword(arg="strict"):
                yield node.value, "zip(strict=)"
            case ast.arguments(posonlyargs=[first, *_]):
                yield first, "positional-only parameters"
            case ast.Match():
                yield node, "match"
            case ast.Attribute(value=ast.Name(id="math"), attr=name) if (
                name not in MATH
            ):
                yield node, f"math.{name}"


@over(FLOOR_0)
def test_floor_0_keeps_to_what_micropython_has(path):
    tree = ast.parse(path.read_text("utf-8"))
    assert [(node.lineno, what) for node, what in beyond_micropython(tree)] == []


def test_the_rules_for_micropython_bite():
    code = "{**a}; [*a]; slice(1); zip(a, strict=True); math.prod(a)\ndef f(x, /): 0"
    assert len(list(beyond_micropython(ast.parse(code)))) == 6
    assert not list(
        beyond_micropython(ast.parse("a | b; f(*a, **b); *_, c = a; x[1:]"))
    )


def without_torch(code):
    """Run code in a fresh interpreter that has no torch."""
    block = "import sys; sys.modules['torch'] = sys.modules['triton'] = None\n"
    command = [sys.executable, "-c", block + code]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


def test_reading_needs_no_torch():
    names = [f"tilewise.{part_of(path)}" for path in FLOOR_0]
    names += ["tilewise", "tilewise.__main__", "tilewise.cli", "tilewise.render"]
    done = without_torch(f"import {', '.join(names)}")
    assert done.returncode == 0, done.stderr


def test_torch_is_asked_for_when_it_is_used():
    done = without_torch("import tilewise; print(dir(tilewise)); tilewise.flash1")
    assert "flash1" in done.stdout and "torch" in done.stderr.splitlines()[-1]


def test_without_torch_the_package_can_be_looked_at():
    code = """
import inspect, pydoc, tilewise
assert not hasattr(tilewise, "flash_attention") and hasattr(tilewise, "softmax")
inspect.getmembers(tilewise)
pydoc.render_doc("tilewise")
names = {}
exec("from tilewise import *", names)
assert {"softmax", "trace"} < names.keys() and "flash_attention" not in names
for how in "from tilewise import flash_attention", "tilewise.flash_attention":
    try:
        exec(how)
    except (ImportError, AttributeError) as error:
        print(error)
"""
    done = without_torch(code)
    sentence = "tilewise.flash_attention needs torch: python -m pip install torch\n"
    assert (done.stdout, done.stderr) == (2 * sentence, "")
    names: dict = {}
    exec("from tilewise import *", names)
    assert {"flash_attention", "softmax"} < names.keys() and "importlib" not in names


def test_modules_come_by_name():
    import tilewise

    for path in FLOORS:
        if path.parent == SOURCE:
            assert path.stem in dir(tilewise), f"tilewise.{path.stem} cannot be found"
    with pytest.raises(AttributeError, match="no attribute 'flash9'"):
        tilewise.flash9  # noqa: B018


def own_files():
    for room in ("src", "scripts", "tests"):
        for path in sorted((ROOT / room).rglob("*.py")):
            if "node_modules" not in path.parts:
                yield path


def test_files_and_functions_are_short():
    long = []
    for path in own_files():
        text = path.read_text("utf-8")
        most = 320 if path.stem.startswith("gluon_") and "src" in path.parts else 200
        if len(text.splitlines()) > most:
            long.append(f"{path.relative_to(ROOT)}: {len(text.splitlines())} lines")
        limit = 80 if "kernels" in path.parts else 30
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                length = node.end_lineno - node.body[0].lineno + 2  # def is a line
                if length > limit:
                    where = f"{path.relative_to(ROOT)}:{node.lineno}"
                    long.append(f"{where}: {node.name} has {length} lines")
    assert long == []
