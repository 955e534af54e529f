"""The code blocks of a page, as its reader sees them: with the includes expanded.

```python                     a listing: runs alone
```{.python .no-copy}         an excerpt: goes on where the blocks above it end, or
                              repeats lines of one of them
```{.text .output .no-copy}   what the Python block before it prints
```console                    what is typed at a prompt; never run
"""

import io
import linecache
import re
import traceback
from contextlib import redirect_stdout
from dataclasses import dataclass
from textwrap import dedent

from pages import expand, read

LISTING = "python"
EXCERPT = "{.python .no-copy}"
OUTPUT = "{.text .output .no-copy}"
CONSOLE = "console"
TYPED = re.compile(r"(\$ )?(cd|git|mkdocs|pytest|python) .*")  # a line at a prompt
OPENING = re.compile(r"(?P<indent>[ \t>]*)(?P<fence>`{3,}|~{3,})[ \t]*(?P<info>[^`]*)")


@dataclass(frozen=True)
class Fence:
    """A fenced block as it is written: line of its opening, info string, lines."""

    line: int
    info: str
    lines: tuple


@dataclass(frozen=True)
class Block:
    """A Python block as it is read, the output shown for it, the blocks above it."""

    line: int
    excerpt: bool
    code: str
    output: str | None
    above: tuple


def fences(path):
    """All fenced blocks of a page, also those within lists, admonitions and quotes."""
    text = path.read_text("utf-8") if path.suffix == ".md" else read(path)[0]
    lines = enumerate(text.splitlines(), 1)
    for number, line in lines:
        if not (opening := OPENING.fullmatch(line)):
            continue
        inside = []
        for _, line in lines:
            if line.lstrip(" \t>").rstrip() == opening["fence"]:
                break
            inside.append(line)
        else:
            raise ValueError(f"{path}: the block of line {number} has no end")
        width = len(opening["indent"])
        inside = [line[width:] if line.strip(" \t>") else "" for line in inside]
        yield Fence(number, opening["info"].strip(), tuple(inside))


def shown(fence):
    """The text of the block on the page."""
    return "\n".join(expand(fence.lines)).strip("\n") + "\n"


def blocks(path):
    """The Python blocks of a page."""
    found, above = [*fences(path)], ()
    for i, fence in enumerate(found):
        if fence.info not in (LISTING, EXCERPT):
            continue
        code, output = shown(fence), None
        if found[i + 1 :] and found[i + 1].info == OUTPUT:
            output = shown(found[i + 1])
        yield Block(fence.line, fence.info == EXCERPT, code, output, above)
        above = (*above, code)


def repeats(code, others):
    """Whether the lines of `code` stand together, indented or not, in another."""
    wanted = dedent(code).splitlines()
    for other in others:
        lines = other.splitlines()
        for i in range(len(lines) - len(wanted) + 1):
            part = "\n".join(lines[i : i + len(wanted)])
            if dedent(part).splitlines() == wanted:
                return True
    return False


def execute(code, namespace):
    """exec with a file behind the name, for inspect.getsource, hence triton.jit."""
    file = f"<block {hash(code):x}>"
    linecache.cache[file] = (len(code), None, code.splitlines(True), file)
    exec(compile(code, file, "exec"), namespace)


def run(block):
    """Run the block; an excerpt after all the blocks above it, whose output is dropped.

    Raises RuntimeError with the traceback, of which pytest-codeblocks keeps the text.
    """
    if block.excerpt and block.output is None and repeats(block.code, block.above):
        return
    namespace = {"__name__": "__main__"}
    try:
        if block.excerpt:
            with redirect_stdout(io.StringIO()):
                for code in block.above:
                    execute(code, namespace)
        execute(block.code, namespace)
    except (Exception, SystemExit) as error:
        tail = traceback.format_exception(
            type(error), error, error.__traceback__.tb_next
        )
        raise RuntimeError("".join(tail)) from None
