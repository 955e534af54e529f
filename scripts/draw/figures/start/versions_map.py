"""FlashAttention 1 to 4 as a chain: a bottleneck, the version against it, the next."""

from draw.figures import _methods as methods
from draw.figures import _svg as s

FACTS = (  # year, GPU, its architecture, method, as in the table of the page
    ("2022", "A100", "Ampere", "flash1"), ("2023", "A100", "Ampere", "flash2"),
    ("2024", "H100", "Hopper", "fa3"), ("2026", "B200", "Blackwell", "fa4"),
)
TOP, HIGH, GAP, STEP = 28, 76, 24, 16  # the first row, a row, between rows, a line
WALL, VERSION, WIDE = 86, 257, 146  # where the boxes of a row begin; how wide they are
SAY = {
    "en": {
        "label": "Four versions as a chain of bottlenecks. {rows}.",
        "row": "{year}, {gpu}: {wall}; removed by FlashAttention-{n}: {idea}",
        "sep": ". ", "join": " ", "heads": ("bottleneck", "removed by"),
        "walls": (
            ("memory traffic of", "$N × N$ matrices"),
            ("work that is not", "a matrix product;", "too few", "thread blocks"),
            ("Tensor Cores idle", "while the softmax", "is computed"),
            ("exponentials", "and shared memory"),
        ),
        "ideas": (
            ("tiles and online", "softmax, weights", "computed again"),
            ("queries in the", "outer loop, one", "division at the end"),
            ("warps take turns,", "softmax overlaps", "with products"),
            ("less work for", "exponential units,", "larger tiles"),
        ),
    },
    "zh": {
        "label": "四个版本连成一串瓶颈。{rows}。",
        "row": "{year} 年，{gpu}，瓶颈：{wall}；FlashAttention-{n} 的办法：{idea}",
        "sep": "。", "join": "", "heads": ("当时的瓶颈", "消除它的版本"),
        "walls": (
            ("$N × N$ 矩阵的", "显存读写"),
            ("矩阵乘法以外的", "运算，以及", "线程块太少"),
            ("计算 softmax 时，", "Tensor Core 闲着"),
            ("指数运算", "和共享内存"),
        ),
        "ideas": (
            ("分块，", "在线 softmax，", "反向时重计算"),
            ("查询放到", "外层循环，", "最后只除一次"),
            ("warp 轮流工作，", "softmax 与", "矩阵乘法重叠"),
            ("为计算指数函数", "的单元减负，", "分块更大"),
        ),
    },
}  # fmt: skip


def way(d, x, y, dx, dy):
    """A thin line along d, and its head at (x, y), going right or down."""
    sides = (f"M{x - 6 * dx - k * dy} {y - 6 * dy - k * dx}L{x} {y}" for k in (4, -4))
    return s.path(d + "".join(sides), "tw-way")


def box(x, y, cls, words, title=""):
    """A box with lines of text in its middle, the title before them."""
    middle, first = x + WIDE / 2, y + HIGH / 2 + 4.5
    first -= STEP * (len(words) - (not title)) / 2
    out = [s.rect(x, y, WIDE, HIGH, cls, 'rx="5"')]
    if title:
        out.append(s.middle(middle, first, title, "tw-small tw-strong"))
        first += STEP
    return out + s.lines(middle, first, STEP, words, "tw-small", "middle")


def row(n, say):
    """One version: its year and GPU, its bottleneck, its idea, the way to the next."""
    year, gpu, kind, method = FACTS[n]
    y, right = TOP + n * (HIGH + GAP), WALL + WIDE
    mid, low = y + HIGH / 2, y + HIGH
    out = [s.text(2, mid - 13, year, "tw-strong"), s.text(2, mid + 6, gpu)]
    out.append(s.text(2, mid + 23, kind, "tw-small tw-muted"))
    out += box(WALL, y, "tw-faint", say["walls"][n])
    name = f"FlashAttention-{n + 1}"
    out += box(VERSION, y, methods.mark(method), say["ideas"][n], name)
    out.append(way(f"M{right} {mid}H{VERSION - 1}", VERSION - 1, mid, 1, 0))
    if n + 1 < len(FACTS):  # what it left
        x, end = WALL + WIDE // 2, low + GAP - 1
        d = f"M{VERSION + WIDE // 2} {low + 1}v{GAP // 2 - 3}H{x}V{end}"
        out.append(way(d, x, end, 0, 1))
    return out


def told(n, say):
    """The same in a sentence."""
    wall, idea = (say["join"].join(say[x][n]) for x in ("walls", "ideas"))
    facts = {"wall": wall.replace("$", ""), "idea": idea, "n": n + 1}
    return say["row"].format(year=FACTS[n][0], gpu=FACTS[n][1], **facts)


def draw(lang):
    """The figure in English or Chinese."""
    say, parts = SAY[lang], []
    for x, head in zip((WALL, VERSION), say["heads"], strict=True):
        parts.append(s.middle(x + WIDE / 2, 16, head, "tw-small tw-muted"))
    for n in range(len(FACTS)):
        parts += row(n, say)
    rows = say["sep"].join(told(n, say) for n in range(len(FACTS)))
    high = TOP + len(FACTS) * (HIGH + GAP) - GAP + 3
    return s.svg(VERSION + WIDE + 1, high, say["label"].format(rows=rows), *parts)
