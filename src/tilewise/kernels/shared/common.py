"""What every rung shares: checked input, fresh outputs, and the rows of one head.

Programs are numbered along one axis of the grid, tiles × heads × batch, since the other
two end at 65,535. Offsets are 64-bit, since a tensor may have more than 2³¹ elements.
"""

import torch
import triton
import triton.language as tl

from tilewise.fits import check as check_shapes

LOG2E = tl.constexpr(1.4426950408889634)  # log₂ e: e^x = 2^{x log₂ e}
DTYPES = (torch.float16, torch.bfloat16, torch.float32)


def check(q, k, v, block_rows, block_cols, causal, d_v=False):
    """Raise ValueError with one sentence that names what no kernel here takes.

    d_v: v may have another d than q and k.
    """
    usual = causal in (False, True, "top-left") and fits(q, k, v)
    if usual and {block_rows, block_cols} <= {64, 128}:
        return
    for name, x in {"q": q, "k": k, "v": v}.items():
        if x.ndim != 4:
            raise ValueError(f"{name} must be (batch, heads, N, d), not {(*x.shape,)}")
    check_shapes(q, k, v, block_rows, block_cols, causal)
    if q.dtype not in DTYPES:
        raise ValueError(f"q, k, v must be fp16, bf16 or fp32, not {q.dtype}")
    if not q.device == k.device == v.device:
        devices = f"{q.device}, {k.device}, {v.device}"
        raise ValueError(f"q, k and v must be on one device, not on {devices}")
    dims = q.shape[-1], v.shape[-1]
    if any(d % 8 or d > 256 for d in dims) or (dims[0] != dims[1] and not d_v):
        same = "" if d_v else ", v's the same"
        message = f"d must be a multiple of 8 up to 256{same}: "
        raise ValueError(message + " and ".join(map(str, dims)))
    for name, size in (("block_rows", block_rows), ("block_cols", block_cols)):
        if size < 16 or size & (size - 1):
            raise ValueError(f"{name} must be a power of two from 16, not {size}")


def fits(q, k, v):
    """Whether kernels take these tensors: in one look, since each call asks."""
    if not q.ndim == k.ndim == 4:
        return False
    batch, heads, n_q, d = q.shape
    kv_heads, n_k = k.shape[1:3]
    return (
        k.shape == v.shape == (batch, kv_heads, n_k, d)
        and batch * heads * n_q * kv_heads * n_k * d > 0
        and heads % kv_heads == 0
        and d % 8 == 0
        and d <= 256
        and q.dtype is k.dtype is v.dtype
        and q.dtype in DTYPES
        and q.device == k.device == v.device
    )


def shift(causal, n_q, n_k):
    """Row r sees keys 0 .. r + shift: bottom-right (True), "top-left", or all."""
    return {False: n_k, True: n_k - n_q, "top-left": 0}[causal]


def prepare(q, k, v, scale, causal, block_rows, block_cols, d_v=False):
    """Check the input; return q, k, v with dense rows, empty o and lse, and τ.

    o is (batch, heads, N_q, d) like q, with its order in memory; lse (batch, heads,
    N_q) in fp32. scale None is 1/√d. d_v: v, and so o, may have another d.
    """
    check(q, k, v, block_rows, block_cols, causal, d_v)
    q, k, v = dense(q), dense(k), dense(v)
    (*rows, d), dims = q.shape, v.shape[-1]
    o = like(q) if dims == d else q.new_empty(*rows, dims)
    lse = q.new_empty(rows, dtype=torch.float32)
    return q, k, v, o, lse, d**-0.5 if scale is None else float(scale)


def like(x):
    """Room for a result of x's shape, with x's order in memory if rows stay dense.

    Where x's rows overlap, empty_like may take the axis of rows for the innermost.
    """
    y = torch.empty_like(x)
    return y if y.stride(-1) == 1 else x.new_empty(x.shape)


def positive(q, scale):
    """q and τ ≥ 0 with the same τ q kᵀ, so that τ max(s) is max(τ s) in a kernel."""
    if scale < 0:
        return -q, -scale
    return (q, scale) if scale else (torch.zeros_like(q), 1.0)


def dense(x):
    """x, or a copy of it if the d numbers of a row do not lie side by side."""
    return x if x.stride(-1) == 1 else x.contiguous()


def padded(d):
    """The power of two that a tile's d is filled up to with zeros: 80 and 96 to 128."""
    return max(16, triton.next_power_of_2(d))


def choose(table, q, tile):
    """(block_rows, block_cols, launch options) of a rung: from its table or from tile.

    table: largest padded d → (block_rows, block_cols, num_warps, num_stages), for 16
    bits per number; fp32 has no tensor cores and 32 × 32. tile: some of these by name.
    """
    names = ("block_rows", "block_cols", "num_warps", "num_stages")
    if unknown := sorted(tile.keys() - set(names)):
        raise TypeError(f"a tile has {', '.join(names)}, not {unknown[0]}")
    size = min((s for s in table if s >= q.shape[-1]), default=max(table))
    usual = (32, 32, 4, 1) if q.dtype == torch.float32 else table[size]
    launch = dict(zip(names, usual)) | tile
    return launch.pop("block_rows"), launch.pop("block_cols"), launch


@triton.jit
def head_of(x, strides, head, heads, group):
    """Where the rows begin of the head that query head `head` reads or writes.

    head counts through the batch, heads per batch entry; group query heads share one of
    x's (1 for q, o and the like). strides are those of (batch, head, row).
    """
    batch = (head // heads).to(tl.int64)
    return x + batch * strides[0] + (head % heads // group).to(tl.int64) * strides[1]


@triton.jit
def tile_of(x, stride, rows, DIMS: tl.constexpr):
    """Pointers (rows, DIMS) from the head's beginning x, rows being stride apart."""
    return x + rows.to(tl.int64)[:, None] * stride + tl.arange(0, DIMS)[None, :]


@triton.jit
def inside(rows, n, D: tl.constexpr, DIMS: tl.constexpr):
    """Which numbers of a tile (rows, DIMS) the tensor has: row < n and, padded, < D.

    n None: all rows are there. None where nothing is to be asked.
    """
    if n is None:
        keep = None if DIMS == D else tl.arange(0, DIMS)[None, :] < D
    elif DIMS == D:
        keep = rows[:, None] < n
    else:
        keep = (rows[:, None] < n) & (tl.arange(0, DIMS)[None, :] < D)
    return keep


@triton.jit
def load_tile(x, stride, rows, n, D: tl.constexpr, DIMS: tl.constexpr):
    """Rows of a head as (rows, DIMS), zeros past row n and past dimension D."""
    at = tile_of(x, stride, rows, DIMS)
    keep = inside(rows, n, D, DIMS)
    return tl.load(at) if keep is None else tl.load(at, keep, 0.0)


@triton.jit
def store_tile(x, stride, rows, n, tile, D: tl.constexpr, DIMS: tl.constexpr):
    """Write the rows < n and dimensions < D of a tile, rounded to x's dtype."""
    at = tile_of(x, stride, rows, DIMS)
    tl.store(at, tile.to(x.dtype.element_ty), inside(rows, n, D, DIMS))
