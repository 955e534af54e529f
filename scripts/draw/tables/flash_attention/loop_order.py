"""Both loop orders of FlashAttention on an H200: programs and time."""

from draw.figures._svg import count
from draw.tables._counters import row

CASES = [(64, 16, 1024), (16, 16, 4096), (1, 16, 8192)]  # batch, heads, N
ORDERS = {"kv-outer": (64, 128, 4), "q-outer": (64, 64, 4)}  # B_r, B_c, warps
LEFT = 0
SAY = {
    "en": {
        "head": ("heads", "length $N$", "standard", "$K, V$ outer", "$Q$ outer"),
        "programs": "({n} programs)",
    },
    "zh": {
        "head": ("头数", "长度 $N$", "标准注意力", "$K, V$ 在外层", "$Q$ 在外层"),
        "programs": "（{n} 个程序实例）",
    },
}


def programs(found):
    """How many programs the kernel was started with."""
    blocks = found["n"] // found["block_rows"] if found["what"] == "q-outer" else 1
    return found["batch"] * found["heads"] * blocks


def lines(say):
    """Times, with the number of programs below."""
    for batch, heads, n in CASES:
        shape = {"batch": batch, "heads": heads, "n": n}
        cells = [f"{row('standard', **shape)['ms']:.2f} ms"]
        for order, how in ORDERS.items():
            found = row(order, *how, **shape)
            started = say["programs"].format(n=count(programs(found)))
            cells.append(f"{found['ms']:.2f}\u00a0ms<br>{started}")
        yield count(batch * heads), count(n), *cells
