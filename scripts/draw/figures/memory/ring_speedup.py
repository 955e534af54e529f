"""How many times as fast two GPUs are as one, against the length."""

from draw.figures import _methods as methods
from draw.figures import _svg as s
from draw.figures._plot import dot, line, linear, scale
from draw.tables.memory.ring_times import times

LEFT, RIGHT, TOP, BOTTOM = 34, 388, 50, 200
WAYS = {"ours": ("ring", "ring"), "flash": ("torch_allgather", "torch_alltoall")}
SAY = {
    "en": {
        "label": "How many times as fast two H200 are as one. {rows}.",
        "row": "{name}: {0:.2f} at {first}, {1:.2f} at {last}", "join": "; ",
        "ours": "ours", "flash": "PyTorch, step by step",
        "y": "times as fast as one GPU", "x": "$N$, tokens",
    },
    "zh": {
        "label": "两张 H200 相对一张的加速比。{rows}。",
        "row": "{name}：{first} 时 {0:.2f}，{last} 时 {1:.2f}",
        "join": "；", "ours": "本书", "flash": "PyTorch，逐步传递",
        "y": "相对一个 GPU 的加速比", "x": "$N$，token 数",
    },
}


def gains(look):
    """{N: speed of two GPUs over that of one} where both were timed."""
    ms, (alone, both) = times(), WAYS[look]
    one = {n: x for (world, way, n), x in ms.items() if (world, way) == (1, alone)}
    return {n: x / ms[2, both, n] for n, x in sorted(one.items()) if (2, both, n) in ms}


def legend(say):
    """Whose line is whose."""
    out = []
    for k, look in enumerate(WAYS):
        x, css = LEFT + 120 * k, f"{methods.mark(look)} tw-open"
        out.append(line(css, (x, 32), (x + 26, 32), dashes=methods.dashes(look)))
        out.append(s.text(x + 32, 37, say[look], "tw-small"))
    return out


def draw(lang):
    """The figure in English or Chinese."""
    say, told, found = SAY[lang], [], {look: gains(look) for look in WAYS}
    sizes = list(found["ours"])
    x = scale(sizes[0], sizes[-1], LEFT + 8, RIGHT - 12)
    y = linear(0.75, 2, BOTTOM, TOP)
    out = [*legend(say), s.text(0, 14, say["y"], "tw-small")]
    for gain in (1, 1.5, 2):
        cls = "tw-line" if gain == 1 else "tw-rule"
        out.append(line(cls, (LEFT, y(gain)), (RIGHT, y(gain))))
        out.append(s.text(LEFT - 6, round(y(gain)) + 4, f"{gain:g}", "tw-small", "end"))
    for n in sizes:
        out.append(s.middle(round(x(n)), BOTTOM + 17, f"{n // 1024}k", "tw-small"))
    out.append(s.text(RIGHT, BOTTOM + 38, say["x"], "tw-small", "end"))
    for look, values in found.items():
        css, points = methods.mark(look), [(x(n), y(g)) for n, g in values.items()]
        out.append(line(f"{css} tw-open", *points, dashes=methods.dashes(look)))
        if look == "ours":
            out += [dot(*point, css, 3) for point in points]
        (first, low), *_, (last, high) = values.items()
        ends = {"first": f"{first // 1024}k", "last": f"{last // 1024}k"}
        told.append(say["row"].format(low, high, name=say[look], **ends))
    label = say["label"].format(rows=say["join"].join(told))
    return s.svg(400, BOTTOM + 46, label, *out)
