"""Matrices in a terminal: blocks of lines, side by side where the width allows."""

import unicodedata

LIMIT = 80
COLOURS = {"q": 32, "k": 172, "v": 36, "s": 169, "o": 166, "m": 67}  # of 256


def width(text):
    """The columns that text takes: 2 for a Chinese character, 0 for a combining one."""
    return sum(
        0 if unicodedata.combining(x) else 1 + (unicodedata.east_asian_width(x) in "WF")
        for x in text
    )


def pad(text, to):
    """text with spaces on its right, up to `to` columns."""
    return text + " " * (to - width(text))


def table(cells):
    """The rows of a matrix in brackets, each column aligned on its right."""
    widths = [max(map(len, col)) for col in zip(*cells, strict=True)]
    rows = [" ".join(map(str.rjust, row, widths)) for row in cells]
    if len(rows) == 1:
        return [f"[ {rows[0]} ]"]
    left, right = "⎡" + "⎢" * (len(rows) - 2) + "⎣", "⎤" + "⎥" * (len(rows) - 2) + "⎦"
    return [f"{a} {row} {b}" for a, row, b in zip(left, rows, right, strict=True)]


def block(name, sign, cells, tensor=None):
    """One matrix with its name before its middle row: (width, lines)."""
    lines = table(cells)
    before, middle = f"{name} {sign} ", (len(lines) - 1) // 2
    empty = " " * width(before)
    lines = [(empty, before)[r == middle] + line for r, line in enumerate(lines)]
    size = width(lines[0])
    if tensor:
        lines = [f"\033[38;5;{COLOURS[tensor]}m{line}\033[0m" for line in lines]
    return size, lines


def blocks(name, sign, cells, tensor, columns):
    """Yield the block of a matrix, or one for each group of columns that fits.

    `columns` is what such a group is called, with {name}, and {a} to {b} from 1.
    """
    last = len(cells[0])
    whole = block(name, sign, cells, tensor)
    if whole[0] <= LIMIT or last == 1:
        yield whole
        return
    longest = columns.format(name=name, a=last, b=last)
    room = LIMIT - width(f"{longest} {sign} [  ]")
    each = max(len(x) for row in cells for x in row) + 1
    step = max(1, (room + 1) // each)
    for a in range(0, last, step):
        b = min(a + step, last)
        part = columns.format(name=name, a=a + 1, b=b)
        yield block(part, sign, [row[a:b] for row in cells], tensor)


def flow(entries, columns, colour=False):
    """Yield the lines of matrices laid side by side, wrapped at 80 columns.

    An entry is (name, sign, cells, tensor); colour is by tensor.
    """
    line: list[str] = []
    used = 0
    for name, sign, cells, tensor in entries:
        for part in blocks(name, sign, cells, tensor if colour else None, columns):
            if line and used + 3 + part[0] > LIMIT:
                yield from beside(line)
                line, used = [], 0
            used += part[0] + 3 * bool(line)
            line.append(part)
    yield from beside(line)


def beside(line):
    """Yield the lines of blocks that fit beside each other, and an empty line."""
    for r in range(max(len(lines) for _, lines in line)):
        row = [lines[r] if r < len(lines) else " " * size for size, lines in line]
        yield "   ".join(row).rstrip()
    yield ""
