"""SRAM full and overfull: the tiles of Algorithm 1's block sizes, drawn to scale."""

from draw.figures import _svg as s

from tilewise.hardware import GPUS
from tilewise.ledger import block_sizes, tile_sram

# A100's shared memory, of which CUDA keeps 1 KiB a thread block for itself
KIB = GPUS["A100"]["levels"]["shared"]["per_sm"]["value"] // 1024 - 1
N, FP16 = 4096, 2  # any N larger than a block; bytes a number
M = KIB * 1024 // FP16
SCALE, BASE, GAP = 0.38, 250, 6  # units a number along a side; where the boxes of M end
WIDE = block_sizes(M, 64)[1]  # the box of M numbers is this wide and 4 · 64 high
CASES = [(64, *block_sizes(M, 64)), (128, *block_sizes(M, 128))]  # (d, B_r, B_c)
CASES.append((64, CASES[0][2], CASES[0][2]))  # without the minimum with d
SAY = {
    "en": {
        "label": "Three boxes of M = {m} numbers. With the paper’s block sizes, {a},"
        " the tiles of K, V, Q, O and S fit for d = 64 and fill {p[0]}%. For"
        " d = 128, {b}, they need {p[1]}%. For d = 64 without the minimum, {c}, they"
        " need {p[2]}%.",
        "facts": [
            "Each box: $M$ = {m} numbers,", "{k} KiB of fp16",
            "Below: $d$, $B_r × B_c$",
        ],
        "heads": ["$d = 64$", "$d = 128$", "$d = 64$, no min"],
        "fits": "fits: {p}%", "not": "too big: {p}%", "free": "free",
    },
    "zh": {
        "label": "三个能放 M = {m} 个数的方框。按论文的块大小，d = 64 时（{a}）"
        "K、V、Q、O、S 的块放得下，占 {p[0]}%；d = 128 时（{b}）需要 {p[1]}%；"
        "d = 64 而不与 d 取较小者时（{c}）需要 {p[2]}%。",
        "facts": [
            "每个方框：$M$ = {m} 个数，", "即 {k} KiB 的 fp16",
            "下面：$d$ 和 $B_r × B_c$",
        ],
        "heads": ["$d = 64$", "$d = 128$", "$d = 64$，不取 min"],
        "fits": "放得下：{p}%", "not": "放不下：{p}%", "free": "空闲",
    },
}


def places():
    """For each case, where its tiles lie: (name, left, bottom, width, height)."""
    (d, r, c), (e, q, b), (_, f, _) = CASES
    above = 4 * d + GAP / SCALE  # outside the box
    return [
        [("K_j", 0, 0, c, d), ("V_j", 0, d, c, d), ("S_{ij}", 0, 2 * d, c, r),
         ("Q_i", 0, 3 * d, r, d), ("O_i", r, 3 * d, r, d), ("", 2 * r, 3 * d, 2, r)],
        [("K_j", 0, 0, b, e), ("V_j", b, 0, b, e), ("S_{ij}", 0, e, b, q),
         ("Q_i", b, e, q, e), ("O_i", 0, above, q, e), ("", q, above, 2, q)],
        [("K_j", 0, 0, c, d), ("V_j", 0, d, c, d), ("O_i", 0, 2 * d, f, d),
         ("Q_i", 0, 3 * d, f, d), ("S_{ij}", 0, above, c, f), ("", c, above, 2, f)],
    ]


def tile(x, name, left, bottom, wide, high):
    """One tile to scale, its name and, where there is room, how many numbers it has."""
    w, h, left = wide * SCALE, high * SCALE, x + left * SCALE
    top = BASE - (bottom + high) * SCALE
    if not name:  # ℓ_i and m_i: two numbers a row
        return s.rect(left + 1, top, w, h, "tw-m")
    label = f"${name}$ {s.count(wide * high)}" if w > 80 else f"${name}$"
    css = name[0].lower()
    title = s.middle(left + w / 2, top + h / 2 + 5, label, f"tw-t{css}")
    return s.rect(left, top, w, h, f"tw-{css}") + title


def percent(d, r, c):
    """How much of M the tiles take, ℓ_i and m_i included."""
    return round(100 * tile_sram(N, d, r, c) / M)


def case(n, x, say):
    """One choice of block sizes: the box of M numbers, the tiles, and the verdict."""
    (d, r, c), full = CASES[n], percent(*CASES[n])
    w, h = WIDE * SCALE, M / WIDE * SCALE
    out = [s.rect(x - 3, BASE - h - 3, w + 6, h + 6, "tw-sram", 'rx="4"')]
    out += [tile(x, *place) for place in places()[n]]
    if full <= 100:
        mid, y = x + w / 2 + r * SCALE, BASE - 3.5 * d * SCALE + 5
        out.append(s.middle(mid, y, say["free"], "tw-small tw-muted"))
    verdict = say["fits" if full <= 100 else "not"].format(p=full)
    words = [say["heads"][n], f"{r} × {c}", verdict]
    css = ["", "tw-small", "tw-strong"]
    for line, (word, cls) in enumerate(zip(words, css, strict=True)):
        out.append(s.middle(x + w / 2, BASE + 25 + 22 * line, word, cls))
    return out


def draw(lang):
    """The figure in English or Chinese."""
    say, sizes = SAY[lang], [f"{r} × {c}" for _, r, c in CASES]
    facts = {"m": s.count(M), "k": KIB, "p": [percent(*x) for x in CASES]}
    facts.update(zip("abc", sizes, strict=True))
    parts = s.lines(4, 18, 23, [x.format(**facts) for x in say["facts"]])
    for n, x in enumerate((4, 138, 272)):
        parts += case(n, x, say)
    return s.svg(400, BASE + 80, say["label"].format(**facts), *parts)
