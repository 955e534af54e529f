from tilewise.ledger import block_sizes, flash1_forward, standard_forward


def traffic(bill):
    return bill["reads"] + bill["writes"]


n = 4096
for d in (64, 128):
    for bytes_each in (2, 4):
        m = 100 * 1024 // bytes_each  # elements in 100 KiB of SRAM
        times = traffic(flash1_forward(n, d, *block_sizes(m, d)))
        times /= traffic(standard_forward(n, d))
        print(f"d = {d:3}  M = {m}  3d² = {3 * d * d}  moved: {times:.3f} of standard")
