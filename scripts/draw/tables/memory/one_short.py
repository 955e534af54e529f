"""One sequence of 64 to 1024 tokens, forward: µs in a CUDA graph and as calls."""

from draw.tables._practices import rows

ROWS = {  # row -> kernels
    "standard": ("standard",),
    "theirs": ("flash", "cudnn", "efficient"),
    "ours": ("ours",),
}
SAY = {
    "en": {
        "head": ("µs, forward, one sequence", "the GPU alone", "with the host"),
        "standard": "standard attention, written out",
        "theirs": "PyTorch's three fused kernels", "ours": "ours",
        "span": "{:.0f} to {:.0f}",
    },
    "zh": {
        "head": ("µs，前向，一条序列", "只算 GPU", "算上主机"),
        "standard": "标准注意力，用一个个算子写出", "theirs": "PyTorch 的三个融合内核",
        "ours": "本书", "span": "{:.0f} 到 {:.0f}",
    },
}


def times(name, graph):
    """µs of a row of the table, of every length and head dimension."""
    which = {"batch": 1, "pass": "forward", "graph": graph}
    found = [x for what in ROWS[name] for x in rows("short", what=what, **which)]
    return [1e3 * x["ms"] for x in found]


def lines(say):
    """Least and most of each row, in a graph and without."""
    for name in ROWS:
        both = [times(name, graph) for graph in (True, False)]
        yield say[name], *(say["span"].format(min(x), max(x)) for x in both)
