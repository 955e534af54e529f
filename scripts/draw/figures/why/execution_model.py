"""A grid of blocks, the SMs that they go to, and what is inside one of them."""

from draw.figures import _svg as s

from tilewise.hardware import GPUS
from tilewise.ledger.occupancy import SM

BLOCKS, SMS, EACH = 12, 4, 2  # in the grid, in the drawing, blocks that fit on an SM
PARTS = SM["parts"]["value"]
REGISTERS = s.count(SM["registers"]["value"] // PARTS)
TOP = 158  # of the box that shows one SM
SAY = {
    "en": {
        "label": "A grid of {b} thread blocks. Two of them are on each of {s} SMs, and"
        " the others wait. One SM is enlarged: it has {p} parts, each with a scheduler,"
        " {r} registers and a Tensor Core. The warps of blocks 0 and 4 are spread over"
        " the parts, and both blocks have a piece of the SM’s shared memory. L2 and HBM"
        " serve all SMs.",
        "grid": "The grid: {b} blocks, two of them fit on an SM",
        "wait": "blocks 8 to 11 wait until a place is free",
        "inside": "inside SM 0: a row of 32 lines is a warp",
        "scheduler": "scheduler", "registers": [REGISTERS, "registers"],
        "block": "block {n}", "shared": "shared memory",
        "hbm": "L2 and HBM, for all {n} SMs of an H200",
    },
    "zh": {
        "label": "一个网格有 {b} 个线程块，每个 SM 上放两个，图中画了 {s} 个 SM，"
        "其余的线程块在等待。其中一个 SM 放大画出：它分成 {p} 个分区，"
        "各有一个调度器、{r} 个寄存器和一个 Tensor Core。"
        "线程块 0 和 4 的 warp 分布在各个分区里，"
        "两个块各占一段共享内存。L2 和 HBM 由所有 SM 共用。",
        "grid": "网格：{b} 个线程块，每个 SM 放得下两个",
        "wait": "线程块 8 到 11 等待空位",
        "inside": "SM 0 的内部：一排 32 条短线是一个 warp",
        "scheduler": "调度器", "registers": [REGISTERS, "个寄存器"],
        "block": "线程块 {n}", "shared": "共享内存",
        "hbm": "L2 和 HBM，由 H200 的 {n} 个 SM 共用",
    },
}


def block(x, y, number, cls="tw-paper"):
    """A thread block by its number."""
    return s.rect(x, y, 29, 24, cls, 'rx="3"') + s.middle(x + 14.5, y + 17, f"{number}")


def above(say):
    """The grid, and below it the SMs with the blocks that have a place."""
    out = [s.text(2, 15, say["grid"].format(b=BLOCKS), "tw-small")]
    for n in range(BLOCKS):
        placed = n < SMS * EACH
        out.append(block(2 + 33.4 * n, 24, n, "tw-paper" if placed else "tw-slot"))
    out.append(s.text(398, 65, say["wait"], "tw-small tw-muted", "end"))
    for n in range(SMS):
        x = 1 + 101 * n
        out.append(s.rect(x, 76, 95, 54, "tw-paper", 'rx="5"'))
        out.append(s.text(x + 8, 92, f"SM {n}", "tw-small"))
        out += [block(x + 12 + 42 * k, 100, n + SMS * k) for k in range(EACH)]
    return [*out, s.path(f"M1 130V{TOP}M96 130L399 {TOP}", "tw-faint")]


def part(x, say):
    """A quarter of the SM: two warps, their registers and the Tensor Core."""
    y = TOP + 28
    out = [s.rect(x, y, 92, 128, "tw-slot")]
    out.append(s.middle(x + 46, y + 16, say["scheduler"], "tw-small"))
    for k in range(EACH):
        top = y + 26 + 16 * k
        out.append(s.text(x + 4, top + 10, f"{SMS * k}", "tw-small"))
        threads = "".join(f"M{x + 17 + 2.3 * n:g} {top}v11" for n in range(32))
        out.append(s.path(threads, "tw-line" if k == 0 else "tw-faint"))
    out.append(s.rect(x + 4, y + 60, 84, 36, "tw-reg"))
    out += s.lines(x + 46, y + 74, 16, say["registers"], "tw-small", "middle")
    out.append(s.rect(x + 4, y + 100, 84, 24, "tw-paper"))
    out.append(s.middle(x + 46, y + 117, "Tensor Core", "tw-small"))
    return out


def inside(say):
    """One SM in four parts, above the shared memory of its blocks."""
    out = [s.rect(1, TOP, 398, 200, "tw-paper", 'rx="5"')]
    out.append(s.text(9, TOP + 18, say["inside"], "tw-small"))
    for n in range(PARTS):
        out += part(8 + 97.3 * n, say)
    y = TOP + 162
    out.append(s.rect(8, y, 384, 32, "tw-sram", 'rx="3"'))
    for k in range(EACH):
        x = 12 + 100 * k
        out.append(s.rect(x, y + 4, 96, 24, "tw-paper"))
        out.append(s.middle(x + 48, y + 21, say["block"].format(n=SMS * k), "tw-small"))
    return [*out, s.middle(302, y + 21, say["shared"], "tw-small tw-muted")]


def draw(lang):
    """The figure in English or Chinese."""
    say, y = SAY[lang], TOP + 222
    sms = GPUS["H200"]["sms"]["value"]
    facts = {"b": BLOCKS, "s": SMS, "p": PARTS, "r": REGISTERS}
    out = above(say) + inside(say)
    out.append(s.arrow(200, TOP + 201, 0, 20, 3, "tw-dot", both=True))
    out.append(s.rect(1, y, 398, 30, "tw-hbm", 'rx="3"'))
    out.append(s.middle(200, y + 20, say["hbm"].format(n=sms), "tw-small"))
    return s.svg(400, y + 32, say["label"].format(**facts), *out)
