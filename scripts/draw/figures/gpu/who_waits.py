"""The Gluon kernel's threads, buffers and barriers: who waits for whom."""

from draw.figures import _svg as s
from draw.figures._timeline import arrow

SAY = {
    "en": {
        "label": "A producer warp starts copies from HBM into buffers of Q, K and V in"
        " shared memory. When a copy has landed, the buffer is full, and both"
        " consumers, four warps each, may use it. When both have released it, it is"
        " empty, and the producer may fill it again. The consumers pass a turn to and"
        " fro: whoever has it starts its two products on the Tensor Cores. O goes back"
        " to HBM through a buffer and the TMA unit.",
        "consumer": "consumer {}", "rows": "4 warps, 64 rows",
        "tensor": "Tensor Cores", "turn": "turn", "producer": "producer",
        "warp": "1 warp", "full": "full", "empty": "empty", "shared": "shared memory",
        "asks": "asks", "engine": "TMA unit", "copies": "copies tiles",
        "products": "products",
    },
    "zh": {
        "label": "生产者 warp 发起拷贝，把 Q、K、V 从 HBM 搬进共享内存的缓冲区。"
        "拷贝落地后缓冲区为满，两个消费者（各四个 warp）都可以用它；"
        "两个都释放之后缓冲区为空，生产者才能再填。两个消费者轮流取得发起权："
        "轮到谁，谁就在 Tensor Core 上发起自己的两次矩阵乘法。"
        "O 经过缓冲区由 TMA 单元写回 HBM。",
        "consumer": "消费者 {}", "rows": "4 个 warp，64 行",
        "tensor": "Tensor Core", "turn": "发起权", "producer": "生产者",
        "warp": "1 个 warp", "full": "满", "empty": "空", "shared": "共享内存",
        "asks": "请求", "engine": "TMA 单元", "copies": "拷贝各块",
        "products": "矩阵乘法",
    },
}


def way(start, end):
    """A thin arrow, horizontal or vertical."""
    (x0, y0), (x, y) = start, end
    dx, dy = (x > x0) - (x < x0), (y > y0) - (y < y0)
    back = x - 7 * dx, y - 7 * dy
    d = f"M{x0:g} {y0:g}L{x:g} {y:g}"
    for side in (4, -4):
        d += f"M{back[0] + side * dy:g} {back[1] + side * dx:g}L{x:g} {y:g}"
    return s.path(d, "tw-way")


def box(x, y, wide, high, cls, *words):
    """A box with lines of text in the middle; the first is strong."""
    top = y + high / 2 + 5 - 9 * (len(words) - 1)
    out = [s.rect(x, y, wide, high, cls, 'rx="5"')]
    for n, line in enumerate(words):
        cls = "tw-strong" if n == 0 and len(words) > 1 else "tw-small"
        out.append(s.middle(x + wide / 2, top + 19 * n, line, cls))
    return out


def consumers(say):
    """Tensor Cores on top, the consumers below them, and the turn between these."""
    out = box(100, 4, 200, 32, "tw-paper", say["tensor"])
    for n, x in enumerate((8, 252)):
        name = say["consumer"].format(n + 1)
        out += box(
            x, 78, 140, 84, "tw-reg", name, say["rows"], "$Q$, $S$, $P$, $O$, $m$, $ℓ$"
        )
        out.append(way((120 + 160 * n, 78), (120 + 160 * n, 37)))
        out.append(way((x + 38, 214), (x + 38, 163)))
        out.append(s.text(x + 31, 194, say["full"], "", "end"))
        out.append(way((x + 83, 162), (x + 83, 213)))
        out.append(s.text(x + 90, 194, say["empty"]))
    out += [way((148, 108), (252, 108)), way((252, 136), (148, 136))]
    out.append(s.middle(200, 127, say["turn"]))
    return [*out, s.middle(200, 61, say["products"], "tw-small tw-muted")]


def buffers(say):
    """Shared memory: a buffer of Q, two of K, three of V, and that of O."""
    out = [s.rect(1, 214, 398, 84, "tw-sram", 'rx="7"')]
    out.append(s.text(10, 231, say["shared"], "tw-small tw-muted"))
    for n, name in enumerate("QKKVVVO"):
        out += box(9 + 55 * n, 240, 50, 46, f"tw-{name.lower()}", f"${name}$")
    return out


def below(say):
    """The producer, the TMA unit, HBM."""
    out = box(8, 352, 140, 56, "tw-reg", say["producer"], say["warp"])
    out += box(252, 352, 140, 56, "tw-paper", say["engine"], say["copies"])
    out += [way((78, 298), (78, 351)), s.text(86, 330, say["empty"])]
    out += [way((148, 380), (252, 380)), s.middle(200, 372, say["asks"])]
    out += [way((276, 352), (276, 299)), s.text(268, 330, say["full"], "", "end")]
    inputs = [(f"tw-{name}", 1) for name in "qkv"]
    out += arrow(316, 350, -48, 6, inputs)
    out.append(s.arrow(364, 300, 0, 50, 12, "tw-o"))
    out.append(s.rect(1, 444, 398, 36, "tw-hbm", 'rx="3"'))
    out += arrow(316, 444, -34, 6, inputs)
    out.append(s.arrow(364, 410, 0, 33, 12, "tw-o"))
    return [*out, s.text(10, 467, "HBM")]


def draw(lang):
    """The figure in English or Chinese."""
    say = SAY[lang]
    parts = [*consumers(say), *buffers(say), *below(say)]
    return s.svg(400, 484, say["label"], *parts)
