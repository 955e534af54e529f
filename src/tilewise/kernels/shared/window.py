"""Masks of which each row sees one interval of keys: limits, and which tiles they need.

Row r sees the keys from r + low to r + high, as far as they exist. Seen from the other
side, key c is visible to the rows from c − high to c − low. This is the same rule with
the limits swapped, and so one function, `span`, serves both loops of the backward pass.
"""

import triton
import triton.language as tl

from tilewise.kernels.shared.common import shift


def limits(causal, window, n_q, n_k):
    """(low, high) of `span` for the options causal and window = (left, right).

    A window is counted from the bottom-right diagonal, where row r is at the key
    r + N_k − N_q, and causal hides what it hides besides. None is no limit.
    Raises ValueError where window is not a pair of None or whole numbers from 0 on.
    """
    left, right = check_window(window)
    here, far = n_k - n_q, n_q + n_k  # no key is further away than that
    low = here - (far if left is None else min(left, far))
    high = here + (far if right is None else min(right, far))
    return low, min(high, shift(causal, n_q, n_k)) if causal else high


def check_window(window):
    """window as a pair, (None, None) for None. Raises ValueError."""
    if window is None:
        return None, None
    pair = isinstance(window, tuple | list) and len(window) == 2
    if not pair or any(
        x is not None and (isinstance(x, bool) or not isinstance(x, int) or x < 0)
        for x in window
    ):
        message = "window must be None or (left, right), each None or a whole number"
        raise ValueError(f"{message} of at least 0, not {window!r}")
    return window


def sides(window, n_q, n_k):
    """window as two numbers of keys, for documents with at most n_q rows and n_k keys.

    What `limits` is where the host knows lengths, this and `limits_of` are where only
    the GPU does. Raises ValueError as `limits` does.
    """
    far = n_q + n_k  # no key is further away than that
    return tuple(far if x is None else min(x, far) for x in check_window(window))


def narrow(causal, window):
    """Whether each row sees fewer than 2048 keys, so that short walks need small tiles.

    Raises ValueError as `limits` does.
    """
    left, right = check_window(window)
    right = 0 if causal else right
    return left is not None and right is not None and left + right + 1 < 2048


def wider(q, v):
    """The one of q and v with more dimensions, which decides how large a tile is."""
    return q if q.shape[-1] >= v.shape[-1] else v


@triton.jit
def limits_of(n_q, n_k, left, right, of_k, of_q):
    """(low, high) of `span` for a document; of_k and of_q are its `shift_factors`."""
    here = n_k - n_q
    return here - left, tl.minimum(here + right, of_k * n_k - of_q * n_q)


@triton.jit
def ends_of(rows, low, high, n_k):
    """The first and the last key that each row sees, below N_k."""
    return rows + low, tl.minimum(rows + high, n_k - 1)


@triton.jit
def visible(cols, first, last):
    """Which keys of a tile each row sees.

    It compares, since a difference of rows and columns would fill a register per score.
    """
    return (cols[None, :] >= first[:, None]) & (cols[None, :] <= last[:, None])


# --8<-- [start:span]
@triton.jit
def span(i, n, others, low, high, BLOCK: tl.constexpr, OTHERS: tl.constexpr):
    """Where block i of n rows meets keys: start ≤ full ≤ past ≤ end, of `others` keys.

    Tiles from start to full and from past to end need a mask. Those between full and
    past are visible to every row of the block. All four are whole tiles, except that
    the last may be the end of the keys.
    """
    first, last = i * BLOCK, tl.minimum((i + 1) * BLOCK, n) - 1  # rows
    end = tl.maximum(tl.minimum(last + high + 1, others), 0)
    start = tl.minimum(tl.maximum(first + low, 0) // OTHERS * OTHERS, end)
    full = tl.cdiv(tl.maximum(last + low, 0), OTHERS) * OTHERS
    past = tl.maximum(tl.minimum(first + high + 1, others), 0) // OTHERS * OTHERS
    full = tl.minimum(tl.maximum(full, start), end)
    return start, full, tl.maximum(past, full), end
    # --8<-- [end:span]
