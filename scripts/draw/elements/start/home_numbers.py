"""The three large numbers of the front page, each with two bars to scale."""

from draw.figures._methods import colour
from draw.tables._savings import memory, rows, traffic

SAY = {
    "en": {
        "traffic": ("1/{:.0f}", "of the bytes to and from memory", "{:.2f}\u00a0GB"),
        "memory": ("1/{:.0f}", "of the memory on top of the inputs", "{:.2f}\u00a0GB"),
        "time": ("{:.1f} ×", "as fast", "{:.2f}\u00a0ms"),
        "names": ("standard", "FlashAttention"),
    },
    "zh": {
        "traffic": ("1/{:.0f}", "显存访问量", "{:.2f}\u00a0GB"),
        "memory": ("1/{:.0f}", "输入之外的显存", "{:.2f}\u00a0GB"),
        "time": ("{:.1f} 倍", "速度", "{:.2f}\u00a0ms"),
        "names": ("标准注意力", "FlashAttention"),
    },
}


def bar(name, value, share, cls):
    """One line: whose, a bar as long as its share of the larger, how much."""
    length = f"{max(100 * share, 0.5):.1f}%"
    return (
        f'<span class="tw-amount"><span>{name}</span>'
        f'<span class="tw-track"><i class="{cls}" style="width:{length}"></i></span>'
        f"<span>{value}</span></span>"
    )


def draw(lang):
    """A list of definitions: the ratio, then standard attention's bar and flash's."""
    say, measured = SAY[lang], rows("standard", "flash")
    classes = colour("standard"), colour("flash")
    kinds = {"traffic": traffic, "memory": memory, "time": lambda row: row["ms"]}
    out = ['<dl class="tw-big tw-drawn" data-search-exclude>']
    for key, of in kinds.items():
        large, rest, unit = say[key]
        values = [of(row) for row in measured]
        bars = [
            bar(name, unit.format(x), x / values[0], c)
            for name, x, c in zip(say["names"], values, classes, strict=True)
        ]
        ratio = large.format(values[0] / values[1])
        out.append(f"<div><dt><b>{ratio}</b> {rest}</dt><dd>{''.join(bars)}</dd></div>")
    return "\n".join([*out, "</dl>"])
