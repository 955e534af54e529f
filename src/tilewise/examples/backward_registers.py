d, threads = 128, 128  # one group of four warps


def backward(query_rows):
    """What 64 keys keep in registers for a block of queries: name, rows, columns."""
    tiles = [("dK", 64, d), ("dV", 64, d)]
    tiles += [(x, 64, query_rows) for x in ("S", "dP")]
    return tiles + [("dQ", query_rows, 64)]  # half of it: another group has the rest


ways = [("forward", [("O", 64, d), ("S", 64, 128)])]
for rows in (64, 128):
    ways.append((f"{rows} rows", backward(rows)))
for name, tiles in ways:
    each = [(x, rows * cols // threads) for x, rows, cols in tiles]
    print(f"{name:8} {sum(n for _, n in each)}:", *(f"{x} {n}" for x, n in each))
