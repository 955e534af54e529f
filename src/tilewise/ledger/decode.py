"""What a step of split-KV decoding moves between HBM and the chip, counted exactly.

The counts are for one sequence with n keys in its cache, n_q of them new, and heads
query heads over kv_heads heads of K and V. Every load and every store of
`tilewise.kernels.decode` is in them except for the whole numbers that it reads, one
length for each program and one entry of the block table for each key. A count is a
dict of elements:

cache           K and V, read once for each block of packed rows
q, o            queries read, outputs written
lse             L written
partial_writes  (o, L) of each part, in fp32; 0 with a single part
partial_reads   the same, read again by the merge
"""

from tilewise.checks import check_sizes
from tilewise.ledger.sizes import DTYPES, ceil_div
from tilewise.trace.split_kv import first_key, parts


def decode(
    n: int,
    heads: int,
    kv_heads: int,
    d: int,
    d_v: int,
    *,
    n_q: int = 1,
    splits: int = 1,
    left: int | None = None,
    block_rows: int = 16,
    block_cols: int = 64,
) -> dict[str, int]:
    """The elements that one step moves for one sequence, by what they are.

    n may be 0, and values have d_v columns. The heads of a group and the n_q tokens of
    each are rows of one block of block_rows, or of several. left is the window's: how
    many keys before its own a token sees.
    Raises ValueError if a size is not a whole number of at least 1.
    """
    check_sizes(heads=heads, kv_heads=kv_heads, d=d, d_v=d_v, n_q=n_q, splits=splits)
    check_sizes(block_rows=block_rows, block_cols=block_cols)
    first, packed = first_key(n, n_q, left), heads // kv_heads * n_q
    pieces = len(parts(first, n, block_cols, splits))
    blocks, rows = ceil_div(packed, block_rows), heads * n_q
    alone = splits == 1
    partial = 0 if alone else pieces * rows * (d_v + 1)
    return {
        "cache": blocks * kv_heads * (n - first) * (d + d_v),
        "q": rows * d * (1 if alone else pieces),
        "o": rows * d_v,
        "lse": rows,
        "partial_writes": partial,
        "partial_reads": partial,
    }


def decode_bytes(count: dict, dtype: str) -> int:
    """All of a count of `decode` in bytes: L and partial results are in fp32.

    Raises KeyError for a dtype that is not in tilewise.ledger.DTYPES.
    """
    wide = count["lse"] + count["partial_writes"] + count["partial_reads"]
    narrow = count["cache"] + count["q"] + count["o"]
    return narrow * DTYPES[dtype] + wide * 4
