"""Causal blocks of rows on four processors: shortest first against longest first."""

import heapq

from draw.figures import _svg as s

from tilewise.ledger import ceil_div

BLOCKS, PROCESSORS = 8, 4
LEFT, TOP, UNIT, LANE, PANEL = 2, 22, 33, 26, 148
SAY = {
    "en": {
        "label": "Eight blocks of rows, 1 to 8 tiles long, on four processors, each"
        " taking the next block when it is free. Shortest first, all is done after"
        " {first} tiles, and processors stand idle for {idle_first} tiles together."
        " Longest first, it is done after {last}, and they stand idle for {idle_last}.",
        "first": "first rows first: {} tiles", "last": "last rows first: {} tiles",
    },
    "zh": {
        "label": "八个行块，长 1 到 8 块，分给四个处理器，谁空出来谁取下一个。"
        "短的先做，{first} 块的时间后全部完成，处理器共闲置 {idle_first} 块的时间。"
        "长的先做，{last} 块的时间后完成，共闲置 {idle_last} 块的时间。",
        "first": "前面的行先做：{} 块的时间", "last": "后面的行先做：{} 块的时间",
    },
}


def length(i, rows=1, cols=1):
    """How many tiles the i-th block of rows meets under a causal mask, from 0."""
    return ceil_div((i + 1) * rows, cols)


def schedule(order):
    """[(block, processor, start, end)]: each goes to whom is free first."""
    free, out = [(0, p) for p in range(PROCESSORS)], []
    for i in order:
        start, p = heapq.heappop(free)
        out.append((i, p, start, start + length(i)))
        heapq.heappush(free, (start + length(i), p))
    return out


def orders():
    """{"first": first rows first, "last": last rows first}, as schedules."""
    ascending = range(BLOCKS)
    return {"first": schedule(ascending), "last": schedule(reversed(ascending))}


def panel(name, found, say, top):
    """One order: its name with the time it takes, a lane for each processor."""
    most = max(end for *_, end in orders()["first"])
    finish = max(end for *_, end in found)
    out = [s.text(LEFT, top, say[name].format(finish), "tw-strong")]
    for p in range(PROCESSORS):
        y = top + 8 + LANE * p
        out.append(s.rect(LEFT, y, UNIT * most, LANE - 4, "tw-slot"))
    for i, p, start, end in found:
        y, x, wide = top + 8 + LANE * p, LEFT + UNIT * start, UNIT * (end - start)
        out.append(s.rect(x, y, wide, LANE - 4, "tw-q"))
        out.append(s.middle(x + wide / 2, y + 16, f"$Q_{i + 1}$", "tw-tq"))
    return out


def draw(lang):
    """The figure in English or Chinese."""
    say, parts, facts = SAY[lang], [], {}
    for n, (name, found) in enumerate(orders().items()):
        parts += panel(name, found, say, TOP - 6 + PANEL * n)
        facts[name] = max(end for *_, end in found)
        work = sum(end - start for *_, start, end in found)
        facts[f"idle_{name}"] = PROCESSORS * facts[name] - work
    return s.svg(400, TOP + 2 * PANEL - 34, say["label"].format(**facts), *parts)
