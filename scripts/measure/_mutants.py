"""Mutants of a module: its source with one small change each, by mutmut's operators.

Strings are changed in one way, not three; a message that is raised becomes another one
as a whole, and each field of an f-string None. Annotations, docstrings, decorators and
exercises' wrong solutions are left alone.
"""

import ast
from dataclasses import dataclass

import libcst as cst
from libcst.metadata import MetadataWrapper, ParentNodeProvider, PositionProvider
from mutmut.mutation.mutators import mutation_operators

NOTHING = cst.Name("None")
UNTOUCHED = {"len", "isinstance"}  # calls that mutmut leaves alone as well
LEFT = cst.Annotation, cst.Decorator, cst.Import, cst.ImportFrom


def replaced(node):
    """A raised message as a whole, and f-strings without one of their fields."""
    if isinstance(node, cst.FormattedString):
        for i, part in enumerate(node.parts):
            if isinstance(part, cst.FormattedStringExpression):
                field = part.with_changes(expression=NOTHING)
                parts = [*node.parts[:i], field, *node.parts[i + 1 :]]
                yield node.with_changes(parts=parts)


def changes(node, raised):
    """The nodes that may stand in a node's place."""
    if isinstance(node, cst.BaseString):
        if isinstance(node, cst.FormattedString):
            yield from replaced(node)
        elif raised:
            yield cst.SimpleString('"XX"')
        elif isinstance(node, cst.SimpleString):
            framed = next(iter(mutation_operators[1][1](node)), None)
            yield from [framed] if framed else []
        return
    for kind, operator in mutation_operators:
        if isinstance(node, kind):
            yield from operator(node)


@dataclass
class Mutant:
    """One change: where (a line of the module, from 1, and its function) and what."""

    line: int
    last: int
    function: str
    before: str
    after: str
    source: str


class Collector(cst.CSTVisitor):
    """Walks a module and keeps what each node may become."""

    METADATA_DEPENDENCIES = (PositionProvider, ParentNodeProvider)

    def __init__(self, wrong):
        super().__init__()
        self.found, self.within, self.raised, self.wrong = [], [], 0, wrong

    def skipped(self, node):
        if isinstance(node, LEFT):
            return True
        if isinstance(node, cst.Expr) and isinstance(node.value, cst.BaseString):
            return True  # a docstring
        if isinstance(node, cst.Call) and isinstance(node.func, cst.Name):
            return node.func.value in UNTOUCHED
        if isinstance(node, cst.FunctionDef) and node.name.value in self.wrong:
            return True
        if isinstance(node, cst.Assign):
            target = node.targets[0].target
            return isinstance(target, cst.Name) and target.value in ("WRONG", "START")
        return False

    def on_visit(self, node):
        if self.skipped(node):
            return False
        if isinstance(node, cst.FunctionDef | cst.ClassDef):
            self.within.append(node.name.value)
        self.raised += isinstance(node, cst.Raise)
        if place := self.get_metadata(PositionProvider, node, None):
            for other in changes(node, self.raised):
                self.found.append((place, ".".join(self.within), node, other))
        whole = self.raised and isinstance(node, cst.ConcatenatedString)
        return not whole

    def on_leave(self, node):
        if isinstance(node, cst.FunctionDef | cst.ClassDef) and not self.skipped(node):
            self.within.pop()
        self.raised -= isinstance(node, cst.Raise)


def wrong_solutions(tree):
    """An exercise's functions that neither its solution nor its cases need."""
    functions = {x.name: x for x in tree.body if isinstance(x, ast.FunctionDef)}
    solution = named(tree).get("SOLUTION")
    right, more = set(), {"cases", solution} if solution else {*functions}
    while more:
        right |= more
        found = {x for name in more for x in names(functions[name])}
        more = found & functions.keys() - right
    return functions.keys() - right


def named(tree):
    """{name: the name that it is given} of assignments, also of two at once."""
    given = [x for x in tree.body if isinstance(x, ast.Assign)]
    return {k: v for x in given for k, v in zip(names(x.targets[0]), names(x.value))}


def names(node):
    """The names within a node, one after another."""
    return [x.id for x in ast.walk(node) if isinstance(x, ast.Name)]


def spliced(lines, place, text):
    """The source with `text` from place.start to place.end."""
    (row, left), (end, right) = ((x.line, x.column) for x in (place.start, place.end))
    middle = lines[row - 1][:left] + text + lines[end - 1][right:]
    return "".join([*lines[: row - 1], middle, *lines[end:]])


def shown(lines, place, source):
    """The changed lines, before and after, on one line each."""
    first, last = place.start.line, place.end.line
    more = len(source.splitlines()) - len(lines)
    before = lines[first - 1 : last]
    after = source.splitlines(keepends=True)[first - 1 : last + more]
    return [" ".join("".join(x).split()) for x in (before, after)]


def mutants(source):
    """All mutants of a module's source that differ from it and from one another."""
    tree, lines = ast.parse(source), source.splitlines(keepends=True)
    wrapper = MetadataWrapper(cst.parse_module(source), unsafe_skip_copy=True)
    collector = Collector(wrong_solutions(tree))
    wrapper.visit(collector)
    made, seen = [], {ast.dump(tree)}
    for place, function, node, other in collector.found:
        text = spliced(lines, place, wrapper.module.code_for_node(other))
        try:
            form = ast.dump(ast.parse(text))
        except SyntaxError:
            text = wrapper.module.deep_replace(node, other).code
            try:
                form = ast.dump(ast.parse(text))
            except SyntaxError:
                continue
        if form not in seen:
            seen.add(form)
            about = place.start.line, place.end.line, function
            made.append(Mutant(*about, *shown(lines, place, text), text))
    return made
