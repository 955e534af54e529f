# flash_attention_options_triton.py of Tilewise 0.1.0, by `tilewise export`.
# It needs torch and triton; python flash_attention_options_triton.py tests it.
# Copyright (c) 2026 The Tilewise authors. SPDX-License-Identifier: MIT

"""FlashAttention in Triton with options, forward and backward, from Ampere on.

    o = flash_attention(q, k, v, causal=True, window=(1023, 0), softcap=50.0)

computes softmax(τ q kᵀ) v in fp16, bf16 and fp32, with d and v's d multiples of 8 up to
128: windows, softcap, ALiBi, sinks and dropout, as `scores` and `scores_backward` of
the package do, to the bit. Block masks and packed documents are in the package. Without
a GPU, TRITON_INTERPRET=1 has Triton interpret the kernels, slowly and with NumPy.
"""

import torch
import triton
import triton.language as tl

LOG2E = tl.constexpr(1.4426950408889634)  # log₂ e: e^x = 2^{x log₂ e}

def padded(d):
    """The power of two that a tile's d is filled up to with zeros: 80 and 96 to 128."""
    return max(16, triton.next_power_of_2(d))

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

@triton.jit
def tanh(x):
    """tanh x by one division: a continued fraction where e^{2x} − 1 would cancel."""
    y = x * x
    e = tl.exp2(tl.minimum(x, 15.0) * (2 * LOG2E))  # from 15 on, tanh x rounds to 1
    above = tl.where(y < 1, x * (945 + y * (105 + y)), e - 1)
    return above / tl.where(y < 1, 945 + y * (420 + 15 * y), e + 1)

@triton.jit
def score(s, rows, cols, tau2, cap, slope, diagonal):
    """(S', dS'/d(τS)) of a tile of Q Kᵀ, in units of log₂ e: softcap, then ALiBi.

    S' = c tanh(τS / c) − slope · |r + N_k − N_q − j|, where diagonal is N_k − N_q.
    """
    s, rate = s * tau2, 1.0
    if cap is not None:
        t = tanh(s * (1 / cap))
        s, rate = cap * t, 1 - t * t
    if slope is not None:
        s -= slope * tl.abs(rows[:, None] + diagonal - cols[None, :]).to(tl.float32)
    return s, rate

@triton.jit
def keep(rows, cols, head, heads, drop, seed, rest):
    """Dropout's factors for a tile of P: those of `tilewise.dropout`, to the bit."""
    r = tl.broadcast_to(rows[:, None], [rows.shape[0], cols.shape[0]])
    c = tl.broadcast_to(cols[None, :], [rows.shape[0], cols.shape[0]])
    word, _, _, _ = tl.philox(seed, c, r, r * 0 + head % heads, r * 0 + head // heads)
    return tl.where(word.to(tl.int64) >= drop, rest, 0.0)

@triton.jit
def step(
    q, k, v, acc, l, m, rows, cols, head, heads, tau2, diagonal, cap, slope, drop, seed,
    rest, seen,
):
    """One tile of keys: windows.py's step with a rule for S and another one for P."""
    s, _ = score(
        tl.dot(q, k.T, input_precision="ieee"), rows, cols, tau2, cap, slope, diagonal
    )
    if seen is not None:
        s = tl.where(seen, s, float("-inf"))
    m_new = tl.maximum(m, tl.max(s, 1))  # (B_r,)
    base = tl.where(m_new == float("-inf"), 0.0, m_new)
    p, alpha = tl.exp2(s - base[:, None]), tl.exp2(m - base)
    l = alpha * l + tl.sum(p, 1)  # of P before dropout
    if drop is not None:
        p *= keep(rows, cols, head, heads, drop, seed, rest)
    acc = alpha[:, None] * acc
    acc = tl.dot(p.to(v.dtype), v, acc, input_precision="ieee")  # (B_r, d_v)
    return acc, l, m_new

SIZES = "n_q", "n_k", "low", "high", "diagonal", "seed"  # one kernel for all of them

@triton.jit
def part(x, head, n, D):
    """Where a head's n rows of D numbers begin."""
    return x + head.to(tl.int64) * n * D

@triton.jit
def visible(rows, cols, low, high, n_k):
    """Which keys of a tile each row sees: r + low .. r + high."""
    first, last = rows + low, tl.minimum(rows + high, n_k - 1)
    return (cols[None, :] >= first[:, None]) & (cols[None, :] <= last[:, None])

@triton.jit(do_not_specialize=SIZES)
def rows_kernel(
    Q, K, V, SLOPES, SINKS, O, LSE, n_q, n_k, low, high, diagonal, scale, cap, drop,
    seed, rest, d, d_v, HEADS: tl.constexpr, GROUP: tl.constexpr, D: tl.constexpr,
    DIMS: tl.constexpr, D_V: tl.constexpr, DIMS_V: tl.constexpr,
    ROWS: tl.constexpr, COLS: tl.constexpr,
):
    """o and L of ROWS rows of a head; the last rows, which see most keys, first."""
    tiles = tl.cdiv(n_q, ROWS)
    i, head = tiles - 1 - tl.program_id(0) % tiles, tl.program_id(0) // tiles
    k_head, v_head = part(K, head // GROUP, n_k, d), part(V, head // GROUP, n_k, d_v)
    rows = i * ROWS + tl.arange(0, ROWS)
    q = load_tile(part(Q, head, n_q, d), d, rows, n_q, D, DIMS)  # (B_r, d)
    slope = None if SLOPES is None else tl.load(SLOPES + head)
    acc, l, m = start(ROWS, DIMS_V)
    if SINKS is not None:  # a key of value 0
        l, m = l + 1, tl.zeros_like(m) + tl.load(SINKS + head % HEADS) * LOG2E
    ends = span(i, n_q, n_k, low, high, ROWS, COLS)
    for phase in tl.static_range(3):  # cut tiles, full ones, cut ones
        for col in tl.range(ends[phase], ends[phase + 1], COLS):
            cols = col + tl.arange(0, COLS)
            seen = None if phase == 1 else visible(rows, cols, low, high, n_k)
            n = None if phase == 1 else n_k
            k = load_tile(k_head, d, cols, n, D, DIMS)  # (B_c, d)
            v = load_tile(v_head, d_v, cols, n, D_V, DIMS_V)  # (B_c, d_v)
            acc, l, m = step(
                q, k, v, acc, l, m, rows, cols, head, HEADS, scale * LOG2E, diagonal,
                cap, slope, drop, seed, rest, seen,
            )
    o, lse = finish(acc, l, m)
    store_tile(part(O, head, n_q, d_v), d_v, rows, n_q, o, D_V, DIMS_V)
    tl.store(part(LSE, head, n_q, 1) + rows, lse, rows < n_q)

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

@triton.jit
def line(head, n_q):
    """Where a head's L and δ begin, which are kept in lines of whole tiles."""
    return head.to(tl.int64) * (tl.cdiv(n_q, 128) * 128)

@triton.jit(do_not_specialize=["n_q"])
def delta_kernel(
    O, DO, LSE, DLSE, LSE2, DELTA, n_q, D: tl.constexpr, DIMS: tl.constexpr,
    ROWS: tl.constexpr,
):
    """δ = Σ dO ∘ O − dL, and L in base 2: +∞ where no key was seen, so P = 0 there."""
    tiles = tl.cdiv(tl.cdiv(n_q, 128) * 128, ROWS)
    i, head = tl.program_id(0) % tiles, tl.program_id(0) // tiles
    rows = i * ROWS + tl.arange(0, ROWS)
    o = load_tile(part(O, head, n_q, D), D, rows, n_q, D, DIMS).to(tl.float32)
    do = load_tile(part(DO, head, n_q, D), D, rows, n_q, D, DIMS).to(tl.float32)
    at = head.to(tl.int64) * n_q + rows
    lse = tl.load(LSE + at, rows < n_q, float("-inf"))
    delta = tl.sum(o * do, 1) - tl.load(DLSE + at, rows < n_q, 0.0)
    seen, at = lse > float("-inf"), line(head, n_q) + rows
    there = rows < tl.cdiv(n_q, 128) * 128
    tl.store(LSE2 + at, tl.where(seen, lse * LOG2E, float("inf")), there)
    tl.store(DELTA + at, tl.where(seen, delta, 0.0), there)

@triton.jit(do_not_specialize=SIZES)
def keys_kernel(
    Q, K, V, SLOPES, DO, LSE2, DELTA, DK, DV, n_q, n_k, low, high, diagonal, scale, cap,
    drop, seed, rest, d, d_v, HEADS: tl.constexpr, GROUP: tl.constexpr, D: tl.constexpr,
    DIMS: tl.constexpr, D_V: tl.constexpr, DIMS_V: tl.constexpr,
    ROWS: tl.constexpr, COLS: tl.constexpr,
):
    """dk and dv of COLS keys: every row of the GROUP heads that share them."""
    tiles = tl.cdiv(n_k, COLS)
    j, shared = tl.program_id(0) % tiles, tl.program_id(0) // tiles
    cols = j * COLS + tl.arange(0, COLS)
    k = load_tile(part(K, shared, n_k, d), d, cols, n_k, D, DIMS)  # (B_c, d)
    v = load_tile(part(V, shared, n_k, d_v), d_v, cols, n_k, D_V, DIMS_V)
    dk, dv = tl.zeros([COLS, DIMS], tl.float32), tl.zeros([COLS, DIMS_V], tl.float32)
    for g in tl.range(GROUP):
        head = shared * GROUP + g
        ends = span(j, n_k, n_q, -high, -low, COLS, ROWS)  # a key's window of rows
        q_head, do_head = part(Q, head, n_q, d), part(DO, head, n_q, d_v)
        slope, at = None if SLOPES is None else tl.load(SLOPES + head), line(head, n_q)
        for phase in tl.static_range(3):
            for row in tl.range(ends[phase], ends[phase + 1], ROWS):
                rows = row + tl.arange(0, ROWS)
                q = load_tile(q_head, d, rows, n_q, D, DIMS)  # (B_r, d)
                do = load_tile(do_head, d_v, rows, n_q, D_V, DIMS_V)  # (B_r, d_v)
                seen = None if phase == 1 else visible(rows, cols, low, high, n_k)
                lse2, delta = tl.load(LSE2 + at + rows), tl.load(DELTA + at + rows)
                p, ds, rate = tile(
                    q, k, v, do, rows, cols, lse2, delta, head, HEADS, scale * LOG2E,
                    diagonal, cap, slope, drop, seed, rest, seen,
                )
                dv = tl.dot(p.to(do.dtype).T, do, dv, input_precision="ieee")
                dk = tl.dot((ds * rate).to(q.dtype).T, q, dk, input_precision="ieee")
    store_tile(part(DK, shared, n_k, D), D, cols, n_k, scale * dk, D, DIMS)
    store_tile(part(DV, shared, n_k, D_V), D_V, cols, n_k, dv, D_V, DIMS_V)

@triton.jit(do_not_specialize=SIZES)
def queries_kernel(
    Q, K, V, SLOPES, DO, LSE2, DELTA, DQ, DSLOPES, n_q, n_k, low, high, diagonal, scale,
    cap, drop, seed, rest, d, d_v, HEADS: tl.constexpr, GROUP: tl.constexpr,
    D: tl.constexpr, DIMS: tl.constexpr, D_V: tl.constexpr, DIMS_V: tl.constexpr,
    ROWS: tl.constexpr, COLS: tl.constexpr,
):
    """dq of ROWS rows, and what each of them adds to its slope's gradient."""
    tiles = tl.cdiv(n_q, ROWS)
    i, head = tiles - 1 - tl.program_id(0) % tiles, tl.program_id(0) // tiles
    rows = i * ROWS + tl.arange(0, ROWS)
    q = load_tile(part(Q, head, n_q, d), d, rows, n_q, D, DIMS)
    do = load_tile(part(DO, head, n_q, d_v), d_v, rows, n_q, D_V, DIMS_V)
    shared, at = head // GROUP, line(head, n_q) + rows
    lse2, delta = tl.load(LSE2 + at), tl.load(DELTA + at)
    slope = None if SLOPES is None else tl.load(SLOPES + head)
    dq, dslope = tl.zeros([ROWS, DIMS], tl.float32), tl.zeros([ROWS], tl.float32)
    ends = span(i, n_q, n_k, low, high, ROWS, COLS)
    for phase in tl.static_range(3):
        for col in tl.range(ends[phase], ends[phase + 1], COLS):
            cols = col + tl.arange(0, COLS)
            seen = None if phase == 1 else visible(rows, cols, low, high, n_k)
            k = load_tile(part(K, shared, n_k, d), d, cols, n_k, D, DIMS)
            v = load_tile(part(V, shared, n_k, d_v), d_v, cols, n_k, D_V, DIMS_V)
            _, ds, rate = tile(
                q, k, v, do, rows, cols, lse2, delta, head, HEADS, scale * LOG2E,
                diagonal, cap, slope, drop, seed, rest, seen,
            )
            if SLOPES is not None:
                away = tl.abs(rows[:, None] + diagonal - cols[None, :])
                dslope -= tl.sum(ds * away.to(tl.float32), 1)
            dq = tl.dot((ds * rate).to(k.dtype), k, dq, input_precision="ieee")
    store_tile(part(DQ, head, n_q, D), D, rows, n_q, scale * dq, D, DIMS)
    if SLOPES is not None:
        tl.store(DSLOPES + head.to(tl.int64) * n_q + rows, dslope, rows < n_q)

def formula(q, k, v, z, causal=False, window=None, softcap=None, alibi_slopes=None,
            sinks=None, dropout_p=0.0):  # fmt: skip
    """o and L by whole matrices, N_q = N_k; z is where dropout keeps a weight."""
    s, n = q @ k.mT / q.shape[3] ** 0.5, q.shape[2]
    away = torch.arange(n, device=q.device) - torch.arange(n, device=q.device)[:, None]
    left, right = window or (n, n)
    s = s if softcap is None else softcap * (s / softcap).tanh()
    s = s if alibi_slopes is None else s - alibi_slopes[..., None, None] * away.abs()
    s = s.masked_fill((away < -left) | (away > (0 if causal else right)), -torch.inf)
    if sinks is not None:
        s = torch.cat([s, sinks[:, None, None].expand(*s.shape[:3], 1)], 3)
    return s.softmax(3)[..., :n] * z / (1 - dropout_p) @ v, s.logsumexp(3)

def largest_error(attention, how, device):
    """The largest error in fp32, gradients included, against the formula in float64."""
    torch.manual_seed(0)
    shapes = (2, 2, 40, 32), (2, 1, 40, 32), (2, 1, 40, 24), (2, 2, 40, 24), (2, 2, 40)
    q, k, v, do, dlse = (torch.randn(x, device=device) for x in shapes)
    names, found = [x for x in how if torch.is_tensor(how[x])], []
    z, p = torch.ones(2, 2, 40, 40, device=device), how.get("dropout_p", 0.0)
    if p:  # with v = I, o is what is left of P
        torch.manual_seed(1)
        z = attention(q, k, z[:, :1] * z.new_ones(40).diag(), dropout_p=p) > 0
        assert abs(z.double().mean() - 1 + p) < 0.05
    for attend in (attention, formula):
        learned = [q, k, v, *map(how.get, names)]
        learned = [x.double() if attend is formula else x for x in learned]
        learned = [x.detach().clone().requires_grad_() for x in learned]
        more = how | dict(zip(names, learned[3:]))
        more |= {"z": z} if attend is formula else {"return_lse": True}
        torch.manual_seed(1)  # dropout's seed
        o, lse = attend(*learned[:3], **more)
        grads = torch.autograd.grad((o, lse), learned, (do.to(o), dlse.to(lse)))
        found.append([o, lse, *grads])
    return max((a - b).abs().max().item() for a, b in zip(*found, strict=True))


def tiles(q, v):
    """The tiles for o, for dk and dv, and for dq: rows, columns, warps, stages."""
    if q.dtype == torch.float32:  # no tensor cores
        return (32, 32, 4, 1), (32, 32, 8, 1), (32, 32, 8, 1)
    small = max(q.shape[-1], v.shape[-1]) <= 64
    if not q.is_cuda or torch.cuda.get_device_capability(q.device)[0] == 9:
        last = (128, 64, 8, 3) if small else (64, 64, 4, 2)
        return (64, 64, 4, 3), (64, 64, 4, 2), last
    warps = 4 if small else 8
    return (64, 64, 4, 3), (32, 64, warps, 2), (64, 64, warps, 2)

def launch(kernel, axis, q, k, v, slopes, tensors, how, tile):
    """Start a program for each block of rows (axis 0) or of keys (axis 1)."""
    x, (n_q, d), (n_k, d_v) = (q, k)[axis], q.shape[2:], v.shape[2:]
    slopes = None if slopes is None else (slopes * LOG2E.value).contiguous()
    kernel[(x.shape[:2].numel() * triton.cdiv(x.shape[2], tile[axis]),)](
        q, k, v, slopes, *tensors, n_q, n_k, *how, d, d_v, q.shape[1],
        q.shape[1] // k.shape[1], d, padded(d), d_v, padded(d_v), *tile[:2],
        num_warps=tile[2], num_stages=tile[3],
    )

def numbers(q, k, causal, scale, window, softcap, dropout_p):
    """What kernels are told of a call's options: low, high, diagonal … rest."""
    here, (left, right) = k.shape[2] - q.shape[2], window or (None, None)
    far = k.shape[2] + q.shape[2]  # no key is further away
    left, right = (far if x is None else x for x in (left, right))
    if left < 0 or right < 0 or not 0 <= dropout_p < 1:
        raise ValueError(f"window or dropout_p cannot be: {window}, {dropout_p}")
    if softcap is not None and not softcap > 0:
        raise ValueError(f"softcap must be None or above 0, not {softcap}")
    high = here + min(right, {False: far, True: 0, "top-left": -here}[causal])
    scale = q.shape[3] ** -0.5 if scale is None else scale
    cap = None if softcap is None else softcap * LOG2E.value
    rule = cap, None, None, None
    if dropout_p:
        seed = int(torch.randint(2**63 - 1, (), device="cpu"))
        rule = cap, round(dropout_p * 2**32), seed, 1 / (1 - dropout_p)
    return here - left, high, here, scale, *rule

class Attention(torch.autograd.Function):
    @staticmethod
    def forward(ctx, q, k, v, slopes, sinks, how):
        """o and L; between the passes these and the input are kept."""
        o = q.new_empty(*q.shape[:3], v.shape[3])
        lse = q.new_empty(q.shape[:3], dtype=torch.float32)
        launch(rows_kernel, 0, q, k, v, slopes, (sinks, o, lse), how, tiles(q, v)[0])
        ctx.save_for_backward(q, k, v, slopes, sinks, o, lse)
        ctx.how = how
        return o, lse

    @staticmethod
    def backward(ctx, do, dlse):
        """The gradients, from P that is computed again."""
        (*qkv, slopes, sinks, o, lse), how = ctx.saved_tensors, ctx.how
        do, dlse, (n_q, d_v) = do.contiguous(), dlse.contiguous(), o.shape[2:]
        n_pad, rows = -(-n_q // 128) * 128, 8192 // padded(d_v)
        dslopes = torch.empty_like(lse)
        lse2, delta = lse.new_empty(2, *lse.shape[:2], n_pad)
        delta_kernel[(lse.shape[:2].numel() * triton.cdiv(n_pad, rows),)](
            o, do, lse, dlse, lse2, delta, n_q, d_v, padded(d_v), rows
        )
        dq, dk, dv = map(torch.empty_like, qkv)
        given, (_, over_k, over_q) = (do, lse2, delta), tiles(qkv[0], qkv[2])
        launch(keys_kernel, 1, *qkv, slopes, (*given, dk, dv), how, over_k)
        launch(queries_kernel, 0, *qkv, slopes, (*given, dq, dslopes), how, over_q)
        dslopes = None if slopes is None else dslopes.sum(-1)
        if sinks is not None:  # of each row, the weight of its sink times −δ
            sinks = -((sinks[:, None] - lse).exp() * delta[..., :n_q]).sum((0, 2))
        return dq, dk, dv, dslopes, sinks, None

def flash_attention(
    q, k, v, *, causal=False, scale=None, window=None, softcap=None, alibi_slopes=None,
    sinks=None, dropout_p=0.0, return_lse=False,
):
    """o = softmax(τ q kᵀ) v, or (o, L) with L = log Σ e^s; differentiable once.

    q (batch, heads, N_q, d), k (batch, key heads, N_k, d) and v (…, N_k, d_v), where
    key heads divide heads → o (batch, heads, N_q, d_v), L (batch, heads, N_q) in fp32.
    scale None is 1/√d. causal True lets row r see keys 0 .. r + N_k − N_q, "top-left"
    0 .. r. softcap c makes c tanh(s / c) of a score, alibi_slopes (heads,) or (batch,
    heads) add −slope |r + N_k − N_q − j|, window (left, right) hides keys further away,
    sinks (heads,) are logits that only the sum counts, and dropout_p, with a seed from
    PyTorch's CPU generator, drops weights. A row without keys has o = 0, L = −∞.
    """
    sizes = {q.shape[3], v.shape[3]} <= {*range(8, 129, 8)} and k.shape[3] == q.shape[3]
    if not sizes or k.shape[:3] != v.shape[:3] or q.shape[1] % k.shape[1]:
        raise ValueError(f"q, k, v do not fit: {q.shape}, {k.shape}, {v.shape}")
    if q.dtype == torch.float64 or not q.dtype == k.dtype == v.dtype:
        raise ValueError(f"q, k, v must be fp16, bf16 or fp32: {q.dtype}, {k.dtype}")
    how = numbers(q, k, causal, scale, window, softcap, dropout_p)
    if alibi_slopes is not None:
        alibi_slopes = alibi_slopes.float().expand(q.shape[:2])
    if sinks is not None:
        sinks = sinks.float().expand(q.shape[1]).contiguous()
    q, k, v = (x.contiguous() for x in (q, k, v))
    with torch.cuda.device_of(q):
        o, lse = Attention.apply(q, k, v, alibi_slopes, sinks, how)
    return (o, lse) if return_lse else o

if __name__ == "__main__":
    device = "cuda" if torch.cuda.is_available() else "cpu"
    slopes, sinks = torch.tensor([[0.5, 0.1], [1.0, -1.0]], device=device)
    options = {"causal": True, "window": (9, 3), "softcap": 2.0, "dropout_p": 0.4}
    options |= {"alibi_slopes": slopes, "sinks": sinks}
    for how in ({}, *({x: options[x]} for x in options), options):
        error = largest_error(flash_attention, how, device)
        print(f"{'all' if len(how) > 1 else [*how, 'plain'][0]}: error {error:.0e}")
        assert error < 1e-4
