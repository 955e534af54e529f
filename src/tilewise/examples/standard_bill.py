from tilewise.ledger import standard_forward

n, d = 1024, 64
bill = standard_forward(n, d)
traffic = bill["reads"] + bill["writes"]
least = 4 * n * d  # read Q, K, V once and write O once

print(f"moved through HBM   {traffic:9,} elements")
print(f"Q, K, V, O alone    {least:9,} elements: 1/{traffic // least} of it")
print(f"S and P, four trips {4 * n * n:9,} elements: {400 * n * n // traffic}%")
print(f"FLOP per byte (2 bytes per element) {bill['flops'] / (2 * traffic):.1f}")
