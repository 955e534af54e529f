from itertools import permutations

import torch

torch.manual_seed(0)
rows, keys, d = 64, 16, 32
for blocks in (2, 3, 4, 5):
    k = torch.randn(blocks, keys, d)
    ds = torch.randn(blocks, rows, keys)
    parts = ds @ k  # what each block of keys adds to the same rows of dQ
    results = set()
    for order in permutations(range(blocks)):
        dq = torch.zeros(rows, d)
        for j in order:
            dq += parts[j]
        results.add(tuple(dq.flatten().tolist()))
    orders = len(list(permutations(range(blocks))))
    print(f"{blocks} blocks: {orders:3} orders, {len(results):2} results")
    apart = (torch.tensor(list(results)) - parts.sum(0).flatten()).abs().max()
print("none far off:", apart.item() < 1e-4)
