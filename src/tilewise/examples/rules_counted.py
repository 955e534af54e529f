from tilewise import ledger

N, D, TILE = 16384, 128, (128, 128)
print(f"one head, N = {N:,}, d = {D}   forward   backward       kept for it")
for name, tile in (("standard", ()), ("flash2", TILE)):
    passes = (getattr(ledger, f"{name}_{way}") for way in ("forward", "backward"))
    first, second = (run(N, D, *tile)["flops"] // (N * N * D) for run in passes)
    saved = ledger.saved(N, D)[name]
    print(f"{name:28}{first:5} N²d {second:6} N²d  {saved / 1e6:8.1f} million")

print(f"\none new token, {N:,} keys, 32 query heads: million elements moved")
for kv_heads in (32, 8, 1):
    group = 32 // kv_heads  # query heads that share one load of K and V
    bill = ledger.flash2_forward(group, D, *TILE, n_k=N)
    traffic = kv_heads * (bill["reads"] + bill["writes"])
    print(f"flash2,   {kv_heads:2} KV heads: {traffic / 1e6:6.2f}")
bill = ledger.standard_forward(1, D, n_k=N)
print(f"standard, 32 KV heads: {32 * (bill['reads'] + bill['writes']) / 1e6:6.2f}")
