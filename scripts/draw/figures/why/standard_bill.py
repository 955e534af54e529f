"""What standard attention moves through HBM, with arrows as wide as the bytes."""

from draw.figures import _svg as s

from tilewise.ledger import standard_forward

N, D, FP16 = 1024, 64, 2
SIZE = {**dict.fromkeys("QKVO", N * D), **dict.fromkeys("SP", N * N)}
UNIT = 44 / (N * N)  # the width of an arrow, for one number
STEPS = [  # Algorithm 0: (matrix, where its arrow stands), those written last
    ("$S = τ Q K^⊤$", [("Q", 22), ("K", 48)], ("S", 88)),
    ("$P$ = softmax($S$)", [("S", 168)], ("P", 232)),
    ("$O = P V$", [("P", 312), ("V", 352)], ("O", 378)),
]
SAY = {
    "en": {
        "label": "Standard attention in three steps between the chip and HBM, for"
        " N = {n} and d = {d}. S is written and read, P is written and read: {big} MiB"
        " of the {all} MiB moved. Q, K, V and O are hairlines beside them.",
        "chip": "on chip", "case": "$N = {n}$, $d = {d}$, fp16",
        "sum": "moved in all: {all} MiB; $S$ and $P$: {big} MiB, {p}%",
        "write": "write", "read": "read",
    },
    "zh": {
        "label": "标准注意力分三步，在片上与 HBM 之间来回搬运（N = {n}，d = {d}）："
        "S 写一次、读一次，P 写一次、读一次，占全部 {all} MiB 中的 {big} MiB；"
        "相比之下 Q、K、V、O 细如发丝。",
        "chip": "片上", "case": "$N = {n}$，$d = {d}$，fp16",
        "sum": "共搬运 {all} MiB，其中 $S$、$P$ 占 {big} MiB，即 {p}%",
        "write": "写", "read": "读",
    },
}


def mib(numbers):
    """Numbers in fp16 as MiB."""
    return f"{numbers * FP16 / 2**20:g}"


def crossings():
    """The arrows between the chip and HBM, named where they leave or reach HBM."""
    out = []
    for n, (formula, reads, write) in enumerate(STEPS):
        out.append(s.rect(1 + 135 * n, 26, 128, 40, "tw-sram", 'rx="7"'))
        out.append(s.middle(65 + 135 * n, 52, formula))
        for name, x in [*reads, write]:
            css = "s" if name in "SP" else name.lower()
            y, dy = (70, 120) if (name, x) == write else (190, -120)
            out.append(s.arrow(x, y, 0, dy, UNIT * SIZE[name], f"tw-{css}"))
            out.append(s.middle(x, 213, f"${name}$", f"tw-t{css}"))
    return out


def bill(say, total):
    """Everything that was moved, in one bar to scale."""
    x, out = 10.0, []
    ways = [f"{say[way]} ${name}$" for name in "SP" for way in ("write", "read")]
    for words in [*ways, ""]:
        moved = N * N if words else 4 * N * D
        wide = 380 * moved / total
        out.append(s.rect(x, 273, wide, 30, "tw-s" if words else "tw-o"))
        if words:
            out.append(s.middle(x + wide / 2, 293, words, "tw-ts"))
        x += wide
    out.append(s.text(10, 321, f"4 × {mib(N * N)} MiB", "tw-small tw-ts"))
    rest = f"$Q, K, V, O$: {mib(4 * N * D)} MiB"
    return [*out, s.text(390, 321, rest, "tw-small tw-to", "end")]


def draw(lang):
    """The figure in English or Chinese."""
    say, cost = SAY[lang], standard_forward(N, D)
    total, big = cost["reads"] + cost["writes"], 4 * N * N
    facts = {"n": N, "d": D, "all": mib(total), "big": mib(big)}
    facts["p"] = round(100 * big / total)
    parts = [s.text(4, 16, say["chip"], "tw-muted")]
    parts.append(s.text(396, 16, say["case"].format(**facts), "", "end"))
    parts += [s.rect(1, 194, 398, 136, "tw-hbm", 'rx="3"'), *crossings()]
    parts += [s.text(8, 238, "HBM", "tw-muted"), *bill(say, total)]
    parts.append(s.text(10, 262, say["sum"].format(**facts)))
    return s.svg(400, 331, say["label"].format(**facts), *parts)
