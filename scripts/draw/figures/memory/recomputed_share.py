"""FLOPs computed twice as a share of a step without a policy, against N."""

from draw.figures import _svg as s
from draw.figures._plot import line, scale

from tilewise.ledger.activations import step

E = 2048
SIZES = [2**k for k in range(9, 21)]
LEFT, RIGHT, TOP, BOTTOM, MOST = 44, 388, 34, 264, 30
X = scale(SIZES[0], SIZES[-1], LEFT, RIGHT)
LINES = {"block": "tw-way", "o": "tw-o", "mlp": "tw-faint"}
PLACE = {"block": (SIZES[2], 8, -18), "o": (SIZES[4], 8, 2), "mlp": (SIZES[2], 8, -9)}
SAY = {
    "en": {
        "label": "FLOPs computed twice, in percent of a step's, against N from 512 to"
        " 1M, logarithmic, E = {e}. {rows}.",
        "row": "{name}, {first}% at 512 and {last}% at 1M", "join": "; ",
        "block": "block: all", "o": "o: all but attention", "mlp": "mlp: MLP",
        "y": "% of a step's FLOPs",
        "x": "$N$, with $E$ = {e}", "even": "$N = E$",
    },
    "zh": {
        "label": "重计算的 FLOP 占一步的百分之几，N 从 512 到 1M，对数刻度，"
        "E = {e}。{rows}。",
        "row": "{name}，512 时 {first}%，1M 时 {last}%", "join": "；",
        "block": "block：全部", "o": "o：注意力除外", "mlp": "mlp：MLP",
        "y": "占一步 FLOP 的百分比",
        "x": "$N$，$E$ = {e}", "even": "$N = E$",
    },
}


def share(n, policy):
    """Percent of the FLOPs of a step without a policy."""
    ways = step(n, E, policy=policy)
    return 100 * ways["again"] / (ways["forward"] + ways["backward"])


def place(percent):
    """Height on the page."""
    return BOTTOM - (BOTTOM - TOP) * percent / MOST


def axes(say):
    """Ticks, numbers, titles and the line N = E."""
    out = []
    for percent in range(0, MOST + 1, 10):
        out.append(line("tw-rule", (LEFT, place(percent)), (RIGHT, place(percent))))
        out.append(
            s.text(LEFT - 6, place(percent) + 4, f"{percent}", "tw-small", "end")
        )
    for n in SIZES[1::2]:
        name = f"{n // 1024}k" if n < 2**20 else "1M"
        out.append(line("tw-line", (X(n), BOTTOM), (X(n), BOTTOM + 4)))
        out.append(s.middle(round(X(n)), BOTTOM + 18, name, "tw-small"))
    out.append(line("tw-line", (LEFT, TOP - 6), (LEFT, BOTTOM), (RIGHT, BOTTOM)))
    out.append(line("tw-rule", (X(E), TOP), (X(E), BOTTOM), dashes="3 3"))
    out.append(s.text(round(X(E)) + 6, BOTTOM - 8, say["even"], "tw-small tw-muted"))
    out.append(s.text(RIGHT, BOTTOM + 38, say["x"].format(e=E), "tw-small", "end"))
    return [*out, s.text(0, 14, say["y"], "tw-small")]


def draw(lang):
    """The figure in English or Chinese."""
    say, told = SAY[lang], []
    parts = axes(say)
    for policy, cls in LINES.items():
        points = [(X(n), place(share(n, policy))) for n in SIZES]
        parts.append(line(f"{cls} tw-open tw-thick", *points))
        colour = {"mlp": "tw-muted", "o": "tw-to"}.get(policy, "tw-strong")
        at, right, down = PLACE[policy]
        y = round(place(share(at, policy))) + down
        x = round(X(at)) + right
        parts.append(s.text(x, y, say[policy], f"tw-small {colour}"))
        ends = [f"{share(n, policy):.1f}" for n in (SIZES[0], SIZES[-1])]
        name = say[policy]
        told.append(say["row"].format(name=name, first=ends[0], last=ends[1]))
    label = say["label"].format(e=E, rows=say["join"].join(told))
    return s.svg(400, BOTTOM + 46, label, *parts)
