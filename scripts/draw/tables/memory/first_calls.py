"""What the first calls of a process take, forward and backward together."""

from draw.tables._practices import rows

SAY = {
    "en": {
        "head": ("forward and backward", "first, nothing on disk",
                 "first, compiled before", "sixth"),
        "sdpa": "PyTorch's function", "flex": "FlexAttention", "ours": "ours",
    },
    "zh": {
        "head": ("前向加反向", "第一次，磁盘上没有缓存", "第一次，磁盘上有缓存",
                 "第六次"),
        "sdpa": "PyTorch 的函数", "flex": "FlexAttention", "ours": "本书",
    },
}


def seconds(what, kept):
    """Seconds of each call, both passes."""
    (row,) = rows("first_calls", what=what, kept_on_disk=kept)
    return [sum(both) for both in row["seconds"]]


def lines(say):
    """A line for each function."""
    for what in ("sdpa", "flex", "ours"):
        new, kept = seconds(what, False), seconds(what, True)
        first = f"{new[0]:.1f} s", f"{kept[0]:.1f} s"
        yield say[what], *first, f"{1e3 * kept[-1]:.1f} ms"
