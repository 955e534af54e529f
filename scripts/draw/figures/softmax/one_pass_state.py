"""What one pass keeps: after each key of row 3 the state (m, ℓ, o), and no weights."""

from draw.figures import _svg as s
from draw.figures._example import row_states

STATES = row_states(2)  # row 3, counted from 0
N, D = len(STATES), len(STATES[0]["o_new"][0])
FIRST, STEP, HIGH = 58, 66, 30  # the first state, from state to state, how high one is
LEFT, WIDTHS = 214, [40, 42, 50, 50]  # where states lie; m, ℓ and o's two numbers
SAY = {
    "en": {
        "label": "Each key of row 3 arrives with a score x and a value v and is taken"
        " into the state m, ℓ, o; what was there is rescaled where m moves. {kept}"
        " numbers are kept throughout, the row of weights never.",
        "in": "arrives", "kept": "kept: $2 + d$ numbers", "start": "start",
        "key": "key {n}", "old": "what was there × {a}",
        "ghost": ["$N = {n}$ weights:", "never kept"],
    },
    "zh": {
        "label": "第 3 行的键一个个到来，各带分数 x 和值 v，并入状态 m、ℓ、o；"
        "m 变大时，旧的部分重新缩放。始终只留 {kept} 个数，那一行权重一个也不保存。",
        "in": "新来的", "kept": "留下：$2 + d$ 个数", "start": "开始",
        "key": "键 {n}", "old": "旧的部分 × {a}",
        "ghost": ["$N = {n}$ 个权重：", "一个也不保存"],
    },
}


def state(y, t, age, cls=""):
    """The numbers m, ℓ, o side by side, before ("old") or after ("new") a key."""
    x, out = LEFT, []
    values = [t[f"m_{age}"][0], t[f"l_{age}"][0], *t[f"o_{age}"][0]]
    for value, wide, css in zip(values, WIDTHS, "mmoo", strict=True):
        out.append(s.rect(x, y, wide, HIGH, f"tw-{css}"))
        out.append(s.middle(x + wide / 2, y + 20, s.num(value), cls))
        x += wide
    return out


def arrival(n, t, say):
    """Key n: its score and value on the left, the arrow to the state, the factors."""
    y = FIRST + STEP * n
    old, new = s.num(t["alpha"][0]), s.num(t["beta"][0] * t["l_tilde"][0])
    out = [s.text(4, y + 20, say["key"].format(n=n)), s.rect(54, y, 30, HIGH, "tw-s")]
    out.append(s.middle(69, y + 20, s.num(t["s"][0][0])))
    out.append(s.grid(90, y, 1, D, "tw-v", 28, HIGH))
    for c, value in enumerate(t["v"][0]):
        out.append(s.middle(104 + 28 * c, y + 20, s.num(value)))
    out.append(s.arrow(151, y + 15, LEFT - 156, 0, 4, "tw-v"))
    out.append(s.middle(178, y + 8, f"× {new}", "tw-small"))
    out.append(s.arrow(LEFT + 30, y - STEP + HIGH + 3, 0, STEP - HIGH - 6, 4, "tw-m"))
    words = say["old"].format(a=old)
    return [*out, s.text(LEFT + 44, y - STEP / 2 + 20, words, "tw-small")]


def draw(lang):
    """The figure in English or Chinese."""
    say, facts = SAY[lang], {"kept": 2 + D, "n": N}
    parts = [s.text(54, 18, say["in"]), s.text(LEFT, 18, say["kept"])]
    names = [("x", "s", 69), ("v", "v", 118), ("m", "m", 234), ("ℓ", "m", 275)]
    for name, css, x in [*names, ("o", "o", 346)]:
        parts.append(s.middle(x, 44, f"${name}$", f"tw-t{css}"))
    parts.append(s.text(LEFT - 10, FIRST + 20, say["start"], "tw-muted", "end"))
    parts += state(FIRST, STATES[0], "old")
    for n, t in enumerate(STATES, 1):
        last = "tw-strong" if n == N else ""
        parts += arrival(n, t, say) + state(FIRST + STEP * n, t, "new", last)
    y = FIRST + STEP * N + HIGH + 18
    parts.append(s.grid(LEFT, y, 1, N, "tw-ghost", 182 / N, HIGH))
    ghost = [line.format(**facts) for line in say["ghost"]]
    parts += s.lines(LEFT - 10, y + 12, 18, ghost, "tw-small tw-muted", "end")
    return s.svg(400, y + HIGH + 6, say["label"].format(**facts), *parts)
