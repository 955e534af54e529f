"""The chain of one tile in the first three rungs: what waits for copies, to scale."""

from draw.figures import _svg as s
from draw.figures._plot import clock
from draw.figures._schedule import run
from draw.tables.why.one_clock import rows as one_clock

SIDE, D, WORD, FLOAT = 128, 128, 2, 4  # a tile is SIDE × SIDE scores; bytes
TILES = 3  # of the third panel
LEFT, TOP, LANE, PANEL, WIDE = 66, 22, 24, 104, 332
LANES = ("copy", "tensor", "exp")
SAY = {
    "en": {
        "label": "Time tables of a tile of 128 × 128 scores. Naive: {naive} cycles,"
        " most of them for S and P on their way to HBM and back. FA1 order: {fa1}"
        " cycles, most for Q and O. FA2 order: {tiles} tiles in {fa2} cycles, since the"
        " next K and V are copied meanwhile.",
        "naive": "naive: $S$ and $P$\u2002through HBM",
        "fa1": "FA1 order: $Q$ and $O$ through HBM",
        "fa2": "FA2 order: $K$ and $V$\u2002through L2, one tile ahead",
        "copy": "copies", "tensor": "products", "exp": "exp", "axis": "cycles",
        "out": "{} out", "in": "{} in", "and": ", ",
    },
    "zh": {
        "label": "一块 128 × 128 个分数的时间表。朴素：{naive} 个周期，大多花在"
        " S 和 P 往返 HBM 上。FA1 次序：{fa1} 个周期，大多花在 Q 和 O 上。"
        "FA2 次序：{tiles} 块共 {fa2} 个周期，"
        "因为同时在拷贝下一块的 K 和 V。",
        "naive": "朴素：$S$、$P$\u2002经过 HBM",
        "fa1": "FA1 次序：$Q$、$O$ 经过 HBM",
        "fa2": "FA2 次序：$K$、$V$\u2002经过 L2，提前一块",
        "copy": "拷贝", "tensor": "矩阵乘法", "exp": "指数", "axis": "周期",
        "out": "{} 出", "in": "{} 进", "and": ", ",
    },
}
COLOUR = {"S": "s", "P": "s", "O": "o", "Q": "q", "K": "k"}


def rates():
    """What an SM gets in a clock cycle: FLOP, exponentials, bytes of L2 and HBM."""
    found = {name: amount for name, _, amount, _ in one_clock()}
    return {key: found[key] for key in ("bf16", "exp", "l2", "hbm")}


def times():
    """Cycles of one tile: a product, the exponentials, copies."""
    per = rates()
    tile = SIDE * D  # numbers of Q, K, V or O
    o = tile * FLOAT + SIDE * 2 * FLOAT  # O in fp32, with ℓ and m
    return {
        "product": 2 * SIDE * SIDE * D / per["bf16"],
        "exp": SIDE * SIDE / per["exp"],
        "s": SIDE * SIDE * WORD / per["hbm"],
        "qo": (tile * WORD + o) / per["hbm"],
        "o": o / per["hbm"],
        "kv": 2 * tile * WORD / per["l2"],
    }


def chains():
    """{panel: {thread: steps}} for _schedule.run; a step is (lane, name, n)."""
    t = times()

    def step(lane, name, time, n=0, after=()):
        return (lane, name, n), lane, t[time], after

    naive = [
        step("tensor", "S", "product"), step("copy", "S out", "s"),
        step("copy", "S in", "s"), step("exp", "P", "exp"), step("copy", "P out", "s"),
        step("copy", "P in", "s"), step("tensor", "O", "product"),
    ]
    fa1 = [
        step("copy", "Q, O in", "qo"), step("tensor", "S", "product"),
        step("exp", "P", "exp"), step("tensor", "O", "product"),
        step("copy", "O out", "o"),
    ]
    ahead, fa2 = [], []
    for n in range(TILES):
        freed = [("tensor", "O", n - 2)] if n > 1 else []  # two buffers each
        ahead.append(step("copy", "K, V in", "kv", n, freed))
        fa2.append(step("tensor", "S", "product", n, [("copy", "K, V in", n)]))
        fa2 += [step("exp", "P", "exp", n), step("tensor", "O", "product", n)]
    return {
        "naive": {"program": naive},
        "fa1": {"program": fa1},
        "fa2": {"program": fa2, "engine": ahead},
    }


def schedules():
    """{panel: {(lane, name, n): (start, end)}}; each thread waits for its own steps."""
    return {name: run(threads, own=()) for name, threads in chains().items()}


def title(name, say):
    """S out, Q and O in, as a reader of the language writes it."""
    names, _, way = name.rpartition(" ")
    if not names:
        return f"${name}$"
    return say[way].format(say["and"].join(f"${x}$" for x in names.split(", ")))


def bar(x, y, wide, what, say):
    """A step, with its name where there is room."""
    out = [s.rect(round(x, 1), y, round(wide, 1), LANE - 3, f"tw-{COLOUR[what[0]]}")]
    name = title(what, say)
    return [*out, s.middle(round(x + wide / 2, 1), y + 15, name, "tw-small")]


def panel(name, found, say, top, scale):
    """One rung's lanes and bars."""
    out = [s.text(2, top, say[name], "tw-strong")]
    for n, lane in enumerate(LANES):
        y = top + 8 + LANE * n
        out.append(s.text(LEFT - 5, y + 15, say[lane], "tw-small", "end"))
        out.append(s.rect(LEFT, y, WIDE, LANE - 3, "tw-slot"))
        for (where, what, _), (start, end) in found.items():
            if where == lane:
                x, wide = LEFT + scale * start, scale * (end - start)
                out += bar(x, y, wide, what, say)
    return out


def draw(lang):
    """The figure in English or Chinese."""
    say, found, parts = SAY[lang], schedules(), []
    ends = {name: max(end for _, end in x.values()) for name, x in found.items()}
    longest = max(ends.values())
    for n, name in enumerate(found):
        top = TOP + PANEL * n - 6
        parts += panel(name, found[name], say, top, WIDE / longest)
    bottom = TOP + PANEL * len(found) - 18
    parts += clock(LEFT, WIDE, bottom, longest, 5000, say["axis"])
    ends = {name: s.count(round(end)) for name, end in ends.items()}
    label = say["label"].format(tiles=TILES, **ends)
    return s.svg(400, bottom + 24, label, *parts)
