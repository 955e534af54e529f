from tilewise import ledger


def traffic(bill):
    """Elements that cross between HBM and the chip."""
    return bill["reads"] + bill["writes"]


n, d, m = 4096, 128, 25_600  # 100 KiB of 4-byte numbers
standard = traffic(ledger.standard_forward(n, d))
rows, cols = ledger.block_sizes(m, d)
flash1 = traffic(ledger.flash1_forward(n, d, rows, cols))
print(f"N = {n}, d = {d}, M = {m:,}, tiles {rows} x {cols}")
print(f"  standard {standard:11,}")
print(f"  flash1   {flash1:11,}")

while traffic(ledger.flash1_forward(n, d, *ledger.block_sizes(m, d))) >= standard:
    m += 1
print(f"flash1 moves less from M = {m:,} on; 3d² = {3 * d * d:,}")

print("against standard        d = 64   128   256")
dims = (64, 128, 256)
base = {d: traffic(ledger.standard_forward(n, d)) for d in dims}
for gpu, kib in (("A100", 163), ("H100", 227)):  # shared memory a block may use
    m = kib * 1024 // 2  # elements of 2 bytes
    tiles = {d: ledger.block_sizes(m, d) for d in dims}
    share = [traffic(ledger.flash1_forward(n, d, *tiles[d])) / base[d] for d in dims]
    print(f"flash1, {gpu}, M = {m:7,}  ", *(f"{x:5.2f}" for x in share))
for rows in (64, 128, 256):
    share = [traffic(ledger.flash2_forward(n, d, rows, 64)) / base[d] for d in dims]
    print(f"flash2, B_r = {rows:3}          ", *(f"{x:5.2f}" for x in share))
