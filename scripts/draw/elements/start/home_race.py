"""What <tw-race> shows: both ways to compute one layer, on one clock, as measured.

Without a script the two drawings are in their last state. The times of the four kernels
of standard attention were taken one by one; they share the time of the whole call.
"""

import json
import math
from itertools import accumulate

from draw.figures import _svg as s
from draw.figures._methods import colour
from draw.tables._savings import rows, traffic

KERNELS = ("qk", "scale", "softmax", "pv")
SIDE, TILE, HIGH = 96, 12, 96  # the matrix, a tile of it, the column of HBM
SAY = {
    "en": {
        "qk": "S = QKᵀ: writes S", "scale": "scaling: reads S, writes S",
        "softmax": "softmax: reads S, writes P", "pv": "O = PV: reads P, writes O",
        "tile": "computes a tile, uses it, drops it", "done": "done",
        "waits": "done {t} ms ago", "play": "Play", "pause": "Pause",
        "standard": "Standard", "flash": "FlashAttention",
        "time": "Time", "at": "{t} ms", "moved": "{g} GB moved",
        "label-standard": "Standard attention at its end: the whole matrix of weights"
        " is in memory, and the column of bytes moved is full.",
        "label-flash": "FlashAttention at its end: the place of the matrix is empty,"
        " O is complete, and the column of bytes moved is almost empty.",
    },
    "zh": {
        "qk": "S = QKᵀ：写出 S", "scale": "缩放：读 S，写 S",
        "softmax": "softmax：读 S，写 P", "pv": "O = PV：读 P，写 O",
        "tile": "算一块，用一块，丢一块", "done": "完成",
        "waits": "已完成，等了 {t} ms", "play": "播放", "pause": "暂停",
        "standard": "标准注意力", "flash": "FlashAttention",
        "time": "时间", "at": "{t} ms", "moved": "已搬运 {g} GB",
        "label-standard": "标准注意力结束时：整个权重矩阵都在显存里，"
        "已搬运字节的柱子是满的。",
        "label-flash": "FlashAttention 结束时：矩阵的位置是空的，O 已算完，"
        "已搬运字节的柱子几乎是空的。",
    },
}


def data(lang):
    """The words, and [end in ms, GB moved until then] of each kernel."""
    whole, flash, *parts = rows("standard", "flash", *KERNELS)
    times = [x * whole["ms"] / sum(p["ms"] for p in parts) for x in
             accumulate(p["ms"] for p in parts)]
    bytes_ = [x * traffic(whole) / sum(map(traffic, parts)) for x in
              accumulate(map(traffic, parts))]
    ends = [[round(t, 3), round(b, 3)] for t, b in zip(times, bytes_, strict=True)]
    own = [round(flash["ms"], 3), round(traffic(flash), 3)]
    return {"standard": ends, "flash": own, "words": SAY[lang]}


def drawing(name, say, share):
    """The matrix, O beside it, and the column of bytes, in their last state."""
    full = name == "standard"
    parts = [s.rect(0.5, 0.5, SIDE, SIDE, "tw-ghost")]
    cuts = range(TILE, SIDE, TILE)
    lines = "".join(f"M{x}.5 .5v{SIDE}M.5 {x}.5h{SIDE}" for x in cuts)
    lines = s.path(lines, "tw-rule")
    if full:
        parts += [s.rect(0.5, 0.5, SIDE, SIDE, f"tw-s tw-bare tw-{x}") for x in "SP"]
        parts.append(lines)
    else:
        at = SIDE - TILE + 0.5
        parts.append(lines)
        parts += [s.rect(at, at, TILE, TILE, f"tw-s tw-past{n}") for n in (3, 2, 1, 0)]
    parts.append(s.rect(SIDE + 6, 0.5, 10, SIDE, "tw-slot"))
    parts.append(s.rect(SIDE + 6, 0.5, 10, SIDE, "tw-o tw-bare tw-O"))
    parts.append(s.rect(SIDE + 26, 0.5, 14, HIGH, "tw-slot"))
    tall, cls = round(HIGH * share, 1), f"{colour(name)} tw-bytes"
    parts.append(s.rect(SIDE + 26, HIGH + 0.5 - tall, 14, tall, cls))
    return s.svg(SIDE + 41, SIDE + 1, say[f"label-{name}"], *parts)


def panel(name, say, ms, gb, most):
    """One of the two: its name, the drawing, its letters, the clock and the bytes."""
    time, cls = say["at"].format(t=f"{ms:.2f}"), colour(name)
    return "\n".join([
        f'<div class="tw-lane tw-lane-{name}">', f'<b class="{cls}">{say[name]}</b>',
        drawing(name, say, gb / most),
        '<span class="tw-axis"><i>S, P</i><i>O</i><i>HBM</i></span>',
        f'<span class="tw-clock {cls}">{time}</span>',
        f'<span class="tw-moved">{say["moved"].format(g=f"{gb:.2f}")}</span>',
        f'<span class="tw-now">{say["done"]}</span>', "</div>",
    ])


def draw(lang):
    """Both drawings, the clock's slider and button, and the data for the script."""
    made, say = data(lang), SAY[lang]
    end, gb = made["standard"][-1]
    last = math.ceil(100 * end) / 100  # the slider goes by hundredths
    made["words"] = {k: v for k, v in say.items() if "label" not in k}
    told = json.dumps(made, ensure_ascii=False, separators=(",", ":"))
    return "\n".join([
        '<div class="tw-lanes tw-drawn">', panel("standard", say, end, gb, gb),
        panel("flash", say, *made["flash"], gb), "</div>",
        '<div class="tw-controls">',
        f'<button type="button" class="tw-button">{say["play"]}</button>',
        f'<input type="range" min="0" max="{last}" step="0.01" value="{last}"'
        f' aria-label="{say["time"]}"></div>',
        f'<script type="application/json">{told}</script>',
    ])
