"""The names that a piece of code takes from outside: its free variables."""

import ast
from collections.abc import Iterator

Free = tuple[ast.Name, frozenset[str]]  # a name, and what is local where it is used
FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef
LOOPS = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
SCOPES = FUNCTIONS | ast.Lambda | ast.ClassDef | LOOPS


def free(node: ast.AST, hidden: frozenset[str] = frozenset()) -> Iterator[Free]:
    """Every name in the node that is not one of its scopes' own."""
    if isinstance(node, ast.Name):
        if node.id not in hidden:
            yield node, hidden
    elif isinstance(node, FUNCTIONS | ast.Lambda):
        inner = hidden | arguments(node) | stored(body(node))
        yield from every(outside(node), hidden)
        yield from every(body(node), inner)
    elif isinstance(node, ast.ClassDef):
        yield from every([*node.decorator_list, *node.bases], hidden)
        for part in node.body:  # a method does not see what the class has
            method = isinstance(part, FUNCTIONS)
            yield from free(part, hidden if method else hidden | stored(node.body))
    elif isinstance(node, LOOPS):
        own = stored([loop.target for loop in node.generators])
        yield from every(ast.iter_child_nodes(node), hidden | own)
    else:
        yield from every(ast.iter_child_nodes(node), hidden)


def every(nodes, hidden: frozenset[str]) -> Iterator[Free]:
    """free() of each."""
    for node in nodes:
        yield from free(node, hidden)


def body(node) -> list[ast.AST]:
    """What runs when a function is called."""
    return [node.body] if isinstance(node, ast.Lambda) else node.body


def outside(node) -> list[ast.AST]:
    """What runs when a function is defined: decorators, defaults, annotations."""
    given = node.args
    every = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg]
    notes = [x.annotation for x in [*every, given.kwarg] if x is not None]
    parts = [*given.defaults, *given.kw_defaults, *notes]
    if not isinstance(node, ast.Lambda):
        parts += [*node.decorator_list, node.returns]
    return [x for x in parts if x is not None]


def arguments(node) -> set[str]:
    """The names of a function's parameters."""
    return {x.arg for x in ast.walk(node.args) if isinstance(x, ast.arg)}


def stored(nodes) -> frozenset[str]:
    """The names that statements assign, import or define in their own scope."""
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found |= {x.asname or x.name.partition(".")[0] for x in node.names}
        elif isinstance(node, FUNCTIONS | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            found.add(node.name)
        if not isinstance(node, SCOPES):
            found |= stored(ast.iter_child_nodes(node))
    return frozenset(found)
