from tilewise.ledger import flash1_forward

n, d, tile = 4096, 64, 64
t = n // tile  # 64 × 64 tiles
masks = {
    "every tile": [[True] * t for _ in range(t)],
    "every fourth": [[(i + j) % 4 == 0 for j in range(t)] for i in range(t)],
    "local, global": [[j == 0 or abs(i - j) < 2 for j in range(t)] for i in range(t)],
}
fixed = 2 * n * d + n * (d + 2)  # K and V once, and the first O, ℓ and m
parts = {}
for name, mask in masks.items():
    bill = flash1_forward(n, d, tile, tile, block_mask=mask)
    parts[name] = bill["reads"] + bill["writes"] - fixed
    share = sum(map(sum, mask)) / t**2
    ratio = parts[name] / parts["every tile"]
    print(f"{name:13} s = {share:.4f}, {fixed:,} + {parts[name]:10,} ({ratio:.4f})")
