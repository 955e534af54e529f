"""What FlashAttention-1 moves between HBM and the chip, to the element."""


# --8<-- [start:solution]
def traffic_flash1(n, d, block_cols):
    """Elements read and written by Algorithm 1 (keys outside), in all.

    Q, K, V, O are N × d, ℓ and m have N numbers. Line 2 writes the first O, ℓ, m. For
    each block of keys, line 6 reads K_j and V_j; for each block of queries within,
    line 8 reads Q_i, O_i, ℓ_i, m_i, and lines 12 and 13 write O_i, ℓ_i, m_i.
    """
    rounds = -(-n // block_cols)  # T_c = ⌈N / B_c⌉
    state = n * (d + 2)  # O, ℓ, m
    return state + 2 * n * d + rounds * (n * d + state + state)
    # --8<-- [end:solution]


SOLUTION = traffic_flash1
WRONG = """
rounds_cut: T_c = ⌊N / B_c⌋: the last, smaller block has no round.
  -(-n // block_cols) → n // block_cols
rounds_not_whole: N / B_c rounds, as if the last one cost less.
  -(-n // block_cols) → n / block_cols
start_forgotten: Line 2 is left out.
  return state + 2 → return 2
output_written_once: O, ℓ, m stay on chip until they are done: that is FlashAttention-2.
  (n * d + state + state) → n * d
statistics_forgotten: ℓ and m are too small to count.
  n * (d + 2) → n * d
keys_in_every_round: All of K and V are read for every block of keys.
  2 * n * d + rounds * (n * d → rounds * (3 * n * d
"""
TOLERANCE = 0


def cases():
    yield "example", [4, 2, 2], 112
    yield "round", [4, 2, 4], 72
    for sizes in ([1024, 64, 128], [96, 16, 32]):
        yield "whole", sizes, walked(*sizes)
    for sizes in ([5, 2, 2], [100, 8, 48], [3, 4, 1], [3, 1, 8]):
        yield "ragged", sizes, walked(*sizes)


def walked(n, d, block_cols):
    """The loops themselves, with rows of queries one by one: B_r does not count."""
    total = n * d + n + n  # line 2
    for first in range(0, n, block_cols):
        keys = min(block_cols, n - first)
        total += keys * d + keys * d  # line 6
        for _ in range(n):
            total += d + d + 1 + 1  # line 8
            total += d + 1 + 1  # lines 12 and 13
    return total
