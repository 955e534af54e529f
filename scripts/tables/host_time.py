"""How long a call keeps the host, beside PyTorch's own attention."""

from figures._bench import bench, table

SAY = {
    "en": {
        "head": ("one call, µs of the host", "`flash_attention`", "PyTorch's"),
        ("forward", False, False): "forward",
        ("forward", False, True): "forward, 50 lengths in turn",
        ("forward", True, False): "forward, keeping what backward needs",
        ("backward", True, False): "backward",
    },
    "zh": {
        "head": ("一次调用占用主机的微秒数", "`flash_attention`", "PyTorch 自带"),
        ("forward", False, False): "前向",
        ("forward", False, True): "前向，50 种长度轮流",
        ("forward", True, False): "前向，并保留反向所需",
        ("backward", True, False): "反向",
    },
}  # fmt: skip


def draw(lang):
    """A Markdown table of medians."""
    say, found = SAY[lang], {}
    for row in bench()["host"]:
        key = row["pass"], row["grad"], row["varied"]
        found[row["kernel"], key] = f"{row['microseconds']:.0f}"
    keys = [key for key in say if key != "head"]
    rows = [
        [say[key], *(found.get((who, key), "–") for who in ("flash_attention", "sdpa"))]
        for key in keys
    ]
    return table(say["head"], rows)
