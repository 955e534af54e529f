"""What each policy of checkpointing keeps and what time it takes, at two lengths."""

from draw.figures import _svg as s
from draw.figures._plot import dot, line, linear
from draw.tables._checkpointing import WAYS
from draw.tables.memory.checkpointing_gpu import LONG, N, rows

LEFT, RIGHT, TOP, BOTTOM = 44, 372, 52, 216
X, Y = linear(0, 1, LEFT, RIGHT), linear(1, 1.3, BOTTOM, TOP)
MARKS = {N: "tw-paper", LONG: "tw-dot"}
SAY = {
    "en": {
        "label": "Peak memory and time of a step on one H200, over those with"
        " everything kept, at two lengths. {rows}.",
        "row": "{name}: {share:.0%} of the memory, {times} of the time", "join": "; ",
        "and": " and ", "none": "all kept", "y": "time of a step, over all kept",
        "x": "peak memory, over all kept",
    },
    "zh": {
        "label": "一张 H200 上一步的显存峰值和用时，相对全部保留，两种长度。{rows}。",
        "row": "{name}：显存 {share:.0%}，用时 {times}", "join": "；",
        "and": "、", "none": "全部保留", "y": "每步用时，相对全部保留",
        "x": "显存峰值，相对全部保留",
    },
}


def found():
    """{policy: {N: (memory, time)}} over those of all kept."""
    ours = [policy for attention, policy in WAYS if attention == "ours"]
    return {policy: {n: over(n, policy) for n in MARKS} for policy in ours}


def over(n, policy):
    """(memory, time) of a policy over those of all kept."""
    row, base = rows(n)["ours", policy], rows(n)["ours", "none"]
    memory = row["peak_bytes"] / base["peak_bytes"]
    return memory, row["ms"]["median"] / base["ms"]["median"]


def axes(say):
    """Both axes with their numbers, and which point is which length."""
    out = [s.text(0, 14, say["y"], "tw-small")]
    for share in (0, 0.25, 0.5, 0.75, 1):
        x = X(share)
        out.append(line("tw-rule", (x, TOP), (x, BOTTOM)))
        out.append(s.middle(round(x, 1), BOTTOM + 17, f"{share:.0%}", "tw-small"))
    for time in (1, 1.1, 1.2, 1.3):
        y = Y(time)
        out.append(line("tw-rule", (LEFT, y), (RIGHT, y)))
        out.append(s.text(LEFT - 6, round(y) + 4, f"{time:.1f}", "tw-small", "end"))
    for n, (size, cls) in enumerate(MARKS.items()):
        x, words = LEFT + 130 * n, f"$N$ = {s.count(size)}"
        out += [dot(x + 6, 32, cls), s.text(x + 17, 37, words, "tw-small")]
    return [*out, s.text(RIGHT, BOTTOM + 38, say["x"], "tw-small", "end")]


def draw(lang):
    """The figure in English or Chinese."""
    say, told = SAY[lang], []
    out = axes(say)
    for policy, points in found().items():
        name = say.get(policy, policy)
        at = [(X(memory), Y(time)) for memory, time in points.values()]
        out.append(line("tw-line", *at))
        out += [dot(*p, cls) for p, cls in zip(at, MARKS.values(), strict=True)]
        x, y = at[0]
        last = policy == "none"
        place = (round(x - 9, 1), "end") if last else (round(x + 9, 1), "")
        out.append(s.text(place[0], round(y, 1) - 7, name, "", place[1]))
        (share, _), times = points[N], [f"{time:.2f}" for _, time in points.values()]
        words = say["and"].join(times)
        told.append(say["row"].format(name=name, share=share, times=words))
    label = say["label"].format(rows=say["join"].join(told))
    return s.svg(400, BOTTOM + 46, label, *out)
