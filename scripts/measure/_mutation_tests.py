"""Which tests reach a line of src, by _mutation_cover.py, and in which order.

The likeliest to kill come first: those that killed before, then the quickest.
"""

import ast
import functools
import re
from collections import Counter, defaultdict
from pathlib import Path

SOURCE = Path("src/tilewise").resolve()
# Where coverage does not see who runs a module: an exercise is graded as text, the
# page's Python runs in another process, and tables of words have no lines that run.
DRAWN = ("tests/live/test_drawn.py",)
GRADED = "tests/exercises/", "tests/live/test_grade.py"
PAGES = tuple(f"tests/live/test_{x}.py" for x in ("library", "micropython", "runner"))
PAGES += GRADED[1:]
UNSEEN = {
    "live/": DRAWN, "exercises/": GRADED, "exercises/__init__.py": DRAWN,
    "live/grade.py": GRADED,
    "live/runner.py": PAGES, "live/micropython.py": PAGES, "live/library/": PAGES,
}  # fmt: skip


@functools.cache
def within(path):
    """The lines of functions' bodies."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.FunctionDef):
            found |= {*range(node.body[0].lineno, node.end_lineno + 1)}
    return found


def stem(module):
    """A module's name, of a package its folder's."""
    path = Path(module)
    return path.parent.name if path.stem == "__init__" else path.stem


class Tests:
    """Which tests reach a line, and in which order they are asked."""

    def __init__(self, cover, longest):
        self.seconds, self.lines = cover["seconds"], cover["lines"]
        self.files, self.kills, self.longest = defaultdict(list), Counter(), longest
        for name in self.seconds:
            self.files[name.partition("::")[0]].append(name)

    def spread(self, names):
        """Tests; where a file is named, all of its tests."""
        for name in names:
            yield from self.files[name] if name in self.files else [name]

    def naming(self, module):
        """Test files with the module's name in their text."""
        word = re.compile(rf"\b{stem(module)}\b")
        return {x for x in self.files if word.search(Path(x).read_text("utf-8"))}

    def of(self, module, first, last):
        """Tests of lines; of whatever uses the module for what runs at import.

        A line within a long expression has no test of its own.
        """
        lines = self.lines.get(module, {})
        names = {x for i in range(first, last + 1) for x in lines.get(str(i), ())}
        inside = first in within(SOURCE / module)
        if not inside or not names or "begin" in names or names & self.files.keys():
            names |= {x for row in lines.values() for x in row} | self.naming(module)
        places = [x for start, x in UNSEEN.items() if module.startswith(start)]
        names |= {x for x in self.files for place in places if x.startswith(place)}
        names = {*self.spread(names - {"begin", ""})} & self.seconds.keys()
        return [x for x in names if self.seconds[x] < self.longest]

    def order(self, module, names, most=float("inf")):
        """[(file, its tests)] that take `most` seconds in all, the best first."""
        files = defaultdict(list)
        for name in sorted(names, key=lambda x: (-self.kills[x], self.seconds[x])):
            files[name.partition("::")[0]].append(name)
        own_name, plan = stem(module), []

        def place(file):
            own = own_name in file
            return -self.kills[file, module], not own, self.seconds[files[file][0]]

        for file in sorted(files, key=place):
            chosen = []
            for name in files[file]:
                most -= self.seconds[name]
                chosen += [name] if most > 0 else []
            plan += [(file, chosen)] if chosen else []
        return plan

    def killed(self, module, name):
        self.kills[name] += 1
        self.kills[name.partition("::")[0], module] += 1
