"""The one sentence of the door: how much less FlashAttention moves, keeps, waits."""

from draw.tables._savings import memory, rows, traffic

TEXT = {
    "en": "Against standard attention on an H200: **1/{t:.0f}** of the memory traffic, "
    "**1/{m:.0f}** of the extra memory, **{s:.1f} times** the speed ({f:.1f} times "
    "where scaling and softmax were fused already). [Measured](#saves).",
    "zh": "在 H200 上，和标准注意力比：HBM 访问量降到 **1/{t:.0f}**，输入之外的显存"
    "降到 **1/{m:.0f}**，速度是它的 **{s:.1f} 倍**"
    "（跟缩放与 softmax 已融合的比，也有 {f:.1f} 倍）。[实测](#saves)。",
}


def draw(lang):
    """One line of Markdown: standard attention, and its fused form, against flash."""
    a, fused, b = rows("standard", "three_kernels", "flash")
    t, m, s = traffic(a) / traffic(b), memory(a) / memory(b), a["ms"] / b["ms"]
    return TEXT[lang].format(t=t, m=m, s=s, f=fused["ms"] / b["ms"])
