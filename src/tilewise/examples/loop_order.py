from tilewise.ledger import flash1_forward, flash2_forward


def traffic(forward, *sizes):
    """Elements that one head reads and writes."""
    cost = forward(*sizes)
    return cost["reads"] + cost["writes"]


print("   N   d  B_r  B_c  K, V outer    Q outer")
for n, d, block_rows, block_cols in (
    (4, 2, 2, 2),
    (1024, 64, 64, 64),
    (1024, 64, 128, 64),
    (1024, 64, 256, 64),
    (1024, 64, 64, 128),
    (1024, 64, 64, 256),
):
    sizes = n, d, block_rows, block_cols
    kv_outer, q_outer = traffic(flash1_forward, *sizes), traffic(flash2_forward, *sizes)
    print(f"{n:4} {d:3} {block_rows:4} {block_cols:4} {kv_outer:11,} {q_outer:10,}")
