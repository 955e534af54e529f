from tilewise.ledger import flash2_forward

d, tile, left = 64, 128, 1023  # a window of 1024 keys
for n in (2048, 8192, 32_768):
    masks = {"causal": {"causal": True}, "window": {"window": (left, 0)}}
    bills = [flash2_forward(n, d, tile, tile, **mask) for mask in masks.values()]
    for name, bill in zip(masks, bills):
        moved = bill["reads"] + bill["writes"]
        visited = bill["flops"] // (4 * d * tile * tile)
        print(f"N = {n:6,} {name:7} {visited:6,} tiles {moved:12,} elements")
