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


def rounds_cut(n, d, block_cols):
    """T_c = ⌊N / B_c⌋: the last, smaller block has no round."""
    state = n * (d + 2)
    return state + 2 * n * d + n // block_cols * (n * d + state + state)


def rounds_not_whole(n, d, block_cols):
    """N / B_c rounds, as if the last one cost less."""
    state = n * (d + 2)
    return state + 2 * n * d + n / block_cols * (n * d + state + state)


def start_forgotten(n, d, block_cols):
    """Line 2 is left out."""
    rounds, state = -(-n // block_cols), n * (d + 2)
    return 2 * n * d + rounds * (n * d + state + state)


def output_written_once(n, d, block_cols):
    """O, ℓ, m stay on chip until they are done: that is FlashAttention-2."""
    rounds, state = -(-n // block_cols), n * (d + 2)
    return 2 * n * d + rounds * n * d + state


def statistics_forgotten(n, d, block_cols):
    """ℓ and m are too small to count."""
    rounds = -(-n // block_cols)
    return 3 * n * d + rounds * 3 * n * d


def keys_in_every_round(n, d, block_cols):
    """All of K and V are read for every block of keys."""
    rounds, state = -(-n // block_cols), n * (d + 2)
    return state + rounds * (2 * n * d + n * d + state + state)


SOLUTION = traffic_flash1
WRONG = (
    rounds_cut,
    rounds_not_whole,
    start_forgotten,
    output_written_once,
    statistics_forgotten,
    keys_in_every_round,
)
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
