"""The forward rungs on an H200 as bars, with cuDNN and FlashAttention-4 as lines."""

from draw.figures import _methods as methods
from draw.figures import _svg as s
from draw.figures._bench import bench
from draw.figures._plot import line
from draw.tables._rungs import NAMES

CELL = {"pass": "forward", "n": 4096, "d": 128}
PEERS = {"cudnn": "cuDNN", "fa4": "FlashAttention-4"}
LEFT, WIDE, LANE, TOP = 100, 286, 25, 42
SAY = {
    "en": {
        "label": "TFLOP/s of the forward rungs on one H200, d = 128, N = 4096,"
        " {mask}. {rows}.", "row": "{name}: {speed:.0f}", "join": "; ",
        "full": "no mask", "causal": "causal", "unit": "TFLOP/s",
    },
    "zh": {
        "label": "前向各级在一张 H200 上的 TFLOP/s，d = 128，N = 4096，{mask}。"
        "{rows}。",
        "row": "{name}：{speed:.0f}", "join": "；",
        "full": "无掩码", "causal": "因果", "unit": "TFLOP/s",
    },
}


def speeds(causal):
    """{kernel: TFLOP/s} in CELL, of those that were timed."""
    cell = CELL | {"causal": causal}
    return {
        row["kernel"]: row["tflops"]
        for row in bench()["rows"]
        if "tflops" in row and all(row[key] == cell[key] for key in cell)
    }


def scale():
    """Units a TFLOP/s: the fastest of all ends at the right edge."""
    shown = [*NAMES["en"], *PEERS]
    found = [speeds(causal) for causal in (False, True)]
    return WIDE / max(x[name] for x in found for name in shown if name in x)


def rule(x, y, high, peer):
    """A vertical line for a peer."""
    return line(methods.mark(peer), (x, y), (x, y + high), dashes=methods.dashes(peer))


def panel(causal, say, names):
    """One bar a rung, with its number; the peers' lines, with their names on top."""
    found, unit, top = speeds(causal), scale(), TOP
    rungs = [name for name in names if name in found]
    out = [s.text(2, 14, say["causal" if causal else "full"], "tw-strong")]
    out.append(s.text(2, top - 9, say["unit"], "tw-small tw-muted"))
    for n, peer in enumerate(peer for peer in PEERS if peer in found):
        x, y = round(LEFT + unit * found[peer], 1), top - 9 - 19 * n
        out.append(rule(x, y + 4, top + LANE * len(rungs) - y, peer))
        words = f"{PEERS[peer]} {found[peer]:.0f}"
        out.append(s.text(x + 12, y, words, "tw-small", "end"))  # number on the line
    for n, rung in enumerate(rungs):
        y, wide = top + LANE * n, unit * found[rung]
        css = methods.mark(rung)
        out.append(s.text(LEFT - 8, y + 15, names[rung], "", "end"))
        out.append(s.rect(LEFT, y, round(wide, 1), LANE - 5, css))
        inside = wide > 60
        x = LEFT + 6 + (0 if inside else wide)  # at the right end, peers' lines cross
        out.append(s.text(round(x, 1), y + 14, f"{found[rung]:.0f}", "tw-small"))
    return out


def drawing(causal, lang):
    """The rungs with a mask or without."""
    say, names, found = SAY[lang], NAMES[lang], speeds(causal)
    mask, known = say["causal" if causal else "full"], names | PEERS
    rows = [
        say["row"].format(name=text, speed=found[name])
        for name, text in known.items()
        if name in found
    ]
    label = say["label"].format(mask=mask, rows=say["join"].join(rows))
    high = TOP + LANE * len([name for name in names if name in found])
    return s.svg(400, high + 6, label, *panel(causal, say, names))


def draw(lang):
    """The figure in English or Chinese."""
    return s.pair(drawing(False, lang), drawing(True, lang))
