"""The code blocks of a page, as its reader sees them: with the includes expanded.

```python                     a listing: runs alone
```{.python .no-copy}         an excerpt: goes on where the blocks above it end, or
                              repeats lines of one of them or of a kernel's file,
                              which tests/kernels runs
```{.text .output .no-copy}   what the Python block before it prints
```console                    what is typed at a prompt; never run

A listing runs in a process of its own, and once, however many pages and tests show it.
So does an excerpt that launches Triton kernels, interpreted where there is no card,
since Triton reads TRITON_INTERPRET as it is imported; and one that starts processes,
which import the file that it stands in.
"""

import io
import linecache
import re
import traceback
from contextlib import redirect_stdout
from dataclasses import dataclass
from functools import cache
from textwrap import dedent

import pytest
from draw import fresh
from generate import KERNELS, environment, lacks_library
from pages import ROOT, expand, read

LISTING = "python"
EXCERPT = "{.python .no-copy}"
OUTPUT = "{.text .output .no-copy}"
CONSOLE = "console"
TYPED = re.compile(  # a line at a prompt
    r"(\$ )?(TRITON_INTERPRET=1 )?(cd|curl|git|mkdocs|pytest|python) .*"
)
NO_TRITON = "Triton is for Linux only; Transformers is optional"
LAST = []  # (blocks, namespace) of the excerpt that ran last, if it ended well
MARK = "\N{RECORD SEPARATOR}\n"  # stands where the output of the blocks above ends
PROCESSES = re.compile(r"^(?:import|from) .*\bmultiprocessing\b", re.M)
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


@cache
def rungs():
    """The files of the kernel ladder, without the marks of their sections."""
    texts = (
        p.read_text("utf-8") for p in (ROOT / "src/tilewise/kernels").rglob("*.py")
    )
    return tuple(re.sub(r"^ *# --8<-- .*\n", "", text, flags=re.M) for text in texts)


def execute(code, namespace):
    """exec with a file behind the name, for inspect.getsource, hence triton.jit."""
    file = f"<block {hash(code):x}>"
    linecache.cache[file] = (len(code), None, code.splitlines(True), file)
    exec(compile(code, file, "exec"), namespace)


def apart(above, code):
    """What the code prints after the blocks above it, in a process of its own."""
    if lacks_library("\n".join((*above, code))):
        pytest.skip(NO_TRITON)
    mark = f"if __name__ == '__main__':\n    print({MARK!r}, end='', flush=True)"
    text = "\n".join((*above, mark, code)) if above else code
    status, output, errors = fresh.alone(text, environment())
    if status:
        raise RuntimeError(errors)
    return output.partition(MARK)[2] if above else output


def after(above):
    """What the blocks above leave; those that ran for the last excerpt ran once."""
    done, namespace = LAST.pop() if LAST else ((), {})
    if not done or above[: len(done)] != done:
        done, namespace = (), {"__name__": "__main__"}
    with redirect_stdout(io.StringIO()):
        for code in above[len(done) :]:
            execute(code, namespace)
    return namespace


def run(block):
    """Run the block; an excerpt after all the blocks above it, whose output is dropped.

    Raises RuntimeError with the traceback, of which pytest-codeblocks keeps the text.
    """
    silent = block.excerpt and block.output is None
    if silent and repeats(block.code, (*block.above, *rungs())):
        return
    above = block.above if block.excerpt else ()
    text = "\n".join((*above, block.code))
    if not block.excerpt or KERNELS.search(text) or PROCESSES.search(text):
        return print(apart(above, block.code), end="")
    try:
        namespace = after(above)
        execute(block.code, namespace)
    except (Exception, SystemExit) as error:
        tail = traceback.format_exception(
            type(error), error, error.__traceback__.tb_next
        )
        raise RuntimeError("".join(tail)) from None
    LAST.append(((*above, block.code), namespace))
