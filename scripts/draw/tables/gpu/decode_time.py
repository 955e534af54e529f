"""How long a step of decoding takes on an H200: others' kernels and ours."""

import json
from functools import cache

from draw.figures import _bench as bench
from draw.figures._svg import count

HEADS = 32
CELLS = (  # batch, query heads for each KV head, keys
    (1, 4, 8192),
    (1, 4, 131072),
    (1, 16, 32768),
    (8, 4, 1024),
    (8, 4, 32768),
    (64, 1, 8192),
    (64, 4, 8192),
    (64, 16, 1024),
)
WAYS = "sdpa cudnn", "fa3", "ours", "ours, paged", "ours, one part"
SAY = {
    "en": {
        "head": (
            "cache { .tw-above }", "cuDNN", "FA3", "ours", "ours, pages",
            "ours, one part",
        ),
        "cache": "{} × {} KV heads × {} keys",
    },
    "zh": {
        "head": (
            "缓存 { .tw-above }", "cuDNN", "FA3", "本书", "本书，分页", "本书，不切分",
        ),
        "cache": "{} × {} 个 KV 头 × {} 个键",
    },
}  # fmt: skip


@cache
def found():
    """{(batch, group, n): {way: its summary}} of the newest result."""
    cells = json.loads(bench.newest("decode").read_text("utf-8"))["cells"]
    return {(x["batch"], x["group"], x["n"]): x["found"] for x in cells}


def lines(say):
    """Median times of some cells."""
    for batch, group, n in CELLS:
        cell = found()[batch, group, n]
        times = (number(1e3 * cell[way]["ms"]) for way in WAYS)
        yield say["cache"].format(batch, HEADS // group, number(n)), *times


def number(x):
    """One digit behind the point below 100, a comma from five digits on."""
    return f"{x:.1f}" if x < 100 else count(round(x))
