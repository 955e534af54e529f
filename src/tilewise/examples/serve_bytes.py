"""What attention computes, and what a network would carry for it."""

from tilewise.hardware import roofs
from tilewise.ledger import flash2_forward

HEADS, N_K, D, BYTES = 32, 4096, 128, 2  # a layer in bf16
ROW = HEADS * D * BYTES  # of Q, K, V or O: one token
WIRES = [("10 Gbit/s", 10e9 / 8), ("100 Gbit/s", 100e9 / 8)]  # bytes/s, if full
peak, hbm = roofs("H100")


def show(name, n, carried):
    """Time for the arithmetic, for reading and writing once, for rows on a wire."""
    flops = HEADS * flash2_forward(n, D, 128, 128, n_k=N_K)["flops"]
    times = [("H100, bf16 peak", flops / peak)]
    times += [("H100, HBM", (2 * n + 2 * N_K) * ROW / hbm)]  # Q and O, K and V
    times += [(wire, carried * ROW / speed) for wire, speed in WIRES]
    print(f"{name}: {flops / 1e9:.3g} GFLOP, {carried * ROW / 1e6:.3g} MB on the wire")
    for place, seconds in times:
        print(f"  {place:16} {seconds * 1e6:10.1f} µs")


show("4096 tokens", N_K, 4 * N_K)
show("one token, its keys and values sent along", 1, 2 + 2 * N_K)
show("one token, its cache at the server", 1, 4)
