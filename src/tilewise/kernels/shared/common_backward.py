"""What the backward rungs share: the input's check, a row's two numbers, what is seen.

A tile needs two numbers of each row, δ = Σ dO ∘ O − dL and L. They are made once, kept
in whole tiles, L in base 2 for exp2. Rows past the end, and rows that saw no key, get
L = +∞: there P = 2^{S − L} is 0, and no walk over tiles needs a mask for its rows.
"""

import torch
import triton
import triton.language as tl

from tilewise.fits import check_saved
from tilewise.kernels.shared.common import LOG2E, check, dense, padded

PAD = 128  # L and δ are stored in multiples of this many rows, the tallest tile
ELSEWHERE = {  # not measured; compiles from sm_80 on, without spills
    64: ((32, 64, 4, 2), (64, 64, 4, 2)),
    128: ((32, 64, 8, 2), (64, 64, 8, 2)),
    256: ((16, 64, 8, 2), (64, 32, 8, 2)),
}


def prepare(q, k, v, o, do, lse, dlse, scale, causal, *tiles, d_v=False):
    """Check the input; return it with dense rows, room for L in base 2 and δ, and τ.

    dlse None stays None. L and δ are (batch, heads, N_q rounded up to PAD) in fp32;
    each of tiles begins with block_rows, block_cols. d_v: v may have another d than q.
    Raises ValueError.
    """
    for rows, cols, *_ in tiles:
        check(q, k, v, rows, cols, causal, d_v)
        if rows > PAD:
            raise ValueError(f"block_rows must be at most {PAD}, not {rows}")
    saved = {"o": o, "do": do, "lse": lse} | ({} if dlse is None else {"dlse": dlse})
    check_saved(q, v, **saved)
    for name, x in saved.items():
        if x.device != q.device or (name in ("o", "do") and x.dtype != q.dtype):
            like = f"{q.dtype} on {q.device}"
            raise ValueError(f"{name} must fit q, {like}, not {x.dtype} on {x.device}")
    room = *q.shape[:2], -(-q.shape[2] // PAD) * PAD
    lse2, delta = q.new_empty(2, *room, dtype=torch.float32)
    lse, dlse = (x if x is None else x.float().contiguous() for x in (lse, dlse))
    rows = lse, dlse, lse2, delta
    scale = q.shape[-1] ** -0.5 if scale is None else float(scale)
    return [dense(x) for x in (q, k, v, o, do)], rows, scale


def choose(table, q, *tiles):
    """The tiles for dK and dV and for dQ: those of the call, else of a rung's table.

    table: padded d → two of (block_rows, block_cols, num_warps, num_stages), measured
    with 16 bits on Hopper; ELSEWHERE is for other GPUs. fp32 has twice the bytes and no
    tensor cores: there a tile is small, and a product short enough to compile.
    """
    size = max(min(table), padded(q.shape[-1]))
    usual = table[size]
    if q.element_size() == 4:
        usual = [(32, 32, 8, 1) if size < 256 else (16, 16, 8, 1)] * 2
    elif q.is_cuda and torch.cuda.get_device_capability(q.device)[0] != 9:
        usual = ELSEWHERE[size]
    return [u if g is None else g for u, g in zip(usual, tiles)]


@triton.jit
def row_numbers(o, do, LSE, DLSE, LSE2, DELTA, head, row, N_Q, N_PAD,
                ROWS: tl.constexpr):
    """L in base 2 and δ for rows row .. row + ROWS of a head, stored and returned.

    o, do (ROWS, d) in fp32; LSE and DLSE (heads, N_Q), LSE2 and DELTA (heads, N_PAD).
    """
    rows = row + tl.arange(0, ROWS)
    at = head.to(tl.int64) * N_Q + rows
    # --8<-- [start:row_numbers]
    lse = tl.load(LSE + at, rows < N_Q, float("-inf")).to(tl.float32)
    seen = lse > float("-inf")
    lse2 = tl.where(seen, lse * LOG2E, float("inf"))
    delta = tl.sum(o * do, 1)  # (ROWS,)
    if DLSE is not None:  # within a row ∂L/∂S = P, so that dS = P ∘ (dP − δ) + dL P
        delta -= tl.load(DLSE + at, rows < N_Q, 0.0).to(tl.float32)
    delta = tl.where(seen, delta, 0.0)
    # --8<-- [end:row_numbers]
    at = head.to(tl.int64) * N_PAD + rows
    tl.store(LSE2 + at, lse2, rows < N_PAD)
    tl.store(DELTA + at, delta, rows < N_PAD)
    return lse2, delta


@triton.jit
def rows_seeing(col, SHIFT, N_PAD, BLOCK_ROWS: tl.constexpr,
                BLOCK_COLS: tl.constexpr):
    """Of keys col .. col + BLOCK_COLS, rows before `some` see none, from `every` all.

    Row r sees keys 0 .. r + SHIFT. Both are whole tiles and at most N_PAD.
    """
    some = tl.maximum(col - SHIFT, 0) // BLOCK_ROWS * BLOCK_ROWS
    last = tl.maximum(col + BLOCK_COLS - 1 - SHIFT, 0)
    every = tl.cdiv(last, BLOCK_ROWS) * BLOCK_ROWS
    return tl.minimum(some, N_PAD), tl.minimum(every, N_PAD)


@triton.jit
def keys_seen(row, SHIFT, N_K, BLOCK_ROWS: tl.constexpr,
              BLOCK_COLS: tl.constexpr):
    """Rows row .. row + BLOCK_ROWS: keys before `every` all see, from `some` on none.

    The first row sees fewest keys: `every` is the whole tiles of these.
    """
    every = tl.minimum(tl.maximum(row + SHIFT + 1, 0), N_K) // BLOCK_COLS * BLOCK_COLS
    return every, tl.minimum(tl.maximum(row + BLOCK_ROWS + SHIFT, 0), N_K)
