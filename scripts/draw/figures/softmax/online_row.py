"""Row 3 of the example: the running maximum and sum, and the change of reference."""

from draw.figures import _svg as s
from draw.figures._example import row_states

STATES = row_states(2)  # row 3, counted from 0
UNIT, HIGH, STEP = 90, 36, 78  # the length of a weight of 1; a strip; strip to strip
SAY = {
    "en": {
        "label": "Scores {x} one by one. Each strip is the running sum ℓ relative to"
        " the current maximum m; where m moves, what was there shrinks. At the end"
        " ℓ = {l}.",
        "key": "key {n}: $x = {x}$",
        "moves": "$m$: {a} → {m}", "stays": "$m = {m}$ stays",
    },
    "zh": {
        "label": "分数 {x} 逐个到来。每一条表示以当前最大值 m 为基准的累计和 ℓ；"
        "m 一变大，旧的部分就缩短。最后 ℓ = {l}。",
        "key": "第 {n} 个键：$x = {x}$",
        "moves": "$m$：{a} → {m}", "stays": "$m = {m}$ 不变",
    },
}


def weights(n):
    """The weights of the first n keys, relative to the maximum at that time."""
    made = []
    for t in STATES[:n]:
        made = [w * t["alpha"][0] for w in made] + [t["beta"][0] * t["l_tilde"][0]]
    return made


def words(n, say):
    """What key n does to m and to ℓ, in three lines."""
    t = STATES[n - 1]
    m, l, alpha, old = (s.num(t[x][0]) for x in ("m_new", "l_new", "alpha", "l_old"))
    before, new = s.num(t["m_old"][0]), s.num(weights(n)[-1])
    change = say["stays" if before == m else "moves"].format(a=before, m=m)
    total = l if n == 1 else f"{alpha} · {old} + {new} = {l}"
    return say["key"].format(n=n, x=s.num(t["s"][0][0])), change, f"$ℓ = {total}$"


def strip(n, say):
    """After key n: how the strip before it shrank, the strip, and what was computed."""
    t, x, y, out = STATES[n - 1], 1.0, 12 + STEP * (n - 1), []
    if n > 1:
        alpha, above = t["alpha"][0], y - STEP + HIGH
        old, new = (1 + UNIT * float(z) for z in (t["l_old"][0], alpha * t["l_old"][0]))
        out.append(s.path(f"M1 {above}H{old:g}L{new:g} {y}H1Z", "tw-shrink"))
        out.append(s.text(12, (above + y) / 2 + 5, f"× {s.num(alpha)}", "tw-tm"))
    for key, w in enumerate(weights(n), 1):
        wide = UNIT * float(w)
        out.append(s.rect(x, y, wide, HIGH, "tw-s" if key == n else "tw-m"))
        out.append(s.middle(x + wide / 2, y + HIGH / 2 + 5, s.num(w)))
        x += wide
    return [*out, *s.lines(212, y + 3, 20, words(n, say))]


def draw(lang):
    """The figure in English or Chinese."""
    say = SAY[lang]
    facts = {"x": s.listed((t["s"][0][0] for t in STATES), lang)}
    label = say["label"].format(**facts, l=s.num(STATES[-1]["l_new"][0]))
    parts = [part for n in range(1, len(STATES) + 1) for part in strip(n, say)]
    return s.svg(400, 24 + STEP * (len(STATES) - 1) + HIGH, label, *parts)
