from tilewise import ledger

n, d, block_rows, block_cols = 1024, 64, 64, 128
standard = ledger.standard_backward(n, d)
tiled = ledger.flash1_backward(n, d, block_rows, block_cols)
kept = ledger.saved(n, d)

for name, bill, stays in (
    ("standard", standard, kept["standard"]),
    ("flash1", tiled, kept["flash1"]),
):
    moved = bill["reads"] + bill["writes"]
    print(f"{name:8} {bill['flops']:12,} FLOPs  {moved:9,} moved  {stays:9,} kept")
