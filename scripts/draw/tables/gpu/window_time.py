"""Milliseconds of causal windows on an H200: our two pairs, FlexAttention, FA4."""

import json

from draw.figures import _bench as bench

NAMES = {"ours": "Gluon", "triton": "Triton", "flex": "Flex", "fa4": "FA4"}
SHOWN = 128, 256, 1024, 4096  # keys
SAY = {
    "en": {
        "head": ("pass", "$d$", "keys"),
        "forward": "forward",
        "backward": "backward",
    },
    "zh": {"head": ("方向", "$d$", "键"), "forward": "前向", "backward": "反向"},
}


def times():
    """{(kernel, pass, d, keys of the window): ms} of causal walks of 16384 tokens."""
    file = json.loads(bench.newest("window-peers").read_text("utf-8"))
    return {(x["name"], x["pass"], x["d"], x["window"]): x["ms"] for x in file["rows"]}


def draw(lang):
    """A Markdown table; the fastest of a line is bold."""
    say, ms = SAY[lang], times()
    lines = [
        f"| {' | '.join((*say['head'], *NAMES.values()))} |",
        "|:--|--:|--:|" + len(NAMES) * "--:|",
    ]
    for way in ("forward", "backward"):
        for d in (64, 128):
            for window in SHOWN:
                line = [ms.get((name, way, d, window)) for name in NAMES]
                least = min(x for x in line if x)
                text = {x: f"{x:.{2 if x >= 1 else 3}f}" for x in line if x}
                text |= {None: "–", least: f"**{text[least]}**"}
                cells = [text[x] for x in line]
                first = say[way], f"{d}", f"{window}", *cells
                lines.append(f"| {' | '.join(first)} |")
    return "\n".join(lines)
