"""The rungs of a pass: mean speed at each d, and what each rung gained."""

from draw.figures._bench import LONG, bench, mean, peers, table
from draw.tables._rungs import NAMES

from tilewise.bench.cells import DIMS

SAY = {
    "en": {"rung": "rung { .tw-above }", "gain": "gain", "share": "of cuDNN"},
    "zh": {"rung": "级 { .tw-above }", "gain": "提升", "share": "与 cuDNN 之比"},
}


def cells(way, kernel, before):
    """The numbers of a row; before is the rung below, None for the first and peers."""
    out = []
    for d in DIMS:
        speed, below = mean(way, kernel, d), before and mean(way, before, d)
        out.append(f"{speed:.0f}")
        out.append(f"{speed / below:.2f}" if below else "–")
    return [*out, f"{mean(way, kernel) / mean(way, 'cudnn'):.2f}"]


def draw(way, lang):
    """A Markdown table: geometric means in TFLOP/s over N and both masks."""
    say = SAY[lang]
    head = [say["rung"], "$d$ = 64", say["gain"], "$d$ = 128", say["gain"]]
    rows, before = [], None
    for kernel in bench()["names"][way]["rungs"]:
        if mean(way, kernel):
            name = NAMES[lang].get(kernel, f"`{kernel}`")
            rows.append([name, *cells(way, kernel, before)])
            before = kernel
    for kernel in peers(way):
        if mean(way, kernel) and kernel in LONG:
            rows.append([f"*{LONG[kernel]}*", *cells(way, kernel, None)])
    return table([*head, say["share"]], rows)
