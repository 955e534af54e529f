d, threads = 128, 128  # one group of four warps


def tiles(query_rows):
    """What 64 keys keep in registers for a block of queries: name, rows, columns."""
    kept = [("dK", 64, d), ("dV", 64, d)]
    kept += [(x, 64, query_rows) for x in ("S", "dP")]
    return kept + [("dQ", query_rows, 64)]  # two groups make half of dQ each


ways = [("forward", [("O", 64, d), ("S", 64, 128)])]
for rows in (64, 128):
    ways.append((f"{rows} rows", tiles(rows)))
for name, held in ways:
    each = [(x, rows * cols // threads) for x, rows, cols in held]
    print(f"{name:8} {sum(n for _, n in each)}:", *(f"{x} {n}" for x, n in each))
