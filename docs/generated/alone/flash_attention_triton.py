# flash_attention_triton.py of Tilewise 0.1.0, by `tilewise export`.
# It needs torch and triton; python flash_attention_triton.py tests it.
# Copyright (c) 2026 The Tilewise authors. SPDX-License-Identifier: MIT

"""FlashAttention in Triton, forward and backward, for NVIDIA GPUs from Ampere on.

    o = flash_attention(q, k, v, causal=True)

computes softmax(τ q kᵀ) v in fp16, bf16 and fp32, with d a multiple of 8 up to 128. Its
kernels are `causal` and `backward_split` of the ladder. Windows, softcap, ALiBi, sinks,
dropout and a v of another d are in flash_attention_options_triton.py. Without a GPU,
TRITON_INTERPRET=1 has Triton interpret the kernels, slowly and with NumPy.
"""

import torch
import triton
import triton.language as tl

LOG2E = tl.constexpr(1.4426950408889634)  # log₂ e: e^x = 2^{x log₂ e}

def shift(causal, n_q, n_k):
    """Row r sees keys 0 .. r + shift: bottom-right (True), "top-left", or all."""
    return {False: n_k, True: n_k - n_q, "top-left": 0}[causal]

def positive(q, scale):
    """q and τ ≥ 0 with the same τ q kᵀ, so that τ max(s) is max(τ s) in a kernel."""
    if scale < 0:
        return -q, -scale
    return (q, scale) if scale else (torch.zeros_like(q), 1.0)

def padded(d):
    """The power of two that a tile's d is filled up to with zeros: 80 and 96 to 128."""
    return max(16, triton.next_power_of_2(d))

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

@triton.jit
def step(q, k, v, acc, l, m, tau2, seen):
    """One tile of keys: S = Q Kᵀ, m' = max(m, τ₂ S), P = 2^{τ₂ S − m'}, then Õ and ℓ.

    tau2 is τ log₂ e ≥ 0. seen (B_r, B_c), or None where every row sees every key.
    """
    s = tl.dot(q, k.T, input_precision="ieee")  # (B_r, B_c), without τ
    if seen is not None:
        s = tl.where(seen, s, float("-inf"))
    m_new = tl.maximum(m, tl.max(s, 1) * tau2)  # (B_r,)
    base = m_new if seen is None else tl.where(m_new == float("-inf"), 0.0, m_new)
    p = tl.exp2(s * tau2 - base[:, None])  # one multiply-add, one ex2
    alpha = tl.exp2(m - base)
    l = alpha * l + tl.sum(p, 1)
    acc = alpha[:, None] * acc
    acc = tl.dot(p.to(v.dtype), v, acc, input_precision="ieee")  # (B_r, d)
    return acc, l, m_new

@triton.jit
def start(BLOCK_ROWS: tl.constexpr, DIMS: tl.constexpr):
    """Õ, ℓ, m of a block of rows that has seen no key: 0, 0, −∞."""
    acc = tl.zeros([BLOCK_ROWS, DIMS], tl.float32)
    l = tl.zeros([BLOCK_ROWS], tl.float32)
    return acc, l, tl.full([BLOCK_ROWS], float("-inf"), tl.float32)

@triton.jit
def finish(acc, l, m):
    """O = Õ / ℓ and L = (m + log₂ ℓ) / log₂ e; where no key was seen, 0 and −∞."""
    l = tl.where(l == 0, 1.0, l)
    return acc / l[:, None], (m + tl.log2(l)) / LOG2E

CACHE = 16 * 2**20  # bytes of K and V that a crew of heads may keep in L2

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

def crew_of(q, k):
    """How many query heads run side by side: as many as keep K and V in CACHE."""
    bytes_of_head = 2 * k.shape[-2] * k.shape[-1] * k.element_size()
    crew = max(1, CACHE // bytes_of_head) * (q.shape[1] // k.shape[1])
    return min(crew, q.shape[0] * q.shape[1])  # no more than there are

TILES = {64: (128, 64, 8, 3), 128: (128, 64, 4, 2), 256: (128, 64, 8, 2)}
SIZES = "shift", "heads", "total", "crew"  # one compiled kernel for all of them

@triton.jit
def walk(
    q, acc, l, m, k_head, v_head, k_stride, v_stride, last, lo, hi, n_k, tau2,
    D: tl.constexpr, DIMS: tl.constexpr, BLOCK_COLS: tl.constexpr, MASKED: tl.constexpr,
):
    """Take in the tiles from key lo to key hi, with the mask or without."""
    for j in tl.range(lo, hi, BLOCK_COLS):
        cols = j + tl.arange(0, BLOCK_COLS)
        n = n_k if MASKED else None  # None: all of the tile's rows are there
        k = load_tile(k_head, k_stride, cols, n, D, DIMS)  # (B_c, d)
        v = load_tile(v_head, v_stride, cols, n, D, DIMS)
        seen = None
        if MASKED:
            seen = cols[None, :] <= last[:, None]
        acc, l, m = step(q, k, v, acc, l, m, tau2, seen)
    return acc, l, m

@triton.jit(do_not_specialize=SIZES)
def causal_rows(
    Q, K, V, O, LSE, q_strides, k_strides, v_strides, o_strides, n_q, n_k, shift, scale,
    heads, group, total, crew, D: tl.constexpr, DIMS: tl.constexpr,
    BLOCK_ROWS: tl.constexpr, BLOCK_COLS: tl.constexpr,
):
    """One block of rows of one head."""
    tiles = tl.cdiv(n_q, BLOCK_ROWS)
    i, head = longest_first(tl.program_id(0), tiles, total, crew)
    q_head = head_of(Q, q_strides, head, heads, 1)
    k_head = head_of(K, k_strides, head, heads, group)
    v_head = head_of(V, v_strides, head, heads, group)
    o_head = head_of(O, o_strides, head, heads, 1)
    rows = i * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)
    last = tl.minimum(rows + shift, n_k - 1)  # the last key that each row sees
    q = load_tile(q_head, q_strides[2], rows, n_q, D, DIMS)  # (B_r, d)
    acc, l, m = start(BLOCK_ROWS, DIMS)
    full, end = reach(i, n_q, n_k, shift, BLOCK_ROWS, BLOCK_COLS)
    acc, l, m = walk(
        q, acc, l, m, k_head, v_head, k_strides[2], v_strides[2], last, 0, full, n_k,
        scale * LOG2E, D, DIMS, BLOCK_COLS, False,
    )
    acc, l, m = walk(
        q, acc, l, m, k_head, v_head, k_strides[2], v_strides[2], last, full, end, n_k,
        scale * LOG2E, D, DIMS, BLOCK_COLS, True,
    )
    o, lse = finish(acc, l, m)
    store_tile(o_head, o_strides[2], rows, n_q, o, D, DIMS)
    tl.store(LSE + head.to(tl.int64) * n_q + rows, lse, rows < n_q)

PAD = 128  # L and δ are stored in multiples of this many rows, the tallest tile
ELSEWHERE = {  # not measured; compiles from sm_80 on, without spills
    64: ((32, 64, 4, 2), (64, 64, 4, 2)),
    128: ((32, 64, 8, 2), (64, 64, 8, 2)),
    256: ((16, 64, 8, 2), (64, 32, 8, 2)),
}

@triton.jit
def row_numbers(o, do, LSE, DLSE, LSE2, DELTA, head, row, N_Q, N_PAD,
                ROWS: tl.constexpr):
    """L in base 2 and δ for rows row .. row + ROWS of a head, stored and returned.

    o, do (ROWS, d) in fp32; LSE and DLSE (heads, N_Q), LSE2 and DELTA (heads, N_PAD).
    """
    rows = row + tl.arange(0, ROWS)
    at = head.to(tl.int64) * N_Q + rows
    lse = tl.load(LSE + at, rows < N_Q, float("-inf")).to(tl.float32)
    seen = lse > float("-inf")
    lse2 = tl.where(seen, lse * LOG2E, float("inf"))
    delta = tl.sum(o * do, 1)  # (ROWS,)
    if DLSE is not None:  # within a row ∂L/∂S = P, so that dS = P ∘ (dP − δ) + dL P
        delta -= tl.load(DLSE + at, rows < N_Q, 0.0).to(tl.float32)
    delta = tl.where(seen, delta, 0.0)
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

BACKWARD = {  # dK and dV, dQ
    64: ((64, 64, 4, 2), (128, 64, 8, 3)),
    128: ((128, 64, 8, 2), (128, 64, 8, 3)),
    256: ((32, 64, 8, 1), (128, 32, 8, 2)),
}
SIZES_BACKWARD_SPLIT = "N_Q", "N_K", "SHIFT"  # one compiled kernel for all lengths

@triton.jit
def delta_kernel(
    O, DO, LSE, DLSE, LSE2, DELTA, o_strides, do_strides, N_Q, N_PAD,
    HEADS: tl.constexpr, D: tl.constexpr, DIMS: tl.constexpr, ROWS: tl.constexpr,
):
    """δ and L in base 2 of ROWS rows: O is read here and nowhere else."""
    tiles = tl.cdiv(N_PAD, ROWS)
    row, head = tl.program_id(0) % tiles * ROWS, tl.program_id(0) // tiles
    rows = row + tl.arange(0, ROWS)
    o_head = head_of(O, o_strides, head, HEADS, 1)
    do_head = head_of(DO, do_strides, head, HEADS, 1)
    o = load_tile(o_head, o_strides[2], rows, N_Q, D, DIMS).to(tl.float32)
    do = load_tile(do_head, do_strides[2], rows, N_Q, D, DIMS).to(tl.float32)
    row_numbers(o, do, LSE, DLSE, LSE2, DELTA, head, row, N_Q, N_PAD, ROWS)

@triton.jit(do_not_specialize=SIZES_BACKWARD_SPLIT)
def dkdv_kernel(
    Q, K, V, DO, DK, DV, LSE2, DELTA, q_strides, k_strides, v_strides, do_strides,
    dk_strides, dv_strides, N_Q, N_K, N_PAD, SHIFT, scale, HEADS: tl.constexpr,
    GROUP: tl.constexpr, D: tl.constexpr, DIMS: tl.constexpr,
    BLOCK_ROWS: tl.constexpr, BLOCK_COLS: tl.constexpr,
):
    """dK and dV of BLOCK_COLS keys: every row of the GROUP heads that share them."""
    tiles = tl.cdiv(N_K, BLOCK_COLS)
    col = tl.program_id(0) % tiles * BLOCK_COLS  # most rows see early keys: these first
    first = tl.program_id(0) // tiles * GROUP  # head
    cols = col + tl.arange(0, BLOCK_COLS)
    k_head = head_of(K, k_strides, first, HEADS, GROUP)
    v_head = head_of(V, v_strides, first, HEADS, GROUP)
    k = load_tile(k_head, k_strides[2], cols, N_K, D, DIMS)  # (B_c, d)
    v = load_tile(v_head, v_strides[2], cols, N_K, D, DIMS)
    dk = tl.zeros([BLOCK_COLS, DIMS], tl.float32)
    dv = tl.zeros([BLOCK_COLS, DIMS], tl.float32)
    # Keys past the end fill rows of dK and dV that are not stored: no mask for them.
    some, every = rows_seeing(col, SHIFT, N_PAD, BLOCK_ROWS, BLOCK_COLS)
    for g in tl.range(GROUP):
        head = first + g
        q_head = head_of(Q, q_strides, head, HEADS, 1)
        do_head = head_of(DO, do_strides, head, HEADS, 1)
        at = head.to(tl.int64) * N_PAD
        dk, dv = walk_rows(
            q_head, do_head, LSE2 + at, DELTA + at, q_strides[2], do_strides[2], k, v,
            dk, dv, cols, some, every, N_Q, SHIFT, scale, True, D, DIMS, BLOCK_ROWS,
        )
        dk, dv = walk_rows(
            q_head, do_head, LSE2 + at, DELTA + at, q_strides[2], do_strides[2], k, v,
            dk, dv, cols, every, N_Q, N_Q, SHIFT, scale, False, D, DIMS, BLOCK_ROWS,
        )
    dk_head = head_of(DK, dk_strides, first, HEADS, GROUP)
    dv_head = head_of(DV, dv_strides, first, HEADS, GROUP)
    store_tile(dk_head, dk_strides[2], cols, N_K, scale * dk, D, DIMS)
    store_tile(dv_head, dv_strides[2], cols, N_K, dv, D, DIMS)

@triton.jit
def walk_rows(
    q_head, do_head, LSE2, DELTA, q_stride, do_stride, k, v, dk, dv, cols, start, end,
    N_Q, SHIFT, scale, MASKED: tl.constexpr, D: tl.constexpr, DIMS: tl.constexpr,
    BLOCK_ROWS: tl.constexpr,
):
    """Add to dK and dV of a block of keys what rows start .. end of a head bring."""
    for row in tl.range(start, end, BLOCK_ROWS):
        rows = row + tl.arange(0, BLOCK_ROWS)
        q = load_tile(q_head, q_stride, rows, N_Q, D, DIMS)  # (B_r, d)
        do = load_tile(do_head, do_stride, rows, N_Q, D, DIMS)
        s = scale * LOG2E * tl.dot(q, k.T, input_precision="ieee")  # (B_r, B_c)
        if MASKED:
            s = tl.where(cols[None, :] <= rows[:, None] + SHIFT, s, float("-inf"))
        p = tl.exp2(s - tl.load(LSE2 + rows)[:, None])
        dv = tl.dot(p.to(do.dtype).T, do, dv, input_precision="ieee")
        dp = tl.dot(do, v.T, input_precision="ieee")
        ds = p * (dp - tl.load(DELTA + rows)[:, None])
        dk = tl.dot(ds.to(q.dtype).T, q, dk, input_precision="ieee")
    return dk, dv

@triton.jit(do_not_specialize=SIZES_BACKWARD_SPLIT)
def dq_kernel(
    Q, K, V, DO, DQ, LSE2, DELTA, q_strides, k_strides, v_strides, do_strides,
    dq_strides, N_Q, N_K, N_PAD, SHIFT, scale, HEADS: tl.constexpr,
    GROUP: tl.constexpr, D: tl.constexpr, DIMS: tl.constexpr,
    BLOCK_ROWS: tl.constexpr, BLOCK_COLS: tl.constexpr,
):
    """dQ of BLOCK_ROWS rows, over the keys that they see."""
    tiles = tl.cdiv(N_Q, BLOCK_ROWS)
    row = (tiles - 1 - tl.program_id(0) % tiles) * BLOCK_ROWS  # late rows see most keys
    head = tl.program_id(0) // tiles
    rows = row + tl.arange(0, BLOCK_ROWS)
    q_head = head_of(Q, q_strides, head, HEADS, 1)
    do_head = head_of(DO, do_strides, head, HEADS, 1)
    k_head = head_of(K, k_strides, head, HEADS, GROUP)
    v_head = head_of(V, v_strides, head, HEADS, GROUP)
    q = load_tile(q_head, q_strides[2], rows, N_Q, D, DIMS)  # (B_r, d)
    do = load_tile(do_head, do_strides[2], rows, N_Q, D, DIMS)
    at = head.to(tl.int64) * N_PAD + rows
    lse2, delta = tl.load(LSE2 + at)[:, None], tl.load(DELTA + at)[:, None]
    dq = tl.zeros([BLOCK_ROWS, DIMS], tl.float32)
    every, some = keys_seen(row, SHIFT, N_K, BLOCK_ROWS, BLOCK_COLS)
    dq = walk_keys(
        k_head, v_head, k_strides[2], v_strides[2], q, do, lse2, delta, dq, rows, 0,
        every, N_K, SHIFT, scale, False, D, DIMS, BLOCK_COLS,
    )
    dq = walk_keys(
        k_head, v_head, k_strides[2], v_strides[2], q, do, lse2, delta, dq, rows, every,
        some, N_K, SHIFT, scale, True, D, DIMS, BLOCK_COLS,
    )
    dq_head = head_of(DQ, dq_strides, head, HEADS, 1)
    store_tile(dq_head, dq_strides[2], rows, N_Q, scale * dq, D, DIMS)

@triton.jit
def walk_keys(
    k_head, v_head, k_stride, v_stride, q, do, lse2, delta, dq, rows, start, end, N_K,
    SHIFT, scale, MASKED: tl.constexpr, D: tl.constexpr, DIMS: tl.constexpr,
    BLOCK_COLS: tl.constexpr,
):
    """Add to dQ of a block of rows what keys start .. end bring."""
    for col in tl.range(start, end, BLOCK_COLS):
        cols = col + tl.arange(0, BLOCK_COLS)
        k = load_tile(k_head, k_stride, cols, N_K, D, DIMS)  # (B_c, d)
        v = load_tile(v_head, v_stride, cols, N_K, D, DIMS)
        s = scale * LOG2E * tl.dot(q, k.T, input_precision="ieee")  # (B_r, B_c)
        if MASKED:
            seen = tl.minimum(rows + SHIFT + 1, N_K)  # keys that a row sees
            s = tl.where(cols[None, :] < seen[:, None], s, float("-inf"))
        p = tl.exp2(s - lse2)
        ds = p * (tl.dot(do, v.T, input_precision="ieee") - delta)
        dq = tl.dot(ds.to(k.dtype), k, dq, input_precision="ieee")
    return dq


def tiles(q):
    """The tiles for o, for dk and dv, and for dq: rows, columns, warps, stages."""
    if q.dtype == torch.float32:  # no tensor cores
        return (32, 32, 4, 1), (32, 32, 8, 1), (32, 32, 8, 1)
    hopper = not q.is_cuda or torch.cuda.get_device_capability(q.device)[0] == 9
    d = max(64, padded(q.shape[-1]))
    return TILES[d], *(BACKWARD if hopper else ELSEWHERE)[d]

class Attention(torch.autograd.Function):
    @staticmethod
    def forward(ctx, q, k, v, causal, scale):
        """o and L; between the passes only q, k, v, o and L are kept."""
        (batch, heads, n_q, d), n_k = q.shape, k.shape[2]
        o, lse = torch.empty_like(q), q.new_empty(q.shape[:3], dtype=torch.float32)
        (q_, tau), (rows, cols, warps, stages) = positive(q, scale), tiles(q)[0]
        causal_rows[(triton.cdiv(n_q, rows) * batch * heads,)](
            q_, k, v, o, lse, *(x.stride()[:3] for x in (q_, k, v, o)), n_q, n_k,
            shift(causal, n_q, n_k), tau, heads, heads // k.shape[1], batch * heads,
            crew_of(q, k), d, padded(d), rows, cols, num_warps=warps, num_stages=stages,
        )
        ctx.save_for_backward(q, k, v, o, lse)
        ctx.options = shift(causal, n_q, n_k), scale
        return o, lse

    @staticmethod
    def backward(ctx, do, dlse):
        """dq, dk and dv, from P that is computed again."""
        q, k, v, o, lse = ctx.saved_tensors
        do, dlse = do.contiguous(), dlse.contiguous()
        (batch, heads, n_q, d), n_k, dims = q.shape, k.shape[2], padded(q.shape[-1])
        n_pad, rows = -(-n_q // PAD) * PAD, 8192 // dims
        lse2, delta = q.new_empty(2, batch, heads, n_pad, dtype=torch.float32)
        delta_kernel[(batch * heads * triton.cdiv(n_pad, rows),)](
            o, do, lse, dlse, lse2, delta, o.stride()[:3], do.stride()[:3], n_q, n_pad,
            heads, d, dims, rows,
        )
        dq, dk, dv = map(torch.empty_like, (q, k, v))
        over_k, over_q = (dkdv_kernel, k, 1, (dk, dv)), (dq_kernel, q, 0, (dq,))
        for (kernel, x, axis, results), tile in zip((over_k, over_q), tiles(q)[1:]):
            inputs = q, k, v, do, *results
            kernel[(x.shape[:2].numel() * triton.cdiv(x.shape[2], tile[axis]),)](
                *inputs, lse2, delta, *(x.stride()[:3] for x in inputs), n_q, n_k,
                n_pad, *ctx.options, heads, heads // k.shape[1], d, dims, *tile[:2],
                num_warps=tile[2], num_stages=tile[3],
            )
        return dq, dk, dv, None, None

def flash_attention(q, k, v, *, causal=False, scale=None, return_lse=False):
    """o = softmax(τ q kᵀ) v, or (o, L) with L = log Σ e^s; differentiable once.

    q (batch, heads, N_q, d), k and v (batch, key heads, N_k, d), where key heads divide
    heads (GQA, MQA) → o like q and L (batch, heads, N_q) in fp32. scale None is 1/√d.
    causal True lets row r see keys 0 .. r + N_k − N_q, and "top-left" 0 .. r. A row
    without keys has o = 0, L = −∞.
    """
    d, group = q.shape[3], q.shape[1] / k.shape[1]
    if k.shape != v.shape or k.shape[3] != d or d not in range(8, 129, 8) or group % 1:
        raise ValueError(f"q, k, v do not fit: {q.shape}, {k.shape}, {v.shape}")
    if q.dtype == torch.float64 or not q.dtype == k.dtype == v.dtype:
        raise ValueError(f"q, k, v must be fp16, bf16 or fp32: {q.dtype}, {k.dtype}")
    q, k, v = (x.contiguous() for x in (q, k, v))
    with torch.cuda.device_of(q):
        o, lse = Attention.apply(q, k, v, causal, d**-0.5 if scale is None else scale)
    return (o, lse) if return_lse else o

def largest_error():
    """The largest error in fp32, gradients included, against the formula in float64."""
    torch.manual_seed(0)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    q, k, v, do = torch.randn(4, 2, 2, 100, 32, device=device)
    q, k, v = (x.requires_grad_() for x in (q, k[:, :1], v[:, :1]))
    s = q.double() @ k.double().mT / 32**0.5
    s = s.masked_fill(torch.ones_like(s).triu(1) > 0, -torch.inf)
    both = s.softmax(-1) @ v.double(), flash_attention(q, k, v, causal=True)
    both = [(o, *torch.autograd.grad(o, (q, k, v), do.to(o.dtype))) for o in both]
    return max((a - b).abs().max().item() for a, b in zip(*both))

if __name__ == "__main__":
    print(f"o, dq, dk, dv: the largest error in fp32 is {(e := largest_error()):.0e}")
    assert e < 1e-5
