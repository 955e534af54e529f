"""Time of both loop orders and of standard attention, by the number of heads."""

from draw.figures import _methods as methods
from draw.figures import _svg as s
from draw.figures._plot import linear, ticks
from draw.tables._counters import row
from draw.tables.flash_attention.loop_order import CASES, ORDERS, programs

LEFT, RIGHT, TOP, BAR, GROUP = 104, 386, 34, 22, 102
AXIS = {0: "0", 5: "5", 10: "10", 15: "15", 20: "20 ms"}
BARS = {"standard": "standard", "kv-outer": "flash1", "q-outer": "flash2"}
SAY = {
    "en": {
        "label": "Milliseconds of a forward pass on one H200. {rows}.",
        "title": "{heads} heads, $N$ = {n}", "told": "{title}: {bars}",
        "standard": "standard", "kv-outer": "$K, V$ outer", "q-outer": "$Q$ outer",
        "ms": "{:.2f}", "programs": "{ms}: {n} programs", "join": "; ", "comma": ", ",
    },
    "zh": {
        "label": "一张 H200 上一次前向的毫秒数。{rows}。",
        "title": "{heads} 个头，$N$ = {n}", "told": "{title}：{bars}",
        "standard": "标准注意力", "kv-outer": "$K, V$ 在外层", "q-outer": "$Q$ 在外层",
        "ms": "{:.2f}", "programs": "{ms}：{n} 个程序实例", "join": "；", "comma": "，",
    },
}


def found():
    """(heads, N, {way: (ms, how many programs)}) for each case of the table."""
    for batch, heads, n in CASES:
        shape = {"batch": batch, "heads": heads, "n": n}
        bars = {"standard": (row("standard", **shape)["ms"], None)}
        for order, how in ORDERS.items():
            one = row(order, *how, **shape)
            bars[order] = one["ms"], programs(one)
        yield batch * heads, n, bars


def group(say, title, bars, top):
    """A case: its title, its bars, the words behind each."""
    out = [s.text(LEFT, top - 7, title, "tw-strong")]
    for k, (way, (ms, count)) in enumerate(bars.items()):
        y, x = top + BAR * k, linear(0, 22, LEFT, RIGHT)(ms)
        out.append(s.text(LEFT - 7, y + 13, say[way], "tw-small", "end"))
        box = LEFT, y, round(x - LEFT, 1), BAR - 5
        out.append(s.rect(*box, methods.mark(BARS[way])))
        words = say["ms"].format(ms)
        if count:
            words = say["programs"].format(ms=words, n=s.count(count))
        far = x > LEFT + 110  # no room to its right
        place = (round(x - 7, 1), "end") if far else (round(x + 7, 1), "")
        out.append(s.text(place[0], y + 13, words, "tw-small", place[1]))
    return out


def draw(lang):
    """The figure in English or Chinese."""
    say, parts, told = SAY[lang], [], []
    bottom = TOP + GROUP * len(CASES) - 26
    parts += ticks(linear(0, 22, LEFT, RIGHT), AXIS, TOP - 2, bottom)
    for k, (heads, n, bars) in enumerate(found()):
        title = say["title"].format(heads=s.count(heads), n=s.count(n))
        parts += group(say, title, bars, TOP + GROUP * k)
        words = [f"{say[way]} {ms:.2f}" for way, (ms, _) in bars.items()]
        bars_told = say["comma"].join(words)
        told.append(say["told"].format(title=title, bars=bars_told).replace("$", ""))
    label = say["label"].format(rows=say["join"].join(told))
    return s.svg(400, bottom + 24, label, *parts)
