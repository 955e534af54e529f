from tilewise.ledger import standard_forward

n, d = 1024, 64
bill = standard_forward(n, d)
moved = bill["reads"] + bill["writes"]
least = 4 * n * d  # read Q, K, V once and write O once

print(f"moved through HBM   {moved:9,} elements")
print(f"Q, K, V, O alone    {least:9,} elements: {moved // least} times less")
print(f"S and P, four trips {4 * n * n:9,} elements: {400 * n * n // moved}%")
print(f"FLOPs a byte (2 bytes an element) {bill['flops'] / (2 * moved):.1f}")
