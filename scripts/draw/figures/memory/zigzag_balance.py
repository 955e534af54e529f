"""Causal work over four ranks: in order and in zig-zag, and the time that it takes."""

from draw.figures import _svg as s

WORLD = 4
CHUNKS = 2 * WORLD
CELL, TOP, LEFT, PANEL, UNIT, LANE = 18, 30, 58, 212, 10, 22
ORDERS = {  # the chunks of each rank
    "contiguous": [(2 * r, 2 * r + 1) for r in range(WORLD)],
    "zigzag": [(r, CHUNKS - 1 - r) for r in range(WORLD)],
}
NAME = "tw-small tw-muted", "end"
LOOKS = (0, "s"), (0.24, "s"), (0.48, "s"), (0.85, "paper")  # how full, the outline
STYLE = "<style>" + "".join(
    f".zb-{rank}{{fill:var(--tw-s);fill-opacity:{full};stroke:var(--tw-{edge})}}"
    for rank, (full, edge) in enumerate(LOOKS)
) + ".zb-on.zb-on{fill:var(--tw-paper)}</style>"  # twice: wins over the page's text
SAY = {
    "en": {
        "label": "The causal triangle of 8 chunks on 4 ranks. {orders}.",
        "contiguous": "in order: time {}", "zigzag": "zig-zag: time {}",
        "chunk": "chunk {}", "rank": "rank {}",
        "order": "{name}: the ranks compute {work} tiles, and all is done after {time}",
        "names": {"contiguous": "In order", "zigzag": "In zig-zag"},
        "sep": "; ", "list": ", ",
    },
    "zh": {
        "label": "8 段的因果三角形分给 4 个 rank。{orders}。",
        "contiguous": "按顺序：用时 {} 块", "zigzag": "之字形：用时 {} 块",
        "chunk": "第 {} 段", "rank": "rank {}",
        "order": "{name}：各 rank 依次算 {work} 块，全部算完要 {time} 块的时间",
        "names": {"contiguous": "按顺序", "zigzag": "之字形"},
        "sep": "；", "list": "、",
    },
}


def area(rows, keys):
    """Tiles that chunks of rows compute with chunks of keys; half of a diagonal one."""
    return sum(0.5 if r == c else 1 for r in rows for c in keys if c <= r)


def steps(order):
    """{(rank, step): tiles} as the keys come round."""
    shares = ORDERS[order]
    return {
        (r, t): area(shares[r], shares[(r - t) % WORLD])
        for r in range(WORLD)
        for t in range(WORLD)
    }


def starts(order):
    """When each step begins, and at last when all is done: the slowest rank decides."""
    found, at = steps(order), [0]
    for t in range(WORLD):
        at.append(at[-1] + max(found[r, t] for r in range(WORLD)))
    return at


def triangle(x, order, say):
    """The chunks of S below the diagonal, each with the rank that computes it."""
    owner = {c: rank for rank, chunks in enumerate(ORDERS[order]) for c in chunks}
    made, ranks = [], []
    for row in range(CHUNKS):
        y, rank = TOP + CELL * row, owner[row]
        made.append(s.text(x - 6, y + 14, say["chunk"].format(row), *NAME))
        cells = f"h{CELL}v{CELL}h-{CELL}zm{CELL} 0" * row  # and half of the last one
        made.append(s.path(f"M{x} {y}{cells}v{CELL}h{CELL}z", f"zb-{rank}"))
        lefts = [x + CELL * col + CELL // 2 for col in range(row)]
        cls = "zb-on" if rank == WORLD - 1 else ""  # letters on the fullest
        ranks += [s.text(left, y + 14, str(rank), cls) for left in lefts]
    return [*made, s.group(*ranks, cls="tw-cells")]


def lanes(x, order, say):
    """What each rank does when: one lane a rank, one bar a step, dashed where idle."""
    found, at, made = steps(order), starts(order), []
    top = TOP + CELL * CHUNKS + 18
    for rank in range(WORLD):
        y = top + LANE * rank
        made.append(s.text(x - 6, y + 14, say["rank"].format(rank), *NAME))
        made.append(s.rect(x, y, UNIT * at[-1], LANE - 4, "tw-slot"))
        for t in range(WORLD):
            if work := found[rank, t]:
                made.append(
                    s.rect(x + UNIT * at[t], y, UNIT * work, LANE - 4, f"zb-{rank}")
                )
    return made


def draw(lang):
    """The figure in English or Chinese."""
    say, parts, said = SAY[lang], [STYLE], []
    for n, order in enumerate(ORDERS):
        x, time = LEFT + PANEL * n, starts(order)[-1]
        title = say[order].format(f"{time:g}")
        parts.append(s.text(x, 18, title, "tw-strong"))
        parts += triangle(x, order, say) + lanes(x, order, say)
        sums = [sum(steps(order)[r, t] for t in range(WORLD)) for r in range(WORLD)]
        work = say["list"].join(f"{x:g}" for x in sums)
        name = say["names"][order]
        said.append(say["order"].format(name=name, work=work, time=f"{time:g}"))
    label = say["label"].format(orders=say["sep"].join(said))
    high = TOP + CELL * CHUNKS + 18 + LANE * WORLD
    return s.svg(LEFT + PANEL + CELL * CHUNKS + 6, high, label, *parts)
