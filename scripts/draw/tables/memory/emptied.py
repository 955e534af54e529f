"""ms of a training step: the cache never emptied, and emptied after every step."""

from draw.tables._practices import part

WAYS = ("never", "every step")
SAY = {
    "en": {
        "head": ("ms per training step", "never emptied", "emptied after every step"),
        1: "one length", 4: "four lengths in turn",
    },
    "zh": {
        "head": ("训练一步的 ms", "从不清空", "每步之后清空"),
        1: "一种长度", 4: "四种长度轮流",
    },
}


def lines(say):
    """One length of sequences, and four."""
    ms = {(len(x["sizes"]), x["what"]): x["ms"] for x in part("empty_cache")}
    for sizes in (1, 4):
        yield say[sizes], *(f"{ms[sizes, way]:.0f}" for way in WAYS)
