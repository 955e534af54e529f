from fractions import Fraction

from tilewise.ledger import flash2_forward
from tilewise.masks import causal, documents, intersect, tile_kind, window

n, d = 8192, 64


def count(name, span, size):
    """Print how many tiles of size × size are full, partial, empty; share visited."""
    starts = range(0, n, size)
    pairs = [((r, r + size), (c, c + size)) for r in starts for c in starts]
    kinds = [tile_kind(span, *pair) for pair in pairs]
    full, partial, empty = (kinds.count(x) for x in ("full", "partial", "empty"))
    visited = Fraction(full + partial, len(kinds))
    print(f"{name:12} {full:4} {partial:7} {empty:5}   {float(visited):5.1%}")
    return visited


eight = documents([1024] * 8)
print("128 × 128    full partial empty visited")
count("causal", causal(n, n), 128)
count("window 1024", window(n, n, left=1023), 128)
count("8 documents", eight, 128)
count("8, causal", intersect(causal(n, n), eight), 128)

print("causal       full partial empty visited")
for size in (4096, 1024, 256, 64):
    visited = count(f"T = {n // size}", causal(n, n), size)
    bills = [flash2_forward(n, d, size, size, causal=x)["flops"] for x in (True, False)]
    assert visited == Fraction(*bills)  # the ledger's FLOPs, exactly
