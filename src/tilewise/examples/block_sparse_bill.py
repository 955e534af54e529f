from tilewise.ledger import flash1_forward, flash2_backward, flash2_forward

n, d, size = 4096, 64, 64
t = n // size  # 64 × 64 tiles
masks = [
    ("every tile", lambda i, j: True),
    ("every second", lambda i, j: (i + j) % 2 == 0),
    ("every eighth", lambda i, j: (i + j) % 8 == 0),
    ("local, global", lambda i, j: abs(i - j) < 2 or i == 0 or j == 0),
    ("diagonal", lambda i, j: i == j),
]
fixed = [  # what no mask saves: elements that cross once
    (flash1_forward, n * (d + 2) + 2 * n * d),  # the first O, ℓ and m; K and V
    (flash2_forward, 2 * n * d + n),  # Q; O and L
    (flash2_backward, 7 * n * d + n),  # O, dO and δ; the first dQ; K, V, dK, dV
]
print("millions moved:            FA1 forward   FA2 forward  FA2 backward")
for name, listed in masks:
    mask = [[listed(i, j) for j in range(t)] for i in range(t)]
    rho, line = sum(map(sum, mask)) / t**2, ""
    for count, part in fixed:
        bill = count(n, d, size, size, block_mask=mask)
        every = count(n, d, size, size)
        rest, whole = (x["reads"] + x["writes"] - part for x in (bill, every))
        assert rest == rho * whole  # exactly
        line += f"  {part / 1e6:.2f} + {rest / 1e6:5.2f}"
    print(f"{name:13} ρ = {rho:.4f}{line}")
