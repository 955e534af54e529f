"""The memory that ring attention takes at its peak, on one GPU and on each of two."""

from draw.figures._bench import table
from draw.figures._svg import count
from draw.tables.memory.ring_times import SHAPE, found

from tilewise.ledger.ring import at_once, working_set

WAYS = (1, "ring"), (2, "ring"), (2, "torch_allgather")  # number of GPUs, way
SAY = {
    "en": ("one GPU", "each of two", "share", "counted", "PyTorch, all-gather"),
    "zh": ("一个 GPU", "两个，每个", "占比", "按账本", "PyTorch，all-gather"),
}


def peaks(shape=SHAPE):
    """{(number of GPUs, way, N): bytes} at the peak of a step, inputs included."""
    rows = (row for row in found()["rows"] if row["shape"] == shape)
    return {(row["world"], row["way"], row["n"]): row["peak_bytes"] for row in rows}


def counted(n, shape=SHAPE, world=2):
    """The bytes that a rank holds backward: q, k, v, o, L, gradients, and a turn."""
    heads, kv_heads, d = found()["shapes"][shape]
    share = n // world
    sizes = share, share, heads // kv_heads, d, d
    turn = at_once(share, share, heads, kv_heads, d, d, backward=True)
    kept = (4 * heads + 4 * kv_heads) * share * d * 2 + heads * share * 4
    return kept + turn * sum(working_set(*sizes, backward=True).values())


def say(size):
    """GiB with two digits; a dash for None."""
    return "–" if size is None else f"{size / 2**30:.2f}"


def draw(lang):
    """A Markdown table in GiB with one row for each N that both were measured at."""
    most, lines = peaks(), []
    for n in sorted({n for world, _, n in most if world == 1}):
        one, two, other = (most.get((*way, n)) for way in WAYS)
        cells = say(one), say(two), f"{two / one:.2f}", say(counted(n)), say(other)
        lines.append([count(n), *cells])
    return table(["$N$", *SAY[lang]], lines, left=0)
