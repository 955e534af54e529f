"""Whether an attention fits: shapes, sizes, work, finite numbers."""

import torch

from tilewise.attention.passes import tile_sizes
from tilewise.serve.problem import wrong

TILE = 2**22  # numbers of a tile, of S or of spread K and V, over all heads


def fit(tensors, limits):
    """Raise Problem (422) where q, k, v do not fit together or are too large."""
    q, k, v = (tensors[x] for x in "qkv")
    for name, x in tensors.items():
        if x.ndim != 4:
            rank = f"{name} must be (batch, heads, N, d), and has {x.ndim} axes"
            raise wrong(rank, name)
    if not q.dtype == k.dtype == v.dtype:
        dtypes = ", ".join(str(x.dtype).removeprefix("torch.") for x in (q, k, v))
        raise wrong(f"q, k and v must have one dtype, not {dtypes}", "dtype")
    for name in "kv":
        if tensors[name].shape[0] != q.shape[0]:
            text = f"{name} has batch {tensors[name].shape[0]}, q has {q.shape[0]}"
            raise wrong(text, name)
    if k.shape[1] != v.shape[1]:
        raise wrong(f"v has {v.shape[1]} heads, k has {k.shape[1]}", "v")
    if q.shape[1] % k.shape[1]:
        text = f"the {k.shape[1]} heads of k must divide the {q.shape[1]} of q"
        raise wrong(text, "k")
    if k.shape[3] != q.shape[3]:
        raise wrong(f"k has d = {k.shape[3]}, q has d = {q.shape[3]}", "k")
    if v.shape[2] != k.shape[2]:
        raise wrong(f"v has N = {v.shape[2]}, k has N = {k.shape[2]}", "v")
    small(q, k, v, limits)


def small(q, k, v, limits):
    """Raise Problem (422) where a size is past its limit."""
    sizes = [("q", q.numel()), ("k", k.numel()), ("v", v.numel())]
    sizes += [("o", q.shape[:3].numel() * v.shape[3])]
    for name, size in sizes:
        if size > (most := limits["max_elements"]):
            raise wrong(f"{name} would have {size} numbers; at most {most}", name)
    for name, size in (("d", q.shape[3]), ("d_v", v.shape[3])):
        if size > (most := limits["max_dim"]):
            raise wrong(f"{name} is {size}; at most {most}", "qv"[name == "d_v"])
    if (heads := q.shape[0] * q.shape[1]) > (most := limits["max_heads"]):
        raise wrong(f"batch × heads is {heads}; at most {most}", "q")
    if (needed := work(q, k, v)) > (most := limits["max_work"] * 10**9):
        text = "N_q × N_k × heads × d asks for too much work"
        raise wrong(f"{text}: {needed:.3g} multiply-adds, at most {most:.3g}", "q")


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


def finite(tensors):
    """Raise Problem (422) where a tensor has NaN or infinity."""
    for name, x in tensors.items():
        if not torch.isfinite(x).all():
            dtype = str(x.dtype).removeprefix("torch.")
            raise wrong(f"{name} has a number that is not finite in {dtype}", name)
