"""The one sentence of the door: how much less FlashAttention moves, keeps, waits."""

from draw.tables._savings import SHAPE, memory, rows, traffic

TEXT = {
    "en": "On an H200, FlashAttention moves **1/{t:.0f}** of the bytes that standard "
    "attention moves, needs **1/{m:.0f}** of its extra memory, and is "
    "**{s:.1f} times** as fast. We [measured](#saves) this for \\(N = {n}\\) and "
    "\\(d = {d}\\).",
    "zh": "在 H200 上，和标准注意力相比，FlashAttention 的显存访问量降到"
    " **1/{t:.0f}**，输入之外占用的显存降到 **1/{m:.0f}**，速度是它的 **{s:.1f} 倍**"
    "（\\(N = {n}\\)、\\(d = {d}\\) 时的[实测结果](#saves)）。",
}


def draw(lang):
    """One line of Markdown: standard attention against flash."""
    a, b = rows("standard", "flash")
    t, m, s = traffic(a) / traffic(b), memory(a) / memory(b), a["ms"] / b["ms"]
    return TEXT[lang].format(t=t, m=m, s=s, n=SHAPE["n"], d=SHAPE["d"])
