"""The one sentence of the door: how much less FlashAttention moves, keeps, waits."""

from tables._savings import memory, rows, traffic

TEXT = {
    "en": "On an H200: **1/{t:.0f}** of the memory traffic, **1/{m:.0f}** of the "
    "memory, **{s:.1f} times** the speed. [Measured](#saves).",
    "zh": "在 H200 上：HBM 访问量降到 **1/{t:.0f}**，显存占用降到 **1/{m:.0f}**，速度是"
    "原来的 **{s:.1f} 倍**，均为[实测](#saves)。",
}


def draw(lang):
    """One line of Markdown with the three ratios."""
    a, b = rows("standard", "flash")
    t, m, s = traffic(a) / traffic(b), memory(a) / memory(b), a["ms"] / b["ms"]
    return TEXT[lang].format(t=t, m=m, s=s)
