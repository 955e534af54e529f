"""One warp that waits, four warps that take turns, one warp that asks early."""

from draw.figures import _svg as s

WAIT, WORK, END = 6, 2, 22  # steps from asking to having, of work on it, in the drawing
LEFT, STEP, ROW = 64, 15, 19  # where time begins, the width of a step, from row to row
SAY = {
    "en": {
        "label": "Three timelines. One warp computes for {w} of every {p} steps and"
        " waits for the rest. Four warps that take turns keep the arithmetic busy after"
        " the first wait. One warp that asks four tiles ahead does the same.",
        "one": "One warp: it asks, waits, computes", "warp": "warp {n}",
        "four": "Four warps: one computes while the others wait",
        "early": "One warp that asks four tiles ahead", "tile": "tile {n}",
        "key": ["waits for data", "computes"], "time": "time →",
    },
    "zh": {
        "label": "三条时间线。只有一个 warp 时，每 {p} 步里只有 {w} 步在计算，"
        "其余都在等待。四个 warp 轮流计算，第一次等待之后运算单元一直有事做。"
        "一个 warp 提前四个分块发出请求，效果相同。",
        "one": "一个 warp：请求、等待、计算", "warp": "warp {n}",
        "four": "四个 warp：一个计算，其余在等待",
        "early": "一个 warp，提前四个分块发出请求", "tile": "分块 {n}",
        "key": ["等待数据", "计算"], "time": "时间 →",
    },
}


def spells(first, turns):
    """(asked, computes from) of one warp that asks again when it is done."""
    period = WAIT + WORK
    return [(first + period * n, first + period * n + WAIT) for n in range(turns)]


def bar(asked, start, y):
    """A wait from asking on, as a line, and the work that follows, as a box."""
    x, at, end = (LEFT + STEP * min(t, END) for t in (asked, start, start + WORK))
    out = [s.path(f"M{x} {y - 4}v8M{x} {y}H{at}", "tw-faint")] if x < at else []
    if at < end:
        out.append(s.rect(at, y - 7, end - at, 14, "tw-dot", 'rx="2"'))
    return out


def rows(y, names, times):
    """A row for each name with its spells, and where the next thing begins."""
    out = []
    for n, (name, spell) in enumerate(zip(names, times, strict=True)):
        at = y + ROW * n
        out.append(s.text(2, at + 5, name, "tw-small"))
        out += [piece for x in spell for piece in bar(*x, at)]
    return out, y + ROW * len(names) + 30


def draw(lang):
    """The figure in English or Chinese."""
    say, y, out = SAY[lang], 38, []
    four = range(1, 5)
    cases = [
        ("one", "warp", [1], [spells(0, 3)]),
        ("four", "warp", four, [spells(WORK * n, 3) for n in range(4)]),
        ("early", "tile", range(1, 9), [spells(WORK * n, 1) for n in range(8)]),
    ]
    for title, name, numbers, times in cases:
        out.append(s.text(2, y - 18, say[title], "tw-strong tw-small"))
        names = [say[name].format(n=n) for n in numbers]
        made, y = rows(y, names, times)
        out += made
    out.append(s.text(398, y - 18, say["time"], "tw-small tw-muted", "end"))
    for k, x in enumerate((LEFT, LEFT + 150)):
        out.append(s.text(x + 36, y - 18, say["key"][k], "tw-small tw-muted"))
    out.append(s.path(f"M{LEFT} {y - 27}v8M{LEFT} {y - 23}h30", "tw-faint"))
    out.append(s.rect(LEFT + 150, y - 30, 30, 14, "tw-dot", 'rx="2"'))
    facts = {"w": WORK, "p": WAIT + WORK}
    return s.svg(400, y - 8, say["label"].format(**facts), *out)
