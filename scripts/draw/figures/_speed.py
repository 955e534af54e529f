"""TFLOP/s against N in four panels, d = 64 and 128, without and with a causal mask."""

from functools import cache

from draw.figures import _methods as methods
from draw.figures import _svg as s
from draw.figures._bench import PLAIN, SHORT, TOP, speeds
from draw.figures._plot import dot, line, scale

from tilewise.bench.cells import DIMS, SIZES

WIDE, HIGH, LEFT, TOP_EDGE, GAP = 150, 160, 34, 44, 54
MOST, STEP = 750, 100  # TFLOP/s at the top of a panel; its foot is so many steps
PEERS = {"backward": ("fa4", "cudnn", "flex", "flash")}
PEERS["forward"] = ("fa3", *PEERS["backward"])
SAY = {
    "en": {
        "label": "{way} pass on an H200, TFLOP/s against N from 1k to 16k, in four"
        " panels. {panels}.",
        "panel": "d = {d}{causal}: at 16k ours {ours}, FlashAttention-4 {fa4}, cuDNN"
        " {cudnn}, the best plain Triton {plain}, FlexAttention {flex},"
        " FlashAttention-2 {flash}",
        "fa3": ", FlashAttention-3 {fa3}",
        "forward": "Forward", "backward": "Backward", "causal": ", causal",
        "ours": "ours", "plain": "plain Triton", "join": "; ",
    },
    "zh": {
        "label": "H200 上的{way}传播，TFLOP/s 随 N 从 1k 到 16k 的变化，共四幅。"
        "{panels}。",
        "panel": "d = {d}{causal}：16k 时本书 {ours}，FlashAttention-4 {fa4}，cuDNN"
        " {cudnn}，最好的纯 Triton {plain}，FlexAttention {flex}，"
        "FlashAttention-2 {flash}",
        "fa3": "，FlashAttention-3 {fa3}",
        "forward": "前向", "backward": "反向", "causal": "，因果",
        "ours": "本书", "plain": "纯 Triton", "join": "；",
    },
}


def kernels(way):
    """The kernels of a pass, what is drawn above the others last."""
    return [*PEERS[way], PLAIN[way], TOP[way]]


@cache
def least():
    """TFLOP/s at the foot of the panels of both passes: a step below the slowest."""
    each = [(way, name, d) for way in PEERS for name in kernels(way) for d in DIMS]
    return STEP * int(min(min(speeds(*one).values()) for one in each) // STEP)


def drawn(kernel, *points):
    """A kernel's line through points."""
    cls = f"{methods.mark(kernel)} tw-open"
    return line(cls, *points, dashes=methods.dashes(kernel))


def places(left, top):
    """Functions from N and from TFLOP/s to a panel's x and y."""
    x = scale(SIZES[0], SIZES[-1], left, left + WIDE)
    foot = least()
    return x, lambda speed: top + HIGH * (MOST - speed) / (MOST - foot)


def frame(left, top, title, numbers):
    """The axes of a panel, with the numbers of the vertical one if wanted."""
    x, y = places(left, top)
    out = [s.text(left, top - 8, title)]
    for speed in range(least(), MOST + 1, STEP):
        out.append(line("tw-rule", (left, y(speed)), (left + WIDE, y(speed))))
        if numbers:
            at = round(y(speed) + 4, 1)
            out.append(s.text(left - 5, at, f"{speed}", "tw-small", "end"))
    for n in SIZES[::2]:
        out.append(s.middle(round(x(n)), top + HIGH + 17, f"{n // 1024}k", "tw-small"))
    return out


def panel(left, top, way, d, causal):
    """The lines of a panel."""
    x, y = places(left, top)
    out = []
    for kernel in kernels(way):
        found = speeds(way, kernel, d)
        points = [
            (x(n), y(found[n, d, causal])) for n in SIZES if (n, d, causal) in found
        ]
        if len(points) > 1:
            out.append(drawn(kernel, *points))
        if kernel in (TOP[way], PLAIN[way]):
            out += [dot(*point, methods.mark(kernel), 2.5) for point in points]
    return out


def legend(way, say, top):
    """What each line is, three in a row."""
    names = {TOP[way]: say["ours"], PLAIN[way]: say["plain"]} | {
        kernel: SHORT[kernel] for kernel in PEERS[way]
    }
    order = [TOP[way], "fa4", "cudnn", PLAIN[way], "flex", "flash"]
    order += [x for x in PEERS[way] if x not in order]
    out = []
    for k, kernel in enumerate(order):
        x, y = LEFT + 122 * (k % 3), top + 22 * (k // 3)
        out.append(drawn(kernel, (x, y - 4), (x + 26, y - 4)))
        out.append(s.text(x + 32, y, names[kernel], "tw-small"))
    return out


def told(way, say):
    """The four panels in words, at the longest N."""
    out = []
    for d in DIMS:
        for causal in (False, True):
            cell = SIZES[-1], d, causal
            found = {name: speeds(way, name, d).get(cell) for name in kernels(way)}
            facts = {k: "–" if x is None else f"{x:.0f}" for k, x in found.items()}
            facts |= {"ours": facts[TOP[way]], "plain": facts[PLAIN[way]]}
            facts |= {"d": d, "causal": say["causal"] if causal else ""}
            told = say["panel"].format(**facts)
            if "fa3" in found:
                told += say["fa3"].format(**facts)
            out.append(told)
    return say["join"].join(out)


def draw(way, lang):
    """The figure of one pass in English or Chinese."""
    say, parts = SAY[lang], []
    for row, d in enumerate(DIMS):
        for column, causal in enumerate((False, True)):
            left, top = LEFT + column * (WIDE + 40), TOP_EDGE + row * (HIGH + GAP)
            title = f"$d$ = {d}{say['causal'] if causal else ''}"
            parts += frame(left, top, title, column == 0)
            parts += panel(left, top, way, d, causal)
    parts.append(s.text(0, 14, "TFLOP/s", "tw-small"))
    bottom = TOP_EDGE + 2 * (HIGH + GAP) - 8
    parts += legend(way, say, bottom)
    label = say["label"].format(way=say[way], panels=told(way, say))
    rows = -(-len(kernels(way)) // 3)
    return s.svg(400, bottom + 22 * rows - 12, label, *parts)
