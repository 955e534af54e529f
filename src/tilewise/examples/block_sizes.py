from tilewise.ledger import block_sizes, flash1_forward

for gpu, kib in (("A100", 163), ("H100", 227)):  # shared memory a block may use
    m = kib * 1024 // 2  # elements of 2 bytes
    for d in (64, 128, 256):
        rows, cols = block_sizes(m, d)
        need = flash1_forward(4096, d, rows, cols)["sram"]
        fits = "fits" if need <= m else "does not fit"
        print(f"{gpu}  d = {d:3}  {rows:3} x {cols:3}  {need / m:4.0%} of M  {fits}")
