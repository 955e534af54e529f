"""The error of O against float64, by how often it was stored and so rounded."""

from draw.tables._counters import row

CASES = [  # batch, heads, N, B_c and warps of K, V outer
    (64, 16, 1024, 256, 8),
    (64, 16, 1024, 128, 4),
    (64, 16, 1024, 64, 4),
    (16, 16, 4096, 128, 4),
    (1, 16, 8192, 128, 4),
]
LEFT = 0
SAY = {
    "en": ("length $N$", "rounds $T_c$", "$K, V$ outer", "$Q$ outer"),
    "zh": ("长度 $N$", "轮数 $T_c$", "$K, V$ 在外层", "$Q$ 在外层"),
}


def lines(_):
    """Relative errors of bf16 results."""
    for batch, heads, n, block_cols, warps in CASES:
        shape = {"batch": batch, "heads": heads, "n": n}
        stored = row("kv-outer", 64, block_cols, warps, **shape)["error"]
        kept = row("q-outer", 64, 64, 4, **shape)["error"]
        yield f"{n:,}", f"{n // block_cols}", f"{stored:.4f}", f"{kept:.4f}"
