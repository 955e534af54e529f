"""The order of a grid whose blocks differ in length, and how far each block walks.

Under a causal mask a late block of rows sees more keys than an early one. The longest
blocks start first, so that no processor starts one at the end, and the heads that run
at the same time are few enough for their K and V to stay in L2 together.
"""

import triton
import triton.language as tl

CACHE = 16 * 2**20  # bytes of K and V that a crew of heads may keep in L2


# --8<-- [start:order]
@triton.jit
def longest_first(program, tiles, total, crew):
    """(block of rows, head): crews of heads, and in a crew the last rows first.

    total heads of the batch, tiles blocks of rows each. The heads of a crew run side by
    side, and their K and V fit in L2 together.
    """
    first = program // (tiles * crew) * crew  # head
    size = tl.minimum(crew, total - first)  # the last crew may be smaller
    rest = program - first * tiles
    return tiles - 1 - rest // size, first + rest % size


@triton.jit
def reach(i, n_q, n_k, shift, BLOCK_ROWS: tl.constexpr, BLOCK_COLS: tl.constexpr):
    """(full, end): tiles before key `full` need no mask, and none begin at `end`."""
    past = tl.minimum((i + 1) * BLOCK_ROWS, n_q) + shift  # of the last row
    full = tl.minimum(i * BLOCK_ROWS + 1 + shift, n_k)  # of the first row
    full = tl.maximum(full, 0) // BLOCK_COLS * BLOCK_COLS
    return full, tl.minimum(past, n_k)
    # --8<-- [end:order]


def crew_of(q, k):
    """How many query heads run side by side: as many as keep K and V in CACHE."""
    bytes_of_head = 2 * k.shape[-2] * k.shape[-1] * k.element_size()
    crew = max(1, CACHE // bytes_of_head) * (q.shape[1] // k.shape[1])
    return min(crew, q.shape[0] * q.shape[1])  # no more than there are
