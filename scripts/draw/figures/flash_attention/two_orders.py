"""The two loop orders over the four tiles of the example: what stays, what moves."""

from draw.figures import _svg as s
from draw.figures import _timeline as table

from tilewise.trace import ORDERS, forward
from tilewise.worked_example import BLOCK_COLS, BLOCK_ROWS, EXACT, K, Q, V

ROWS = {  # tensors, index; the outer loop's first
    "kv-outer": [(("k", "v"), "j"), (("q",), "i"), (("o", "l", "m"), "i")],
    "q-outer": [(("q",), "i"), (("o", "l", "m"), "i"), (("k", "v"), "j")],
}
HIGH = 281  # of one order's drawing
SAY = {
    "en": {
        "label": {
            "kv-outer": "Four tiles with K, V outer: K and V stay on chip for two"
            " steps, and Q, O, ℓ and m move at every step, {io}.",
            "q-outer": "Four tiles with Q outer: Q, O, ℓ and m stay for two steps,"
            " only K and V move at every step, and O and L leave once, {io}.",
        },
        "kv-outer": "$K$, $V$ outer: FlashAttention-1",
        "q-outer": "$Q$ outer: FlashAttention-2",
        "sram": "on chip", "step": "step {n}", "io": "{load} in, {store} out",
        "sum": "all four steps: {load} in, {store} out",
    },
    "zh": {
        "label": {
            "kv-outer": "K、V 在外层时的四块：K、V 在片上停留两步，"
            "Q、O、ℓ、m 每一步都要搬，{io}。",
            "q-outer": "Q 在外层时的四块：Q、O、ℓ、m 停留两步，每一步只搬 K、V，"
            "O 和 L 算完才写出一次，{io}。",
        },
        "kv-outer": "$K$、$V$ 在外层：FlashAttention-1",
        "q-outer": "$Q$ 在外层：FlashAttention-2",
        "sram": "片上", "step": "第 {n} 步", "io": "进 {load}，出 {store}",
        "sum": "四步合计：进 {load}，出 {store}",
    },
}


def steps(order):
    """The exact trace; where it stores ℓ and m, FlashAttention-2 stores L alone."""
    tiles = BLOCK_ROWS, BLOCK_COLS
    out = list(forward(Q, K, V, *tiles, order=order, **EXACT))
    for t in out:
        if order == "q-outer" and t["store"]:
            t["store"] = ["o", "m"]  # L has the size of m
    return out


def moved(order):
    """{way: elements that cross} over all steps of an order."""
    return {
        way: sum(table.size(t, x, way) for t in steps(order) for x in t[way])
        for way in ("load", "store")
    }


def panel(order, say):
    """One order: its name, the bars on the chip, the arrows, HBM."""
    rows, low = table.placed(ROWS[order], 65)
    found = steps(order)
    out = [s.text(2, 14, say[order], "tw-strong")]
    out += table.bars(found, rows, say, 44, low - 41)
    out += table.traffic(found, rows, say, low + 39)
    label = say["label"][order].format(io=say["io"].format(**moved(order)))
    return s.svg(400, HIGH, label, *out)


def draw(lang):
    """The figure in English or Chinese."""
    return s.pair(*(panel(order, SAY[lang]) for order in ORDERS))
