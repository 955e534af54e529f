"""What readers measured on cards of theirs by `bench --share`; nothing without a file.

Every file in benchmarks/results/shared was reviewed as HACKING.md says; one that is not
as the bench wrote it stops the making of the table.
"""

from draw.figures import _bench as bench

from tilewise.bench import share_file
from tilewise.bench.cells import PASSES
from tilewise.bench.share import BACKENDS, KERNELS, expected

FOLDER = bench.RESULTS / "shared"
SAY = {
    "en": {
        "above": "Readers sent in these cards. A number says how many times as fast"
        " `flash_attention` is as a backend of PyTorch, as a geometric mean over the"
        " cells in which both ran; where these are not all {n}, their number is in"
        " parentheses.",
        "head": ("card", "pass", "over FlashAttention-2", "over cuDNN",
                 "over the memory-efficient kernel", "PyTorch", "date"),
        "ways": ("forward", "backward"), "cells": "{x} ({n})",
    },
    "zh": {
        "above": "下表是读者寄来的测量结果。每个数表示 `flash_attention` 的速度是"
        " PyTorch 某个后端的几倍，取两者都能运行的那些情形的几何平均；"
        "不是全部 {n} 种情形时，括号里是情形的个数。",
        "head": ("显卡", "方向", "对 FlashAttention-2", "对 cuDNN", "对省显存的内核",
                 "PyTorch", "日期"),
        "ways": ("前向", "反向"), "cells": "{x}（{n}）",
    },
}  # fmt: skip


def files(folder):
    """[(path, what it holds)] of a folder, by card and date."""
    return [
        (path, share_file.read(path.read_text("utf-8")))
        for path in sorted(folder.glob("*.json"))
    ]


def told(mean, say):
    """A mean in words, – where nothing was measured."""
    if mean is None:
        return "–"
    x = f"{mean['mean']:.2f}"
    whole = len(expected()) // len(KERNELS)
    return x if mean["cells"] == whole else say["cells"].format(x=x, n=mean["cells"])


def lines(found, say):
    """A line for each file and pass."""
    for path, data in found:
        card = data["machine"]["gpu"].removeprefix("NVIDIA ")
        link = f"[{card}](../assets/results/shared/{path.name})"
        torch = data["machine"]["torch"].partition("+")[0]
        for way, name in zip(PASSES, say["ways"], strict=True):
            means = [told(data["ratios"][way][x], say) for x in BACKENDS]
            yield link, name, *means, torch, data["date"]


def draw(lang, folder=FOLDER):
    """A sentence and a Markdown table, or nothing."""
    say, found = SAY[lang], files(folder)
    if not found:
        return ""
    above = say["above"].format(n=len(expected()) // len(KERNELS))
    return f"{above}\n\n{bench.table(say['head'], list(lines(found, say)), 2)}"
