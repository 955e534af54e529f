"""Import statements of a program, as a formatter orders them."""

import sys
from collections.abc import Iterator

WIDTH = 88


def import_lines(imports: set[tuple[str, str, str]]) -> Iterator[str]:
    """The statements for imports (module, what is imported or "", its name)."""
    last = None
    for inside in (True, False):
        some = {x for x in imports if (top(x[0]) in sys.stdlib_module_names) == inside}
        if some and last is not None:
            yield ""
        last = some or last
        for source, _, name in sorted(x for x in some if not x[1]):
            yield f"import {source}" + (f" as {name}" if name != source else "")
        for source in sorted({x[0] for x in some if x[1]}):
            names = sorted(
                item + (f" as {name}" if name != item else "")
                for x, item, name in some
                if x == source and item
            )
            yield from one_import(source, sorted(names, key=by_kind))


def top(name: str) -> str:
    """The package of a module."""
    return name.partition(".")[0]


def by_kind(name: str) -> tuple[bool, bool, str]:
    """Constants, then classes, then the rest."""
    return not name.isupper(), not name[0].isupper(), name


def one_import(source: str, names: list[str]) -> Iterator[str]:
    """`from source import names`, over several lines where one is too short."""
    line = f"from {source} import {', '.join(names)}"
    if len(line) <= WIDTH:
        yield line
    else:
        yield f"from {source} import ("
        yield from (f"    {name}," for name in names)
        yield ")"
