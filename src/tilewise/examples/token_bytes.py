from tilewise.ledger.decode import decode, decode_bytes

n, heads, d = 131_072, 32, 128
print("KV heads, tokens      cache   q, o, L   partial       MB  FLOP per byte")
for kv_heads, n_q in ((32, 1), (8, 1), (1, 1), (8, 4), (8, 16)):
    rows = max(16, heads // kv_heads * n_q)  # of the tile
    count = decode(n, heads, kv_heads, d, d, n_q=n_q, splits=16, block_rows=rows)
    small = count["q"] + count["o"] + count["lse"]
    partial = count["partial_reads"] + count["partial_writes"]
    moved = decode_bytes(count, "bf16")
    flops = 4 * heads * n_q * n * d
    print(f"{kv_heads:8} {n_q:7} {count['cache']:10,} {small:9,} {partial:9,}", end="")
    print(f" {moved / 1e6:8.1f} {flops / moved:7.1f}")
