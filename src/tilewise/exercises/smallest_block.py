"""How many queries must share each load of K and V before a single kernel pays."""


# --8<-- [start:solution]
def smallest_block(n, d):
    """The smallest B_r with which one kernel moves less than standard attention.

    Standard attention moves 4 N² + 4 N d elements. In the single kernel, each block of
    B_r queries reads its rows of Q and all of K and V, and writes its rows of O and one
    number per query. The last block may have fewer queries.
    """
    for rows in range(1, n + 1):
        blocks = -(-n // rows)  # T_r = ⌈N / B_r⌉
        moved = n * d + blocks * 2 * n * d + n * d + n  # Q, K and V, O, L
        if moved < 4 * n * n + 4 * n * d:
            return rows
    # --8<-- [end:solution]


SOLUTION = smallest_block
WRONG = """
half_of_the_head: d / 2, from 2 N² d / B_r = 4 N²: right only for long sequences.
  range(1, n + 1) → [-(-d // 2)]
blocks_cut: T_r = ⌊N / B_r⌋: the last, smaller block reads nothing.
  -(-n // rows) → n // rows
keys_alone: V is forgotten: a block reads only K.
  blocks * 2 * n → blocks * n
inputs_are_free: Standard attention moves S and P only.
  4 * n * n + 4 * n * d → 4 * n * n
scores_written_once: S and P are written, and nobody reads them.
  4 * n * n + → 2 * n * n +
keys_outside: The bill of Algorithm 1, where keys stay and O comes and goes.
  n * d + blocks * 2 * n * d + n * d + n → 3 * n * d + blocks * (3 * n * d + 4 * n)
powers_of_two: Only 1, 2, 4, 8 and so on are tried.
  range(1, n + 1) → (2**x for x in range(n))
"""
TOLERANCE = 0


def cases():
    yield "page", [1024, 64], 32
    yield "example", [4, 2], 1
    for sizes in ([64, 8], [96, 16], [128, 32]):
        yield "long", sizes, walked(*sizes)
    for sizes in ([4, 64], [9, 8], [10, 16], [1, 5], [3, 7]):
        yield "short", sizes, walked(*sizes)
    for sizes in ([50, 12], [33, 9], [70, 24]):
        yield "ragged", sizes, walked(*sizes)


def walked(n, d):
    """Block by block, for longer and longer blocks, until they move less."""
    q = o = k = v = n * d
    s = p = n * n
    standard = (q + k + s) + (s + p) + (p + v + o)
    rows, total = 0, standard
    while total >= standard:
        rows += 1
        total = 0
        for begin in range(0, n, rows):
            queries = min(rows, n - begin)
            total += queries * d + k + v  # in
            total += queries * d + queries  # out: O and one number per query
    return rows
