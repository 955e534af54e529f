"""Bytes asked for, reached L2 and reached DRAM, as bars, and what was predicted."""

from draw.figures import _svg as s
from draw.tables._counters import shown

LEFT, TOP, PER_GB, BAR, KERNEL = 4, 72, 24, 15, 74  # units: a GB, a bar, a kernel
SAY = {
    "en": {
        "label": "Three bars for each of six kernels, B = 64, H = 16, N = 1024, d = 64:"
        " the bytes that it asks for, those that reach L2, those that reach DRAM."
        " {rows}.",
        "row": "{name}: {asked}, {l2}, {dram} GB", "asked": "asked for",
        "l2": "reached L2", "dram": "reached DRAM", "predicted": "predicted for DRAM",
        "standard": "standard attention", "kv-outer": "$K, V$ outer",
        "q-outer": "$Q$ outer", "comma": ", ", "join": "; ",
    },
    "zh": {
        "label": "六个内核，B = 64，H = 16，N = 1024，d = 64，每个画三条："
        "请求多少字节，到达 L2 多少，到达 DRAM 多少。{rows}。",
        "row": "{name}：{asked}、{l2}、{dram} GB", "asked": "请求",
        "l2": "到达 L2", "dram": "到达 DRAM", "predicted": "DRAM 的预测值",
        "standard": "标准注意力", "kv-outer": "$K$、$V$ 在外层",
        "q-outer": "$Q$ 在外层", "comma": "，", "join": "；",
    },
}
BARS = {"asked": "", "l2": "tw-sram", "dram": "tw-hbm"}


def bar(x, y, wide, cls):
    """A bar with an outline that is seen on both grounds."""
    if not cls:
        return s.rect(x, y, wide, BAR - 1, "tw-faint", 'stroke-dasharray="3 3"')
    return s.rect(x, y, wide, BAR - 1, cls) + s.rect(x, y, wide, BAR - 1, "tw-faint")


def mark(x, y, end=None):
    """What is predicted: a tick across the bar, or a range with a tick at each end."""
    d = f"M{x:.1f} {y - 3}v{BAR + 5}"
    if end is not None and round(end - x) > 0:
        d += f"M{end:.1f} {y - 3}v{BAR + 5}M{x:.1f} {y + BAR / 2 - 0.5:g}H{end:.1f}"
    return s.path(d, "tw-way")


def legend(say):
    """What the three bars and the mark are."""
    out, places = [], [(LEFT, 8), (LEFT, 30), (LEFT + 170, 8), (LEFT + 170, 30)]
    for (x, y), name in zip(places, [*BARS, "predicted"], strict=True):
        known = name in BARS
        out.append(bar(x, y, 22, BARS[name]) if known else mark(x, y, x + 22))
        out.append(s.text(x + 29, y + 11, say[name]))
    return out


def kernel(n, say, name, sizes):
    """The name of kernel n, its bars with their numbers, the mark."""
    y = TOP + KERNEL * n
    out = [s.text(LEFT, y, name, "tw-strong")]
    for k, cls in enumerate(BARS.values()):
        wide, top = PER_GB * sizes[k], y + 6 + (BAR + 1) * k
        out.append(bar(LEFT, top, round(wide, 1), cls))
        right = max(wide, PER_GB * sizes[4] if k == 2 else 0)  # past the mark too
        place = round(LEFT + right + 6, 1), top + 12
        out.append(s.text(*place, f"{sizes[k]:.2f}", "tw-small"))
    ends = (LEFT + PER_GB * size for size in sizes[3:])
    least, most = ends
    return [*out, mark(least, y + 6 + 2 * (BAR + 1), most)]


def draw(lang):
    """The figure in English or Chinese."""
    say, parts, rows = SAY[lang], [], []
    for n, (what, block_rows, block_cols, *sizes) in enumerate(shown()):
        tiles = f"{say['comma']}{block_rows} × {block_cols}" if block_rows else ""
        name = say[what] + tiles
        parts += kernel(n, say, name, sizes)
        asked, l2, dram = (f"{size:.2f}" for size in sizes[:3])
        name = name.replace("$", "")
        rows.append(say["row"].format(name=name, asked=asked, l2=l2, dram=dram))
    label = say["label"].format(rows=say["join"].join(rows))
    height = TOP + KERNEL * (n + 1) - 12
    return s.svg(400, height, label, *legend(say), *parts)
