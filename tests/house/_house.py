"""On which floor a module is: 0 plain Python, 1 PyTorch, 2 kernels and operators.

A folder says so in the first words of its docstring. A file at the top is on floor 0 if
it imports nothing but `math`, `fractions` and floor 0, and on floor 1 otherwise.

`PYTHONPATH=tests/site python -m tests.house._house 0` prints the files of floor 0, as
coverage's --include takes them.
"""

import ast
import re
import sys
from functools import cache

from repository import ROOT

SOURCE = ROOT / "src/tilewise"
NOWHERE = {"__init__", "__main__"}  # they belong to no floor


def part_of(path):
    """The entry right below tilewise: softmax, kernels, cli, and so on."""
    return path.relative_to(SOURCE).with_suffix("").parts[0]


def imports(path):
    """Every module that a file names in an import, wherever in the file."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            if node.module == "tilewise":
                yield from (f"tilewise.{alias.name}" for alias in node.names)
            else:
                yield node.module


@cache
def floor_of(part):
    """0, 1 or 2; None for what belongs to no floor."""
    folder, file = SOURCE / part / "__init__.py", SOURCE / f"{part}.py"
    if folder.exists():
        first = ast.get_docstring(ast.parse(folder.read_text("utf-8")))
        floor = re.match(r"Floor (\d): |Beside the floors: ", first)
        assert floor, f"{part}: the docstring of __init__ begins with its floor"
        return floor[1] and int(floor[1])
    if part in NOWHERE:
        return None
    for name in imports(file):
        library, _, rest = name.partition(".")
        if library == "tilewise" and floor_of(rest.partition(".")[0]) != 0:
            return 1
        if library not in ("tilewise", "math", "fractions"):
            return 1
    return 0


MODULES = sorted(SOURCE.rglob("*.py"))
FLOORS = [path for path in MODULES if floor_of(part_of(path)) is not None]

if __name__ == "__main__":
    own = (path for path in FLOORS if floor_of(part_of(path)) == int(sys.argv[1]))
    print(",".join(path.relative_to(ROOT).as_posix() for path in own))
