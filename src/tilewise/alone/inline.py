"""A program without its imports from tilewise: what they give is written into it.

Of each module only the statements that are used, in the order in which modules import
one another. Nothing is renamed, unless two modules have different things by one name:
then the second one gets its alias, or its module's name behind its own.
"""

import ast
import builtins
import re
from collections.abc import Iterator

from tilewise.alone.imports import import_lines, top
from tilewise.alone.modules import Edit, Module, Part, Unusable, find, imports
from tilewise.alone.names import stored

OURS = re.compile(r"\bfrom\s+tilewise\b")
Owner = tuple[Module, str]
Found = tuple[Owner, str, ast.AST]


def inline(text: str, between: int = 2) -> str:
    """The program with everything that it takes from tilewise, and no such import.

    between: empty lines between the definitions that are written into it.
    Raises Unusable where a module is a value, or a name is something else locally.
    """
    if "os.environ" in text:
        raise Unusable("what is imported may depend on what is done before")
    made = Program(text).text(between)
    left = ast.walk(ast.parse(made)) if OURS.search(made) else ()  # seldom: in a text
    for node in left:
        if isinstance(node, ast.ImportFrom) and top(node.module or "") == "tilewise":
            raise Unusable(f"{node.module} is imported in a function")
    return made


class Program:
    """A program, the statements that it needs, and what everything is called in it."""

    def __init__(self, text: str) -> None:
        self.main = Module("", text)
        own = {*self.main.own, *self.main.others, *stored(self.main.rest)}
        own -= self.main.ours.keys()
        self.called: dict[Owner, str] = {(self.main, name): name for name in own}
        self.taken = {name: owner for owner, name in self.called.items()}
        self.parts: dict[tuple[Module, Part], str] = {}
        self.imports: set[tuple[str, str, str]] = set()
        for name, (source, item) in self.main.others.items():
            self.imports.add((source, item, name))
        edits = [x for node in self.main.rest for x in self.changes(self.main, node)]
        self.rest = self.body(edits)

    def changes(self, home: Module, node: ast.stmt) -> Iterator[Edit]:
        """What changes in a statement of this module."""
        for use, hidden in home.free(node):
            if use.id in home.others:
                source, item = home.others[use.id]
                self.imports.add((source, item, use.id))
                self.claim((home, use.id), use.id)
                continue
            found = self.origin(home, use)
            if found is None:
                continue
            owner, alias, place = found
            new = self.call(owner, alias)
            begin, end = home.offset(place), home.end(place)
            if home.raw[begin:end] != new.encode():
                self.check(home, place, new, hidden)
                yield begin, end, new.encode()
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            new = self.called[home, node.name]
            if new != node.name:
                yield *home.place(node, node.name), new.encode()

    def origin(self, home: Module, use: ast.Name) -> Found | None:
        """Whose a name is, what it is called there, and the node to change.

        None for a builtin and for what the program defines itself.
        """
        name, place = use.id, use
        if home is self.main and (home, name) in self.called:
            return None
        if name in home.own and name in home.ours:
            raise Unusable(f"{name} is imported and then changed")
        if name in home.own:
            return (home, name), "", place
        if name not in home.ours:
            if hasattr(builtins, name) or name.startswith("__"):
                return None
            raise Unusable(f"{name} is defined in no plain way")
        owner, alias = find(*home.ours[name]), name
        while not owner[1]:  # a module: what is asked of it?
            place = home.parents[place]
            if not isinstance(place, ast.Attribute):
                raise Unusable(f"{name} is a module")
            owner, alias = find(owner[0].name, place.attr), ""
        return owner, alias, place

    def check(self, home: Module, place: ast.AST, new: str, hidden: frozenset) -> None:
        """Raise Unusable where a name cannot be written at its place."""
        if new in hidden:
            raise Unusable(f"{new} is something else there")
        while place in home.parents:
            place = home.parents[place]
            if isinstance(place, ast.JoinedStr):  # places in it are not exact
                raise Unusable(f"{new} is in a string")

    def claim(self, owner: Owner, name: str) -> None:
        """Take a name for an import of another package."""
        other = self.taken.setdefault(name, owner)
        if other != owner and name not in other[0].others:
            raise Unusable(f"{name} is two things")

    def call(self, owner: Owner, alias: str) -> str:
        """What something of a module is called here; its statements come along."""
        if owner in self.called:
            return self.called[owner]
        home, name = owner
        last = home.name.rpartition(".")[2]
        behind = f"{name}_{last.upper() if name.isupper() else last}"
        names = [x for x in (name, alias, behind) if x and x not in self.taken]
        if not names:
            raise Unusable(f"{name} is taken")
        self.taken[names[0]] = owner
        self.called[owner] = names[0]
        for part in home.own[name]:
            if (home, part) not in self.parts:
                self.parts[home, part] = ""
                edits = [*self.changes(home, part.node)]
                self.parts[home, part] = home.lines(part.first, part.last, edits)
        return names[0]

    def body(self, edits: list[Edit]) -> str:
        """The program itself, without its docstring and its imports."""
        main = self.main
        lines = main.raw.splitlines()
        for node in imports(main.tree):
            last = node.end_lineno or 0
            while node.col_offset and last < len(lines) and not lines[last]:
                last += 1  # in a block: the empty lines below as well
            edits.append((main.starts[node.lineno - 1], main.starts[last], b""))
        doc = main.tree.body[0].end_lineno if main.doc() else 0
        return main.cut(main.starts[doc], len(main.raw), edits).strip("\n")

    def ordered(self) -> Iterator[tuple[Module, Part, str]]:
        """The statements, each after what it may need when it runs."""
        seen: set[Module] = set()
        modules: list[Module] = []  # each after those that it imports

        def visit(home: Module) -> None:
            if home not in seen:
                seen.add(home)
                for source, name in home.ours.values():
                    visit(find(source, name)[0])
                modules.append(home)

        for home, _ in self.parts:
            visit(home)
        keys = sorted(self.parts, key=lambda x: (modules.index(x[0]), x[1].first))
        yield from ((*key, self.parts[key]) for key in keys)

    def text(self, between: int) -> str:
        """All of it: docstring, imports, what is taken from tilewise, the program."""
        blocks, before = [], None
        for home, part, text in self.ordered():
            plain = not isinstance(part.node, ast.FunctionDef | ast.ClassDef)
            near = plain and before is not None and before[1] and before[0] is home
            if near:
                blocks[-1] += text.strip("\n") + "\n"
            else:
                blocks.append(text.strip("\n") + "\n")
            before = home, plain
        lines = "\n".join(import_lines(self.imports))
        gap = "\n" * between if blocks else "\n"
        doc = self.main.doc()
        head = [x for x in (doc and doc + "\n", lines and lines + "\n") if x]
        rest = self.rest.replace("\n\n\n", "\n" * (between + 1)) + "\n"
        parts = ("\n" * between).join(blocks) + ("\n\n" if blocks else "")
        return "\n".join(head) + (gap if head else "") + parts + rest
