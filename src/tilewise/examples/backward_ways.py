from tilewise import ledger
from tilewise.hardware import CEILINGS, GPUS

n, d = 4096, 128  # one head
matrix, row = 2 * n * d, 4 * n  # bytes: N × d in bf16, one fp32 number a row
product = 2 * n * n * d  # FLOPs


def two_walks(rows, cols):
    """dK and dV by blocks of `cols` keys, dQ by blocks of `rows` queries."""
    before = 2 * matrix + 3 * row  # O, dO and L in; L in base 2 and δ out
    dkdv = 4 * matrix + n // cols * (2 * matrix + 2 * row)  # Q, dO, L, δ each time
    dq = 3 * matrix + 2 * row + n // rows * 2 * matrix  # K, V each time
    return (4 + 3) * product, before + dkdv + dq


def one_walk(cols):
    """All three by blocks of `cols` keys; dQ is added up in fp32, twice the bytes."""
    before = 2 * matrix + 3 * row + 2 * matrix  # and dQ = 0
    walk = 4 * matrix + n // cols * (2 * matrix + 2 * row + 2 * matrix)
    return 5 * product, before + walk + 3 * matrix  # dQ in, and out in bf16


bill = ledger.standard_backward(n, d)
ways = [("standard", (bill["flops"], 2 * (bill["reads"] + bill["writes"])))]
ways += [("two walks", two_walks(128, 64)), ("one walk", one_walk(128))]
for name, (flops, traffic) in ways:
    print(f"{name:9} {flops / 1e9:5.1f} GFLOP {traffic / 2**20:6.1f} MiB")

# Or the first walk stores dS for the second, N × N in bf16 out and in: only 5 products.
again = 2 * product / CEILINGS["bf16"]["value"]
powers = n * n / GPUS["H200"]["exp"]["value"]
stored = 2 * 2 * n * n / CEILINGS["hbm"]["value"]
print(f"again: S and dP {again * 1e6:.1f} us, P {powers * 1e6:.1f} us")
print(f"dS out and in: {stored * 1e6:.1f} us")
print(f"equal at d = {d * stored / again:.0f}, or {d * (stored - powers) / again:.0f}")
