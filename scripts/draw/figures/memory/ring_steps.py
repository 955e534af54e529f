"""Four ranks and four steps: who holds which keys and values, and where they go."""

import math

from draw.figures import _svg as s
from draw.figures._plot import line

WORLD = 4
LEFT, TOP, WIDE, HIGH, BOX, ROW = 62, 34, 86, 26, 25, 66
SAY = {
    "en": {
        "label": "Four ranks in a ring. Each keeps its own queries. {steps}. After each"
        " step but the last, keys and values go to the next rank, and the last rank’s"
        " to the first.",
        "rank": "rank {}", "step": "step {}", "sep": "; ", "list": ", ",
        "held": "At step {step} ranks 0 to 3 hold the keys of ranks {sources}",
    },
    "zh": {
        "label": "四个 rank 围成一圈，各自的查询不动。{steps}。除最后一步外，"
        "每一步之后，键和值都交给下一个 rank，最后一个 rank 的交给第一个。",
        "rank": "rank {}", "step": "第 {} 步", "sep": "；", "list": "、",
        "held": "第 {step} 步，rank 0 到 3 手里依次是 rank {sources} 的键",
    },
}


def source(rank, step):
    """Whose keys a rank holds at a step."""
    return (rank - step) % WORLD


def place(rank, step):
    """The left upper corner of what a rank holds at a step."""
    return LEFT + WIDE * rank, TOP + ROW * step


def held(rank, step):
    """One rank at one step: its queries, and the keys and values that are there."""
    x, y = place(rank, step)
    made, of = [], source(rank, step)
    for n, (name, owner) in enumerate((("q", rank), ("k", of), ("v", of))):
        left, words = x + BOX * n + (3 if n else 0), f"${name.upper()}_{owner}$"
        made.append(s.middle(left + BOX / 2, y + 18, words, f"tw-t{name}"))
    return made


def boxes(step):
    """The boxes of all ranks, a path for each tensor: the page has to be light."""
    x, y = place(0, step)
    box = f"h{BOX}v{HIGH}h-{BOX}zm{WIDE} 0"
    lefts = {"q": x, "k": x + BOX + 3, "v": x + 2 * BOX + 3}
    return [s.path(f"M{x} {y}{box * WORLD}", f"tw-{name}") for name, x in lefts.items()]


def slanted(x1, y1, x2, y2, back=False):
    """A thin arrow from one point to another; dashed where it goes back."""
    dashes = "4 4" if back else ""
    shaft = line("tw-faint" if back else "tw-line", (x1, y1), (x2, y2), dashes=dashes)
    angle = math.atan2(y2 - y1, x2 - x1)
    points = [(x2, y2)]
    for turn in (2.7, -2.7):
        a = angle + turn
        points.append((x2 + 8 * math.cos(a), y2 + 8 * math.sin(a)))
    d = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    return shaft + s.path(f"M{d}Z", "tw-dot")


def moves(step):
    """The arrows between a step and the next one; the last rank's goes back."""
    made = []
    for rank in range(WORLD):
        x, y = place(rank, step)
        start, low = x + 2 * BOX + 3, y + HIGH + 4
        to = place((rank + 1) % WORLD, step + 1)
        end, high = to[0] + 2 * BOX + 3, to[1] - 4
        made.append(slanted(start, low, end, high, back=rank + 1 == WORLD))
    return made


def draw(lang):
    """The figure in English or Chinese."""
    say, parts, sentences = SAY[lang], [], []
    for rank in range(WORLD):
        x, _ = place(rank, 0)
        parts.append(
            s.middle(x + (3 * BOX + 3) / 2, TOP - 14, say["rank"].format(rank))
        )
    for step in range(WORLD):
        _, y = place(0, step)
        parts.append(s.text(2, y + 18, say["step"].format(step), "tw-muted"))
        parts += boxes(step)
        for rank in range(WORLD):
            parts += held(rank, step)
        parts += moves(step) if step + 1 < WORLD else []
        found = say["list"].join(str(source(rank, step)) for rank in range(WORLD))
        sentences.append(say["held"].format(step=step, sources=found))
    label = say["label"].format(steps=say["sep"].join(sentences))
    wide = LEFT + WIDE * WORLD + 6
    return s.svg(wide, TOP + ROW * (WORLD - 1) + HIGH + 4, label, *parts)
