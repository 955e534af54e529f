"""The backward pass of windows, lists, score rules and sinks, in two walks.

dS = P ∘ (Z ∘ dO Vᵀ − δ)   dQ = τ (dS ∘ S'_rate) K   dV = (P ∘ Z)ᵀ dO   Z: dropout

A rule adds one factor to dS, its derivative. A key has a window or a list of rows. A
sink is part of L alone: its gradient is −Σ e^{sink − L} δ over all rows of its head.
"""

import torch
import triton
import triton.language as tl

from tilewise.kernels.backward_split import delta_kernel
from tilewise.kernels.shared.blocks import block_of, indices, lists, seen_by, way_of
from tilewise.kernels.shared.common import (
    LOG2E,
    head_of,
    like,
    load_tile,
    padded,
    store_tile,
)
from tilewise.kernels.shared.common_backward import choose, prepare
from tilewise.kernels.shared.scores import keep, others, rules, score, slope_of
from tilewise.kernels.shared.window import ends_of, limits, narrow, wider

TILES = {  # dK and dV, dQ
    64: ((64, 64, 4, 3), (64, 64, 4, 3)),
    128: ((64, 64, 4, 2), (128, 64, 8, 3)),
    256: ((32, 64, 8, 1), (128, 32, 8, 1)),
}
NARROW = TILES | {128: (TILES[128][0], (64, 64, 4, 2))}  # for narrow windows
SIZES = "N_Q", "N_K", "LOW", "HIGH", "DIAGONAL", "SEED"


# --8<-- [start:tile]
@triton.jit
def tile(
    q, k, v, do, rows, cols, lse2, delta, head, heads, tau2, DIAGONAL, cap, slope, drop,
    SEED, rest, seen,
):
    """P ∘ Z, dS and the derivative of the score rule, (B_r, B_c), of one tile."""
    s = tl.dot(q, k.T, input_precision="ieee")
    s, rate = score(s, rows, cols, tau2, cap, slope, DIAGONAL)
    if seen is not None:
        s = tl.where(seen, s, float("-inf"))
    p = tl.exp2(s - lse2[:, None])
    dp = tl.dot(do, v.T, input_precision="ieee")
    z = 1.0
    if drop is not None:
        z = keep(rows, cols, head, heads, drop, SEED, rest)
    return p * z, p * (dp * z - delta[:, None]), rate
    # --8<-- [end:tile]


@triton.jit(do_not_specialize=SIZES)
def dkdv_kernel(
    Q, K, V, DO, DK, DV, LSE2, DELTA, q_strides, k_strides, v_strides, do_strides,
    dk_strides, dv_strides, N_Q, N_K, N_PAD, LOW, HIGH, DIAGONAL, scale, cap, SLOPES,
    drop, SEED, rest, LISTS, HEADS: tl.constexpr, GROUP: tl.constexpr,
    D: tl.constexpr, DIMS: tl.constexpr, D_V: tl.constexpr, DIMS_V: tl.constexpr,
    BLOCK_ROWS: tl.constexpr, BLOCK_COLS: tl.constexpr,
):
    """dK and dV of BLOCK_COLS keys: every row of the GROUP heads that share them."""
    tiles = tl.cdiv(N_K, BLOCK_COLS)
    j, first = tl.program_id(0) % tiles, tl.program_id(0) // tiles * GROUP
    j = block_of(LISTS, j, first, HEADS, tiles)
    cols = j * BLOCK_COLS + tl.arange(0, BLOCK_COLS)
    k_head = head_of(K, k_strides, first, HEADS, GROUP)
    v_head = head_of(V, v_strides, first, HEADS, GROUP)
    k = load_tile(k_head, k_strides[2], cols, N_K, D, DIMS)  # (B_c, d)
    v = load_tile(v_head, v_strides[2], cols, N_K, D_V, DIMS_V)  # (B_c, d_v)
    dk = tl.zeros([BLOCK_COLS, DIMS], tl.float32)
    dv = tl.zeros([BLOCK_COLS, DIMS_V], tl.float32)
    for g in tl.range(GROUP):
        head = first + g
        # A key's window of rows: the same span with the limits swapped.
        listed, ends = way_of(
            LISTS, j, N_K, N_Q, -HIGH, -LOW, head, HEADS, BLOCK_COLS, BLOCK_ROWS
        )
        q_head = head_of(Q, q_strides, head, HEADS, 1)
        do_head = head_of(DO, do_strides, head, HEADS, 1)
        at = head.to(tl.int64) * N_PAD
        slope = slope_of(SLOPES, head)
        # One loop, with masks for all tiles: at d = 128, three take 1.3 times as long.
        for part in tl.static_range(1 if LISTS is None else 2):
            end = ends[3] if LISTS is None else ends[part + 1]
            for row in tl.range(ends[part], end, BLOCK_ROWS if LISTS is None else 1):
                rows = indices(LISTS, listed, row, BLOCK_ROWS)
                q = load_tile(q_head, q_strides[2], rows, N_Q, D, DIMS)  # (B_r, d)
                do = load_tile(do_head, do_strides[2], rows, N_Q, D_V, DIMS_V)
                seen = None
                if part == 0:
                    some = ends_of(rows, LOW, HIGH, N_K)
                    seen = seen_by(LISTS, rows, cols, *some, N_Q, head, HEADS)
                lse2 = tl.load(LSE2 + at + rows, rows < N_PAD, float("inf"))
                delta = tl.load(DELTA + at + rows, rows < N_PAD, 0.0)
                pz, ds, rate = tile(
                    q, k, v, do, rows, cols, lse2, delta, head, HEADS, scale * LOG2E,
                    DIAGONAL, cap, slope, drop, SEED, rest, seen,
                )
                dv = tl.dot(pz.to(do.dtype).T, do, dv, input_precision="ieee")
                dk = tl.dot((ds * rate).to(q.dtype).T, q, dk, input_precision="ieee")
    dk_head = head_of(DK, dk_strides, first, HEADS, GROUP)
    dv_head = head_of(DV, dv_strides, first, HEADS, GROUP)
    store_tile(dk_head, dk_strides[2], cols, N_K, scale * dk, D, DIMS)
    store_tile(dv_head, dv_strides[2], cols, N_K, dv, D_V, DIMS_V)


@triton.jit(do_not_specialize=SIZES)
def dq_kernel(
    Q, K, V, DO, DQ, LSE2, DELTA, DSLOPES, q_strides, k_strides, v_strides, do_strides,
    dq_strides, N_Q, N_K, N_PAD, LOW, HIGH, DIAGONAL, scale, cap, SLOPES, drop, SEED,
    rest, LISTS, HEADS: tl.constexpr, GROUP: tl.constexpr, D: tl.constexpr,
    DIMS: tl.constexpr, D_V: tl.constexpr, DIMS_V: tl.constexpr,
    BLOCK_ROWS: tl.constexpr, BLOCK_COLS: tl.constexpr,
):
    """dQ of BLOCK_ROWS rows, and what each of them adds to its slope's gradient."""
    tiles = tl.cdiv(N_Q, BLOCK_ROWS)
    i, head = tiles - 1 - tl.program_id(0) % tiles, tl.program_id(0) // tiles
    i = block_of(LISTS, i, head, HEADS, tiles)
    rows = i * BLOCK_ROWS + tl.arange(0, BLOCK_ROWS)
    q_head = head_of(Q, q_strides, head, HEADS, 1)
    do_head = head_of(DO, do_strides, head, HEADS, 1)
    k_head = head_of(K, k_strides, head, HEADS, GROUP)
    v_head = head_of(V, v_strides, head, HEADS, GROUP)
    q = load_tile(q_head, q_strides[2], rows, N_Q, D, DIMS)  # (B_r, d)
    do = load_tile(do_head, do_strides[2], rows, N_Q, D_V, DIMS_V)  # (B_r, d_v)
    at = head.to(tl.int64) * N_PAD + rows
    lse2 = tl.load(LSE2 + at, rows < N_PAD, float("inf"))
    delta = tl.load(DELTA + at, rows < N_PAD, 0.0)
    slope = slope_of(SLOPES, head)
    dq = tl.zeros([BLOCK_ROWS, DIMS], tl.float32)
    dslope = tl.zeros([BLOCK_ROWS], tl.float32)
    first, last = ends_of(rows, LOW, HIGH, N_K)
    listed, ends = way_of(
        LISTS, i, N_Q, N_K, LOW, HIGH, head, HEADS, BLOCK_ROWS, BLOCK_COLS
    )
    for part in tl.static_range(3 if LISTS is None else 2):
        step = BLOCK_COLS if LISTS is None else 1
        for col in tl.range(ends[part], ends[part + 1], step):
            cols = indices(LISTS, listed, col, BLOCK_COLS)
            k = load_tile(k_head, k_strides[2], cols, N_K, D, DIMS)  # (B_c, d)
            v = load_tile(v_head, v_strides[2], cols, N_K, D_V, DIMS_V)
            seen = None
            if part != 1:
                seen = seen_by(LISTS, rows, cols, first, last, N_Q, head, HEADS)
            _, ds, rate = tile(
                q, k, v, do, rows, cols, lse2, delta, head, HEADS, scale * LOG2E,
                DIAGONAL, cap, slope, drop, SEED, rest, seen,
            )
            if DSLOPES is not None:
                away = tl.abs(rows[:, None] + DIAGONAL - cols[None, :])
                dslope -= tl.sum(ds * away.to(tl.float32), 1)
            dq = tl.dot((ds * rate).to(k.dtype), k, dq, input_precision="ieee")
    dq_head = head_of(DQ, dq_strides, head, HEADS, 1)
    store_tile(dq_head, dq_strides[2], rows, N_Q, scale * dq, D, DIMS)
    if DSLOPES is not None:
        tl.store(DSLOPES + head.to(tl.int64) * N_Q + rows, dslope, rows < N_Q)


def backward(
    q, k, v, o, do, lse, *, dlse=None, scale=None, causal=False, window=None,
    softcap=None, alibi_slopes=None, sinks=None, block_mask=None, dropout_p=0.0,
    seed=None, dkdv_tile=None, dq_tile=None,
):
    """dQ, dK, dV, and the gradients of alibi_slopes and sinks, or None without them.

    Shapes and options are those of `tilewise.kernels.scores.forward`, which returned o
    and lse; do is like o and dlse, None for 0, like lse. The gradients of slopes and
    sinks are in fp32 and in their shapes. The same input gives the same bits.
    """
    table = NARROW if narrow(causal, window) else TILES
    outer_k, outer_q = choose(table, wider(q, v), dkdv_tile, dq_tile)
    inputs = q, k, v, o, do, lse, dlse, scale, causal
    (q, k, v, o, do), per_row, scale = prepare(*inputs, outer_k, outer_q, d_v=True)
    rule = rules(q.shape[:2], softcap, alibi_slopes, sinks, dropout_p, seed)
    dq, dk, dv = map(like, (q, k, v))
    (batch, heads, n_q, d), (n_k, d_v) = q.shape, v.shape[2:]
    (lse, _, lse2, delta), n_pad = per_row, per_row[3].shape[2]
    dslopes = None if alibi_slopes is None else torch.empty_like(lse)

    def launch(kernel, outer, block, tile, *tensors, more):
        listed = lists(block_mask, q, n_k, causal, window, *tile[:2], outer is k)
        kernel[(outer.shape[:2].numel() * triton.cdiv(outer.shape[2], block),)](
            *tensors, lse2, delta, *more, *(x.stride()[:3] for x in tensors), n_q, n_k,
            n_pad, *limits(causal, window, n_q, n_k), n_k - n_q, scale, rule.cap,
            rule.slopes, rule.drop, rule.seed, rule.rest, listed, heads,
            heads // k.shape[1], d, padded(d), d_v, padded(d_v), *tile[:2],
            num_warps=tile[2], num_stages=tile[3],
        )

    rows = 8192 // padded(d_v)  # a program's share
    delta_kernel[(batch * heads * triton.cdiv(n_pad, rows),)](
        o, do, *per_row, o.stride()[:3], do.stride()[:3], n_q, n_pad, heads, d_v,
        padded(d_v), rows,
    )
    launch(dkdv_kernel, k, outer_k[1], outer_k, q, k, v, do, dk, dv, more=())
    launch(dq_kernel, q, outer_q[0], outer_q, q, k, v, do, dq, more=(dslopes,))
    return dq, dk, dv, *others(alibi_slopes, dslopes, sinks, lse, delta[..., :n_q])
