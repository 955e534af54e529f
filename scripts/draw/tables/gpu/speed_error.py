"""Errors against float64 of what was timed: the largest over all cells."""

from draw.figures._bench import COLUMNS, LONG, TOP, bench

from tilewise.bench.cells import PASSES, RESULTS

SAY = {
    "en": {"head": ("kernel", "out $O$", "d$Q$", "d$K$", "d$V$"), "ours": "ours",
           "plain": "plain PyTorch", "ratio": "ours over FlashAttention-2, at most"},
    "zh": {"head": ("内核", "输出 $O$", "d$Q$", "d$K$", "d$V$"), "ours": "本书",
           "plain": "PyTorch 朴素写法", "ratio": "本书与 FlashAttention-2 之比，至多"},
}
NAMES = [(way, name) for way in PASSES for name in RESULTS[way]]


def errors(kernel):
    """{(pass, tensor): {cell: error}}; "" is the top rung of each pass."""
    found = {key: {} for key in NAMES}
    for row in bench()["rows"]:
        if row["kernel"] == (kernel or TOP[row["pass"]]):
            for name, size in row.get("error", {}).items():
                cell = row["n"], row["d"], row["causal"]
                found[row["pass"], name][cell] = size
    return found


def lines(say):
    """In thousandths; the last line is a quotient, cell by cell."""
    ours, flash = errors(""), errors("flash")
    peers = {LONG[name]: errors(name) for name in COLUMNS["forward"]}
    for name, found in ({say["ours"]: ours} | peers).items():
        worst = [max(found[key].values(), default=None) for key in NAMES]
        yield name, *(f"{1e3 * x:.2f}" if x else "–" for x in worst)
    plain = [
        max(c["plain"][name] for c in bench()["cells"] if c["pass"] == way)
        for way, name in NAMES
    ]
    yield say["plain"], *(f"{1e3 * x:.2f}" for x in plain)
    most = [
        max(ours[k][c] / flash[k][c] for c in ours[k] if c in flash[k]) for k in NAMES
    ]
    yield say["ratio"], *(f"{x:.2f}" for x in most)
