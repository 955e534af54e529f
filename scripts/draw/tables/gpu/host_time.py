"""How long a call keeps the host, beside PyTorch's own attention."""

from draw.figures._bench import bench, table
from draw.figures._svg import count

SAY = {
    "en": {
        "head": ("one call, µs of the host", "`flash_attention`", "PyTorch's", "empty"),
        ("forward", False, "same"): "forward",
        ("forward", False, "turns"): "forward, 50 lengths in turn",
        ("forward", False, "new"): "forward, a new length every time",
        ("forward", False, "new, layers"): "forward, a new length every 8 layers",
        ("forward", True, "same"): "forward, keeping what backward needs",
        ("backward", True, "same"): "backward",
        ("backward", True, "same, layers"): "backward, one of 8 calls in a chain",
        ("backward", True, "same, alone"): "backward, without PyTorch's engine",
    },
    "zh": {
        "head": ("一次调用占用主机的微秒数", "`flash_attention`", "PyTorch", "空函数"),
        ("forward", False, "same"): "前向",
        ("forward", False, "turns"): "前向，50 种长度轮流",
        ("forward", False, "new"): "前向，每次都是新长度",
        ("forward", False, "new, layers"): "前向，每 8 层换一个新长度",
        ("forward", True, "same"): "前向，并保留反向所需",
        ("backward", True, "same"): "反向",
        ("backward", True, "same, layers"): "反向，8 次调用相连，每次的时间",
        ("backward", True, "same, alone"): "反向，不经过 PyTorch 的引擎",
    },
}


def lengths(row):
    """Which lengths the calls had: "turns", 50 over and over, is what `varied` was."""
    if "varied" in row:
        return "turns" if row["varied"] else "same"
    if not row.get("engine", True):
        return row["lengths"] + ", alone"
    return row["lengths"] + (", layers" if row["layers"] > 1 else "")


def draw(lang):
    """A Markdown table of medians; empty is a function that computes nothing."""
    say, found, who = SAY[lang], {}, {row["kernel"] for row in bench()["host"]}
    for row in bench()["host"]:
        key = row["pass"], row["grad"], lengths(row)
        found[row["kernel"], key] = count(round(row["microseconds"]))
    keys = [key for key in say if any(key == other for _, other in found)]
    who = ["flash_attention", "sdpa", *who & {"empty"}]
    rows = [[say[key], *(found.get((name, key), "–") for name in who)] for key in keys]
    return table(say["head"][: 1 + len(who)], rows)
