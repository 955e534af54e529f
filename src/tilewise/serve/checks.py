"""Whether an attention fits: shapes, sizes, work, finite numbers."""

import torch

from tilewise.attention.passes import tile_sizes
from tilewise.serve.problem import wrong

TILE = 2**22  # numbers of a tile, of S or of spread K and V, over all heads


def fit(tensors, limits):
    """Raise Problem (422) where q, k, v do not fit together or are too large."""
    q, k, v = (tensors[x] for x in "qkv")
    for name, x in tensors.items():
        if x.ndim != 4 or not x.numel():
            raise wrong(f"{name} must be (batch, heads, N, d), not {[*x.shape]}", name)
    if not q.dtype == k.dtype == v.dtype:
        raise wrong("q, k and v must have one dtype", "dtype")
    for name, what, size, right in (
        ("k", "batch", k.shape[0], q.shape[0]),
        ("v", "batch", v.shape[0], q.shape[0]),
        ("v", "heads", v.shape[1], k.shape[1]),
        ("k", "d", k.shape[3], q.shape[3]),
        ("v", "N", v.shape[2], k.shape[2]),
    ):
        if size != right:
            raise wrong(f"{name} has {what} = {size}, and must have {right}", name)
    if q.shape[1] % k.shape[1]:
        raise wrong(f"{k.shape[1]} heads of k must divide {q.shape[1]} of q", "k")
    small(q, k, v, limits)


def small(q, k, v, limits):
    """Raise Problem (422) where q, k and v ask for more than the limits allow."""
    o = q.shape[:3].numel() * v.shape[3]
    for name, what, size, most in (
        ("q", "numbers", max(q.numel(), o), limits["max_elements"]),
        ("k", "numbers", max(k.numel(), v.numel()), limits["max_elements"]),
        ("q", "d", q.shape[3], limits["max_dim"]),
        ("v", "d", v.shape[3], limits["max_dim"]),
        ("q", "batch × heads", q.shape[0] * q.shape[1], limits["max_heads"]),
        ("q", "multiply-adds", work(q, k, v), limits["max_work"] * 10**9),
    ):
        if size > most:
            text = f"{name} asks for too much: {what} {size:.6g}, at most {most:.6g}"
            raise wrong(text, name)


# --8<-- [start:work]
def work(q, k, v):
    """What an attention costs at most, in multiply-adds; shapes are enough.

    A score has d + d_v of them. Its exponential and the passes over it are counted as
    512, and the copy of a number of K or V for a row of tiles as 64.
    """
    (batch, heads, n_q, d), n_k, d_v = q.shape, k.shape[2], v.shape[3]
    rows = -(-n_q // blocks(q, v)[0])
    score, copy = n_q * (512 + d + d_v), rows * 64 * (d + d_v)
    return batch * heads * n_k * (score + copy)
    # --8<-- [end:work]


def blocks(q, v):
    """B_r, B_c: those of tilewise.flash_attention, smaller where memory asks for it.

    Over all heads a tile of S and the K and V spread for it have at most TILE numbers.
    """
    rows, cols = tile_sizes(q)
    heads = q.shape[:2].numel()
    rows = min(rows, max(1, TILE // (heads * (q.shape[3] + v.shape[3]))))
    wide = max(rows, q.shape[3] + v.shape[3])
    return rows, min(cols, max(1, TILE // (heads * wide)))


def finite(tensors, said):
    """Raise Problem (422) for NaN and infinity; the L of an empty row is −∞."""
    for name, x in tensors.items():
        fine = torch.isfinite(x) | (x == -torch.inf if name == "lse" else False)
        if not fine.all():
            raise wrong(f"{name} {said.format(str(x.dtype)[6:])}", name)
