"""Row 3 of the example, read three times, twice and once, with what is known when."""

from itertools import accumulate

from draw.figures import _svg as s
from draw.figures._example import row_states

from tilewise.worked_example import two_to

STATES = row_states(2)  # row 3, counted from 0
SCORES = [t["s"][0][0] for t in STATES]
LEFT, COL, LINE = 106, 70, 22  # the first key's column, a column, a line in a band
SAY = {
    "en": {
        "label": "One row of four scores. Safe softmax reads it three times: for m, for"
        " ℓ, for the weights. Online softmax reads it twice: for m with ℓ, then for the"
        " weights. One-pass attention reads it once and keeps m, ℓ and o.",
        "scores": "scores $x$", "pass": "pass {n}",
        "safe": "Safe softmax: 3 passes to the weights $p$",
        "online": "Online softmax: 2 passes to the weights $p$",
        "once": "One-pass attention: 1 pass to the output $o$",
    },
    "zh": {
        "label": "一行四个分数。安全 softmax 要读三遍：求 m、求 ℓ、求权重；"
        "在线 softmax 读两遍：m 与 ℓ 一起求，再求权重；"
        "一遍算完的注意力只读一遍，一路留着 m、ℓ 和 o。",
        "scores": "分数 $x$", "pass": "第 {n} 遍",
        "safe": "安全 softmax：读 3 遍得到权重 $p$",
        "online": "在线 softmax：读 2 遍得到权重 $p$",
        "once": "一遍算完的注意力：读 1 遍得到输出 $o$",
    },
}


def methods():
    """{title: passes}, a pass being lines (symbol, class, a value a key)."""
    maxima, sums = ([t[x][0] for t in STATES] for x in ("m_new", "l_new"))
    weights = [two_to(x - maxima[-1]) for x in SCORES]
    m, l = ("$m$", "m", maxima), ("$ℓ$", "m", sums)
    late = ("$ℓ$", "m", list(accumulate(weights)))  # with the final maximum known
    p = ("$p$", "s", [w / sums[-1] for w in weights])
    o = [(f"$o_{c + 1}$", "o", [t["o_new"][0][c] for t in STATES]) for c in (0, 1)]
    return {"safe": [[m], [late], [p]], "online": [[m, l], [p]], "once": [[m, l, *o]]}


def band(y, n, rows, say):
    """One pass: an arrow over the keys with the value after each, and where it ends."""
    high, wide = LINE * len(rows) + 6, COL * len(SCORES)
    d = f"M{LEFT} {y}h{wide}l11 {high / 2:g}l-11 {high / 2:g}H{LEFT}z"
    out = [s.path(d, f"tw-{rows[-1][1]}")]
    out.append(s.text(4, y + 19, say["pass"].format(n=n), "tw-muted"))
    for r, (symbol, css, values) in enumerate(rows):
        base = y + LINE * r + 19
        out.append(s.text(LEFT - 10, base, symbol, f"tw-t{css}", "end"))
        for k, value in enumerate(values):
            done = "tw-strong" if css == "s" or k == len(values) - 1 else ""
            out.append(s.middle(LEFT + COL * (k + 0.5), base, s.num(value), done))
    return y + high, out


def draw(lang):
    """The figure in English or Chinese."""
    say, y = SAY[lang], 40
    parts = [s.text(4, 20, say["scores"])]
    parts.append(s.grid(LEFT, 2, 1, len(SCORES), "tw-s", COL, 26))
    for k, x in enumerate(SCORES):
        parts.append(s.middle(LEFT + COL * (k + 0.5), 20, s.num(x)))
    for title, passes in methods().items():
        parts.append(s.text(4, y + 16, say[title], "tw-strong"))
        y += 26
        for n, rows in enumerate(passes, 1):
            y, made = band(y, n, rows, say)
            parts += made
            y += 5
        y += 14
    return s.svg(400, y - 16, say["label"], *parts)
