from tilewise.ledger import flash1_forward

n, d, tile = 4096, 64, 64
t = n // tile  # 64 × 64 tiles
masks = [
    ("every tile", lambda i, j: True),
    ("every fourth", lambda i, j: (i + j) % 4 == 0),
    ("local, global", lambda i, j: j == 0 or abs(i - j) < 2),
]
fixed = 2 * n * d + n * (d + 2)  # K and V once, and the first O, ℓ and m
parts = {}
for name, seen in masks:
    mask = [[seen(i, j) for j in range(t)] for i in range(t)]
    bill = flash1_forward(n, d, tile, tile, block_mask=mask)
    parts[name] = bill["reads"] + bill["writes"] - fixed
    share = sum(map(sum, mask)) / t**2
    ratio = parts[name] / parts["every tile"]
    print(f"{name:13} {share:.4f} of tiles: {fixed:,} + {parts[name]:10,}, {ratio:.4f}")
