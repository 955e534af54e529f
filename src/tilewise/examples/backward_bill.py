from tilewise import ledger

n, d, block_rows, block_cols = 1024, 64, 64, 128
standard = ledger.standard_backward(n, d)
tiled = ledger.flash1_backward(n, d, block_rows, block_cols)
saved = ledger.saved(n, d)

for name, bill, stays in (
    ("standard", standard, saved["standard"]),
    ("flash1", tiled, saved["flash1"]),
):
    traffic = bill["reads"] + bill["writes"]
    print(f"{name:8} {bill['flops']:12,} FLOPs  {traffic:9,} moved  {stays:9,} kept")
