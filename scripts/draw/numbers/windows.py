"""Numbers in the prose of the page on windows in Gluon: even rounds, times, excess."""

import json

from draw.figures._bench import newest
from draw.figures.gpu.window_consumers import COLS, kinds
from draw.numbers._shared import span
from draw.tables.gpu.window_time import SHOWN, times

from tilewise.hardware import CEILINGS
from tilewise.ledger.tiles import visits

N, WIDTH, SMS, ROWS = 16384, 2048, 132, 128
SIZES = {  # (kernel, pass, d) → rows and keys of a tile, where they are not 128 × 128
    ("ours", "forward", 64): (64, 128),
    ("ours", "forward", 128): (64, 128),
    ("ours", "backward", 128): (64, 128),
    ("fa4", "forward", 64): (192, 128),
    ("fa4", "backward", 128): (64, 128),
}

FEW = {64: 512, 128: 256}  # d → the widest window with tiles of 64 keys; see choose


def expected(ms, cell, window):
    """The time of a window by the causal time and the tiles visited.

    They are of the kernel's own size: FlexAttention's BlockMask has 128 × 128, and
    FlashAttention-4's are in its interface.py.
    """
    size = (64, 64) if cell[0] == "triton" else SIZES.get(cell, (128, 128))
    whole = visits(N, N, *size, True)[2]
    if cell[:2] == ("ours", "forward") and window <= FEW[cell[2]]:
        size = 64, 64
    part = visits(N, N, *size, True, window=(window - 1, 0))[2]
    return ms[*cell, N] * part / whole


def dealt(heads, crew, window):
    """Tiles of each program's blocks, dealt in snake order.

    Blocks of ROWS rows and tiles of 128 keys, crew after crew, each from its last rows
    to its first; every second crew the other way round.
    """
    blocks = []
    for first in range(0, heads, crew):
        rows = range(N - ROWS, -1, -ROWS)
        turned = (heads - first + crew - 1) // crew % 2 == 0
        for row in reversed(rows) if turned else rows:
            tiles = (row + ROWS - 1) // 128 - max(row - window + 1, 0) // 128 + 1
            blocks += [tiles] * min(crew, heads - first)
    found = [[] for _ in range(SMS)]
    for i, tiles in enumerate(blocks):
        turn, place = divmod(i, SMS)
        found[SMS - 1 - place if turn % 2 else place].append(tiles)
    return found


def numbers():
    """{name: text} of every number that this page takes."""
    found = kinds(range(640, 704))
    assert [*found.values()] == ["cut", "whole", "whole", "whole", "cut", "skipped"]
    assert [*found] == [*range(6, 12)] and COLS == 64, "the page says so"
    return dict(pair for part in (even, beside, excess) for pair in part())


def even():
    """Tiles of a program with crews of eight heads, and of the busiest with two."""
    (each,) = {sum(x) for x in dealt(16, 8, 4096)}
    two = dealt(16, 2, 4096)
    short = [sum(tiles < max(x) for tiles in x) for x in two]
    assert (min(short), max(short)) == (0, 7), "the page says so"
    keys = 4096 + SMS / 8 * ROWS  # in use at a time, of each of eight heads
    size = keys * 2 * 128 * 2 / 2**20  # MiB of K and V in 16 bits
    told = round(SMS / 8), round(keys / 4096, 1), round(size), round(8 * size)
    assert told == (16, 1.5, 3, 24), "the page says so"
    yield "tiles_each", f"{each}"
    yield "crew_2", f"{100 * max(map(sum, two)) / each - 100:.0f}"


def beside():
    """Speeds over others and over the causal mask alone, and what sinks cost."""
    ms = times()
    behind = {}
    for other in ("fa4", "triton"):
        for way in ("forward", "backward"):
            its = [x for x in ms if x[:2] == (other, way) and x[3] < N]
            over = {x[1:]: ms[x] / ms["ours", *x[1:]] for x in its}
            behind |= {x: ratio for x, ratio in over.items() if ratio < 1}
            yield from span(f"{way}_{other}", over.values())
    assert len(its) == 12 and {x[:2] for x in behind} == {("backward", 128)}
    assert {x[2] for x in behind} - {*SHOWN} == {512, 2048}, "the page says so"
    yield "behind", f"{len(behind)}"
    yield "behind_most", f"{100 / min(behind.values()) - 100:.0f}"
    sinks = (ms[x] / ms["ours", *x[1:]] for x in ms if x[0] == "sinks")
    yield "sinks_most", f"{100 * max(sinks) - 100:.0f}"
    ours = [x[:3] for x in ms if x[0] == "ours" and x[3] == N]
    yield from span("faster", (ms[*x, N] / ms[*x, 1024] for x in ours), 1)


def excess():
    """What the tiles do not explain: the HBM's share, and that of the small kernels."""
    ms = times()
    size = 4 * N * WIDTH * 2  # bytes of Q, K, V and O in 16 bits
    moved = round(size / CEILINGS["hbm"]["value"] * 1e6)  # µs
    yield "megabytes", f"{size / 1e6:.0f}"
    yield "moved", f"{moved}"
    for d in (64, 128):
        narrow = round(ms["ours", "forward", d, 128] * 1e3)
        yield f"narrow_{d}", f"{narrow}"
        yield f"share_{d}", f"{100 * moved / narrow:.0f}"
    yield from profile()


def kernel_times():
    """{(kernel, or all; d; keys of the window): µs in a call of the backward pass}."""
    rows = json.loads(newest("window-kernels").read_text("utf-8"))["rows"]
    return {(row["kernel"], row["d"], row["window"]): row["us"] for row in rows}


def profile():
    """Of the backward pass's kernels: µs of the small ones, and what tiles suggest."""
    us = kernel_times()
    cells = [x[1:] for x in us if x[0] == "all" and x[2] < N]
    small = {x: us["rows_kernel", *x] + us["dq_kernel", *x] for x in cells}
    yield from span("small", small.values(), 0)
    for d in (64, 128):
        narrow = small[d, 128] / us["all", d, 128]
        assert abs(narrow - 1 / 3) < 0.03, "the page says: a third"
        excess = []
        for name in ("main_kernel", "all"):
            cell = "ours", "backward", d
            hope = expected({(*cell, N): us[name, d, N]}, cell, 1024)
            excess.append(us[name, d, 1024] - hope)  # µs
            yield f"{name}_{d}", f"{us[name, d, 1024] / hope:.2f}"
            yield f"{name}_over_{d}", f"{excess[-1]:.0f}"
        assert excess[0] < excess[1] / 2, "the page says so"
