"""The modules of tilewise as text: what each defines, and what it takes from others."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

from tilewise import _FRONT
from tilewise.alone.names import Free, free

SOURCE = Path(__file__).resolve().parents[1]
MARK = re.compile(r"^ *# --8<-- .*\n", re.M)  # a section of a page begins or ends
Edit = tuple[int, int, bytes]  # from and to, in bytes, and what is there instead


class Unusable(ValueError):
    """Code that cannot be written into a program of its own, and why."""


class Part(NamedTuple):
    """A statement of a module that defines names or changes what it defined."""

    first: int  # lines, from 1 on; comments above and decorators are in it
    last: int
    node: ast.stmt


class Module:
    """The text of a module or of a program."""

    def __init__(self, name: str, text: str) -> None:
        self.name, self.text = name, MARK.sub("", text)
        self.raw, self.tree = self.text.encode(), ast.parse(self.text)
        lines = self.raw.splitlines(keepends=True)
        self.starts = [*accumulate(map(len, lines), initial=0)]
        self.parents = {
            child: node
            for node in ast.walk(self.tree)
            for child in ast.iter_child_nodes(node)
        }
        self.own: dict[str, list[Part]] = {}
        self.ours: dict[str, tuple[str, str]] = {}  # as: (module, name or "")
        self.others: dict[str, tuple[str, str]] = {}  # of other packages
        self.rest: list[ast.stmt] = []  # neither imports nor the docstring
        self.asked: dict[ast.stmt, list[Free]] = {}
        for node in self.tree.body:
            self.read(node)

    def read(self, node: ast.stmt) -> None:
        """Take in one statement."""
        if isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                self.bind(node, alias)
        elif not (node is self.tree.body[0] and self.doc()):
            self.rest.append(node)
            for inner in () if self.name else imports(node):  # of a program
                for alias in inner.names:
                    self.bind(inner, alias)
            for name in dict.fromkeys(defined(node)):
                part = Part(self.above(node), node.end_lineno or 0, node)
                self.own.setdefault(name, []).append(part)

    def bind(self, node: ast.Import | ast.ImportFrom, alias: ast.alias) -> None:
        """Take in one name of an import."""
        if isinstance(node, ast.ImportFrom):
            table = (
                self.ours if (node.module or "").startswith("tilewise") else self.others
            )
            table[alias.asname or alias.name] = node.module or "", alias.name
            return
        ours = alias.name.startswith("tilewise")
        whole = alias.name if alias.asname else alias.name.partition(".")[0]
        name = alias.asname or whole
        (self.ours if ours else self.others)[name] = whole, ""

    def free(self, node: ast.stmt) -> list[Free]:
        """What a statement takes from outside, found once for all programs."""
        if node not in self.asked:
            self.asked[node] = [*free(node)]
        return self.asked[node]

    def doc(self) -> str:
        """The docstring, as it is written."""
        node = self.tree.body[0]
        if ast.get_docstring(self.tree) is None:
            return ""
        return self.cut(self.offset(node), self.end(node), [])

    def above(self, node: ast.stmt) -> int:
        """The line where a statement begins, with its decorators and comments."""
        first = min(
            [node.lineno, *(x.lineno for x in getattr(node, "decorator_list", []))]
        )
        lines = self.text.splitlines()
        while first > 1 and lines[first - 2].startswith("#"):
            first -= 1
        return first

    def offset(self, node: ast.AST) -> int:
        """Where a node begins, in bytes."""
        return self.starts[node.lineno - 1] + node.col_offset

    def end(self, node: ast.AST) -> int:
        """Where it ends."""
        return self.starts[node.end_lineno - 1] + node.end_col_offset

    def place(self, node: ast.stmt, name: str) -> tuple[int, int]:
        """Where a function or a class has its name."""
        begin, key = self.offset(node), f" {name}".encode()
        begin = self.raw.index(key, begin) + 1
        return begin, begin + len(key) - 1

    def cut(self, start: int, stop: int, edits: list[Edit]) -> str:
        """The text between two places, with these changes."""
        found = self.raw[start:stop]
        for begin, end, new in sorted(edits, reverse=True):
            found = found[: begin - start] + new + found[end - start :]
        return found.decode()

    def lines(self, first: int, last: int, edits: list[Edit]) -> str:
        """The text of some lines, with these changes."""
        return self.cut(self.starts[first - 1], self.starts[last], edits)


def imports(node: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    """The imports in a statement, apart from those in functions and classes."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        yield node
    elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        for child in ast.iter_child_nodes(node):
            yield from imports(child)


def defined(node: ast.AST) -> Iterator[str]:
    """The names that a statement of a module defines, or whose values it changes."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.AnnAssign) and node.value is None:
        return  # it says of what type something is
    elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        for target in targets:
            while isinstance(target, ast.Subscript | ast.Attribute):
                target = target.value
            yield from (x.id for x in ast.walk(target) if isinstance(x, ast.Name))


@cache
def module(name: str) -> Module:
    """A module of tilewise by its name. Raises Unusable where there is none."""
    path = SOURCE.joinpath(*name.split(".")[1:])
    for file in (path / "__init__.py", path.with_suffix(".py")):
        if file.exists():
            return Module(name, file.read_text("utf-8"))
    raise Unusable(f"there is no module {name}")


def find(home: str, name: str) -> tuple[Module, str]:
    """Where `name` of a module is defined: (module, name), with "" for a module.

    Raises Unusable where the module does not have it.
    """
    here = module(home)
    if not name or name in here.own:
        return here, name
    if name in here.ours:
        return find(*here.ours[name])
    if home == "tilewise" and name in _FRONT:
        return find(f"tilewise.{_FRONT[name]}", name)
    return module(f"{home}.{name}"), ""
