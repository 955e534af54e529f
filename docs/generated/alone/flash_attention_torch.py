# flash_attention_torch.py of Tilewise 0.1.0, by `tilewise export`.
# It needs torch; python flash_attention_torch.py tests it.
# Copyright (c) 2026 The Tilewise authors. SPDX-License-Identifier: MIT

"""FlashAttention in PyTorch, tile by tile, differentiable, on any device.

    o = flash_attention(q, k, v, causal=True)

computes softmax(τ q kᵀ) v and its gradients without a matrix of N_q × N_k numbers. The
loops are those of FlashAttention-2 (arXiv 2307.08691). This file shows the algorithm
and saves its memory; its speed needs a kernel. ALiBi, dropout, masks given as tensors
and packed documents are in the package.
"""

import math
from collections.abc import Callable
from typing import Literal, NamedTuple

import torch
from torch import Tensor

CAUSALS = (False, True, "top-left")  # no mask, bottom-right, top-left

def check_causal(causal: object) -> None:
    """Raise ValueError unless causal is False, True or "top-left"."""
    if not isinstance(causal, (bool, int, str)) or causal not in CAUSALS:
        raise ValueError(f"causal must be False, True or 'top-left', not {causal!r}")

def check_sizes(**sizes: object) -> None:
    """Raise ValueError naming the size that is not a whole number of at least 1."""
    for name, size in sorted(sizes.items()):
        if not isinstance(size, int) or isinstance(size, bool) or size < 1:
            message = f"{name} must be a whole number of at least 1, not {size!r}"
            raise ValueError(message)

def check_window(window: object) -> None:
    """Raise ValueError unless window is None or (left, right), each None or whole."""
    pair = isinstance(window, (list, tuple)) and len(window) == 2
    for x in window if pair else [-1]:  # type: ignore[attr-defined]
        whole = isinstance(x, int) and not isinstance(x, bool) and 0 <= x < 2**30
        if window is not None and x is not None and not whole:
            each = "each None or a whole number from 0 to 2³⁰ − 1"
            message = f"window must be None or (left, right), {each}, not {window!r}"
            raise ValueError(message)

def check_softcap(softcap: object) -> None:
    """Raise TypeError or ValueError unless it is None or a finite number above 0."""
    if softcap is None:
        return
    if not isinstance(softcap, (int, float)) or isinstance(softcap, bool):
        raise TypeError(f"softcap must be None or a number, not {softcap!r}")
    if not 0 < softcap <= 1e308:
        raise ValueError(f"softcap must be a finite number above 0, not {softcap!r}")

Causal = bool | Literal["top-left"]  # no mask, bottom-right (True), or top-left
FLOATS = torch.float16, torch.bfloat16, torch.float32, torch.float64

def check(
    q: Tensor, k: Tensor, v: Tensor, block_rows: int, block_cols: int, causal: Causal
) -> None:
    """Raise ValueError with one sentence that names what does not fit, or is empty."""
    if min(q.ndim, k.ndim, v.ndim) < 2 or 0 in q.shape + k.shape + v.shape:
        shapes = f"q {tuple(q.shape)}, k {tuple(k.shape)}, v {tuple(v.shape)}"
        raise ValueError(f"q, k and v must be (..., N, d) and not empty: {shapes}")
    check_shapes(q, k, v)
    check_sizes(block_rows=block_rows, block_cols=block_cols)
    check_causal(causal)

def check_shapes(q: Tensor, k: Tensor, v: Tensor) -> None:
    """Raise ValueError where tensors (..., N, d), which may be empty, do not fit."""

    def wrong(what: str) -> ValueError:
        shapes = f"q {tuple(q.shape)}, k {tuple(k.shape)}, v {tuple(v.shape)}"
        return ValueError(f"{what}: {shapes}")

    if not q.ndim == k.ndim == v.ndim or k.shape[:-2] != v.shape[:-2]:
        raise wrong("q, k and v differ in batch or heads")
    heads, kv_heads = q.shape[-3:-2].numel(), k.shape[-3:-2].numel()
    if q.shape[:-3] != k.shape[:-3] or heads % (kv_heads or heads + 1):
        raise wrong("q, k and v do not fit in batch or heads")
    if q.shape[-1] != k.shape[-1]:
        raise wrong("q and k differ in d")
    if k.shape[-2] != v.shape[-2]:
        raise wrong("k and v differ in N")
    if not q.dtype == k.dtype == v.dtype or q.dtype not in FLOATS:
        dtypes = f"{q.dtype}, {k.dtype}, {v.dtype}"
        raise ValueError(f"dtypes of q, k and v must be one float: {dtypes}")
    if not q.device == k.device == v.device:
        devices = f"{q.device}, {k.device}, {v.device}"
        raise ValueError(f"q, k and v must be on one device, not on {devices}")

def check_saved(q: Tensor, v: Tensor, **saved: Tensor) -> None:
    """Raise ValueError where what the forward pass saved, or dO, has another shape."""
    for name, x in saved.items():
        expected = (*q.shape[:-1], v.shape[-1]) if name in ("o", "do") else q.shape[:-1]
        if x.shape != expected:
            raise ValueError(f"{name} must be {tuple(expected)}, not {tuple(x.shape)}")

TileRule = Callable[[Tensor, Tensor], Tensor]
Load = Callable[[Tensor, Tensor], Tensor]

class ScoreRule(NamedTuple):
    """A function of each score by itself, x → s = value(x), and its derivative.

    slope(s) is ds/dx, as a function of the result s, and finite for s = −∞ too.
    """

    value: Callable[[Tensor], Tensor]
    slope: Callable[[Tensor], Tensor | int]

AS_IS = ScoreRule(value=lambda x: x, slope=lambda s: 1)

def prepare(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    block_rows: int,
    block_cols: int,
    scale: float | None,
    causal: Causal,
    mask: TileRule | None = None,
    bias: TileRule | None = None,
    dropout: TileRule | None = None,
) -> tuple[float, torch.dtype, Load, TileRule, TileRule, TileRule]:
    """Check the input; return τ, the dtype of sums, `load`, and three rules completed.

    scale None is 1/√d. Sums are in q's dtype, or in float32 where that is wider.
    `load(x, rows)` returns those rows of x (..., N, d) in the dtype of the sums. Where
    several query heads share a head of x (GQA, MQA), it repeats the rows for each.
    The mask that is returned also hides the keys that causal hides. Bias and dropout
    give numbers in the dtype of the sums, or 0 and 1 where there is none.
    """
    check(q, k, v, block_rows, block_cols, causal)
    (n_q, d), n_k = q.shape[-2:], k.shape[-2]
    wide = torch.promote_types(q.dtype, torch.float32)
    shift = {False: n_k, True: n_k - n_q, "top-left": 0}[causal]

    def load(x: Tensor, rows: Tensor) -> Tensor:
        tile = x[..., rows, :].to(wide)
        group = q.shape[:-2].numel() // x.shape[:-2].numel()
        return tile if group == 1 else tile.repeat_interleave(group, -3)

    def visible(rows: Tensor, cols: Tensor) -> Tensor:
        past = cols <= rows + shift  # row r sees keys 0 .. r + shift
        return past if mask is None else past & mask(rows, cols)

    scale = d**-0.5 if scale is None else scale
    bias, dropout = in_dtype(wide, bias, neutral=0), in_dtype(wide, dropout, neutral=1)
    return scale, wide, load, visible, bias, dropout

def in_dtype(dtype: torch.dtype, rule: TileRule | None, neutral: int) -> TileRule:
    """The rule with results in that dtype; without a rule, the neutral number."""
    if rule is None:
        return lambda rows, cols: rows.new_full((), neutral)
    return lambda rows, cols: rule(rows, cols).to(dtype)

def start(o: Tensor, sinks: Tensor | None) -> tuple[Tensor, Tensor]:
    """m and l (..., N, 1) of rows o (..., N, d_v) before their first tile: −∞ and 0.

    With sinks (heads,), or any shape that broadcasts to o's (..., heads), they are
    s and e^{s − s} = 1, the state of one key that has the logit s and a value of zeros.
    """
    one = o[..., :1]
    if sinks is None:
        return torch.full_like(one, -math.inf), torch.zeros_like(one)
    m = torch.zeros_like(one) + sinks[..., None, None].to(o.dtype)
    return m, torch.ones_like(one)

def blocks(x: Tensor, size: int) -> tuple[Tensor, ...]:
    """The indices 0 .. N − 1 of the rows of x (..., N, d), in blocks of `size`."""
    return torch.arange(x.shape[-2], device=x.device).split(size)

def like(x: Tensor, d: int | None = None) -> Tensor:
    """An empty tensor (..., N, d) like x, in the order of x's axes in memory.

    It is contiguous if d is not that of x, or if the rows of x are not.
    """
    if d in (None, x.shape[-1]) and x.stride(-1) == 1:
        return torch.empty_like(x)
    return x.new_empty(*x.shape[:-1], d or x.shape[-1])

def scores(
    q_i: Tensor, k_j: Tensor, scale: float, visible: Tensor, rule: ScoreRule = AS_IS
) -> Tensor:
    """S_ij = τ Q_i K_jᵀ, (B_r, B_c), with −∞ where a row may not see a key."""
    s = rule.value(scale * (q_i @ k_j.mT))
    return s.masked_fill(~visible, -math.inf)

def weight(x: Tensor, m: Tensor) -> Tensor:
    """e^{x − m}, and 0 where x is −∞ (a hidden key), even if m is −∞ too."""
    return torch.exp(x - m).masked_fill(x == -math.inf, 0)

def tile_gradients(
    p: Tensor,
    z: Tensor,
    slope: Tensor | int,
    q_i: Tensor,
    do_i: Tensor,
    delta: Tensor,
    k_j: Tensor,
    v_j: Tensor,
    scale: float,
) -> tuple[Tensor, Tensor, Tensor]:
    """What tile (i, j) adds to dQ_i, dK_j and dV_j: Algorithm 4, lines 15 to 22.

    p, z, slope (..., B_r, B_c), delta (..., B_r, 1); z and slope may be 1. These are
    four products of matrices; S_ij, from which p is computed, is the fifth.
    """
    dv = (p * z).mT @ do_i  # lines 15, 16: (B_c, d_v)
    dp = (do_i @ v_j.mT) * z  # lines 17, 18: (B_r, B_c)
    ds = p * (dp - delta) * slope  # line 20: softmax's Jacobian, row by row
    return scale * (ds @ k_j), scale * (ds.mT @ q_i), dv  # lines 21, 22

def group_sum(x: Tensor, k: Tensor) -> Tensor:
    """dK_j or dV_j, summed over the query heads that share a head of k (GQA, MQA)."""
    if x.shape[:-2] == k.shape[:-2]:
        return x
    return x.unflatten(-3, (k.shape[-3], -1)).sum(-3)

def softcap(cap: float) -> ScoreRule:
    """s = c tanh(x / c), which stays within ±c, and ds/dx = 1 − (s / c)².

    A hidden key, s = −∞, counts as s = −c, so that its slope is 0.
    Raises ValueError unless cap is a finite number above 0.
    """
    check_softcap(cap)
    return ScoreRule(
        value=lambda x: cap * torch.tanh(x / cap),
        slope=lambda s: 1 - (s / cap).clamp(min=-1) ** 2,
    )

@torch.no_grad()
def sink_gradient(
    sinks: Tensor, o: Tensor, do: Tensor, lse: Tensor, dlse: Tensor | int = 0
) -> Tensor:
    """The gradient of sinks, −Σ_rows e^{sink − L} (dO · O − dL), in their shape, dtype.

    A sink has the weight e^{sink − L} and a value of zeros, so that dP = 0 in
    dS = P ∘ (dP − δ). sinks (heads,) broadcast to o (..., heads, N, d_v), do is like o,
    and dlse like lse (..., heads, N) is the gradient of L.
    """
    delta = (do.to(lse.dtype) * o.to(lse.dtype)).sum(-1) - dlse  # (..., heads, N)
    p = weight(sinks[..., None].to(lse.dtype), lse)  # the sink's share of each row
    return -(p * delta).sum(-1).sum_to_size(sinks.shape).to(sinks.dtype)

@torch.no_grad()
def flash2_forward(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    block_rows: int,
    block_cols: int,
    *,
    scale: float | None = None,
    causal: Causal = False,
    mask: TileRule | None = None,
    bias: TileRule | None = None,
    dropout: TileRule | None = None,
    rule: ScoreRule = AS_IS,
    sinks: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """o = softmax(τ q kᵀ) v and L, one block of queries after another: Algorithm 1.

    q (..., N_q, d), k (..., N_k, d), v (..., N_k, d_v) → o (..., N_q, d_v) in q's dtype
    and lse (..., N_q), fp32 or wider. No key seen: o = 0, lse = −∞.
    """
    scale, wide, load, mask, bias, dropout = prepare(
        q, k, v, block_rows, block_cols, scale, causal, mask, bias, dropout
    )
    o = like(q, v.shape[-1])  # in HBM: every row is written once
    lse = q.new_empty(*q.shape[:-1], 1, dtype=wide)
    for rows in blocks(q, block_rows):  # line 3: on a GPU a program each
        q_i = load(q, rows)  # line 4: (B_r, d)
        o_i = q_i.new_zeros(*q_i.shape[:-1], v.shape[-1])  # line 5: on chip, (B_r, d_v)
        m_i, l_i = start(o_i, sinks)  # (B_r, 1) each
        for cols in blocks(k, block_cols):  # line 6: (B_c,)
            at = rows[:, None], cols  # (B_r, 1), (B_c,)
            visible = mask(*at)  # (B_r, B_c): True where r sees c
            if not visible.any():
                continue  # an empty tile
            k_j, v_j = load(k, cols), load(v, cols)  # line 7: (B_c, d)
            s = scores(q_i, k_j, scale, visible, rule) + bias(*at)  # line 8
            m_old, m_i = m_i, torch.maximum(m_i, s.amax(-1, keepdim=True))  # line 9
            p, alpha = weight(s, m_i), weight(m_old, m_i)  # (B_r, B_c), (B_r, 1)
            l_i = alpha * l_i + p.sum(-1, keepdim=True)
            p = p * dropout(*at)  # after l, which is of all of P
            o_i = alpha * o_i + p @ v_j  # line 10: not divided by l yet
        o[..., rows, :] = (o_i / l_i.clamp(min=1)).to(q.dtype)  # 12, 14: divided once
        lse[..., rows, :] = m_i + l_i.log()  # lines 13, 15
    return o, lse[..., 0]  # line 17

@torch.no_grad()
def flash2_backward(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    o: Tensor,
    do: Tensor,
    lse: Tensor,
    block_rows: int,
    block_cols: int,
    *,
    dlse: Tensor | int = 0,
    scale: float | None = None,
    causal: Causal = False,
    mask: TileRule | None = None,
    bias: TileRule | None = None,
    dropout: TileRule | None = None,
    rule: ScoreRule = AS_IS,
) -> tuple[Tensor, Tensor, Tensor]:
    """dQ, dK, dV from the saved o and L, with P = e^{S − L}: Algorithm 2.

    Shapes and options as in flash2_forward, which returned o, lse; do is like o. dlse,
    like lse, is the gradient of L: it lowers δ, since ∂L/∂S = P. No key seen: all 0.
    """
    scale, wide, load, mask, bias, dropout = prepare(
        q, k, v, block_rows, block_cols, scale, causal, mask, bias, dropout
    )
    check_saved(q, v, o=o, do=do, lse=lse)
    dq = torch.zeros_like(q, dtype=wide)  # line 3: (N_q, d)
    dk, dv = (torch.empty_like(x, dtype=wide) for x in (k, v))  # written once each
    delta = ((do.to(wide) * o.to(wide)).sum(-1) - dlse)[..., None]  # line 4: (N_q, 1)
    for cols in blocks(k, block_cols):  # line 5
        k_j, v_j = load(k, cols), load(v, cols)  # line 6: (B_c, d)
        dk_j, dv_j = torch.zeros_like(k_j), torch.zeros_like(v_j)  # line 7: on chip
        for rows in blocks(q, block_rows):  # line 8
            at = rows[:, None], cols  # (B_r, 1), (B_c,)
            visible = mask(*at)
            if not visible.any():
                continue
            q_i, do_i, delta_i = (load(x, rows) for x in (q, do, delta))  # line 9
            s = scores(q_i, k_j, scale, visible, rule)  # line 10
            p = weight(s + bias(*at), lse[..., rows, None])  # 11: no division by l
            z, slope = dropout(*at), rule.slope(s)
            parts = tile_gradients(p, z, slope, q_i, do_i, delta_i, k_j, v_j, scale)
            dq[..., rows, :] += parts[0]  # line 15: atomic on a GPU
            dk_j, dv_j = dk_j + parts[1], dv_j + parts[2]  # lines 16, 12
        dk[..., cols, :], dv[..., cols, :] = group_sum(dk_j, k), group_sum(dv_j, v)
    return dq.to(q.dtype), dk.to(q.dtype), dv.to(q.dtype)  # line 20

Window = tuple[int | None, int | None]

def tile_sizes(q: Tensor) -> tuple[int, int]:
    """B_r, B_c for which a tile over all heads of the batch has about 2¹⁸ numbers.

    Below 64 × 64 Python's loops take the time; above 2¹⁸ a tile leaves the cache. A GPU
    has more to fill: 2²² numbers.
    """
    *_, n_q, _ = q.shape
    area = 2**18 if q.device.type == "cpu" else 2**22
    side = math.isqrt(area // max(1, q.shape[:-2].numel())).bit_length() - 1
    side = 2 ** max(6, side)  # 64 to 512, or 2048
    rows = max(1, min(side, n_q))
    return rows, side**2 // rows


def rules(q: Tensor, k: Tensor, sides: Window | None, cap: float | None) -> dict:
    """The options of both passes for a window and for softcap."""
    how: dict = {}
    if sides is not None:  # row r sees keys r + N_k − N_q − left … + right
        here, far = k.shape[-2] - q.shape[-2], k.shape[-2] + q.shape[-2]
        left, right = (far if x is None else x for x in sides)
        how["mask"] = lambda r, c: (c >= r + here - left) & (c <= r + here + right)
    return how if cap is None else how | {"rule": softcap(cap)}

class Attention(torch.autograd.Function):
    """o and L; between the passes only q, k, v, o, L and the sinks are kept."""

    @staticmethod
    def forward(ctx, q, k, v, sinks, options):
        ctx.options, ctx.sizes = options, tile_sizes(q)
        o, lse = flash2_forward(q, k, v, *ctx.sizes, **options, sinks=sinks)
        ctx.save_for_backward(q, k, v, sinks, o, lse)
        return o, lse

    @staticmethod
    def backward(ctx, do, dlse):
        q, k, v, sinks, o, lse = ctx.saved_tensors
        dlse = dlse.masked_fill(lse == -torch.inf, 0)
        saved = q, k, v, o, do, lse, *ctx.sizes
        grads = flash2_backward(*saved, **ctx.options, dlse=dlse)
        wanted = ctx.needs_input_grad[3]
        return *grads, sink_gradient(sinks, o, do, lse, dlse) if wanted else None, None

def flash_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    *,
    causal: Causal = False,
    scale: float | None = None,
    window: Window | None = None,
    softcap: float | None = None,
    sinks: Tensor | None = None,
    return_lse: bool = False,
) -> Tensor | tuple[Tensor, Tensor]:
    """o = softmax(τ q kᵀ) v, differentiable once.

    q (batch, heads, N_q, d), k (batch, heads, N_k, d), v (batch, heads, N_k, d_v), one
    float dtype → o (batch, heads, N_q, d_v), and with return_lse also L = log Σ e^s
    (batch, heads, N_q). k and v may have fewer heads than q, if these divide q's (GQA).
    scale None is τ = 1/√d. causal True lets row r see keys 0 .. r + N_k − N_q, and
    "top-left" 0 .. r. A row that sees no key has o = 0, L = −∞ and gradient 0.

    softcap c makes c tanh(s / c) of each score s, window (left, right), each None or a
    whole number, hides keys that are further away, and sinks (heads,) are logits that
    count in the sum only. Raises ValueError for what does not fit.
    """
    check_window(window)
    if causal == "top-left" and window is not None:
        raise ValueError("window needs causal to be True or False")
    how = {"causal": causal, "scale": scale, **rules(q, k, window, softcap)}
    o, lse = Attention.apply(q, k, v, sinks, how)
    return (o, lse) if return_lse else o

def largest_error() -> float:
    """The largest error in float64, gradients included, against the whole formula."""
    torch.manual_seed(0)
    q, k, v, do = torch.randn(4, 2, 4, 200, 16, dtype=torch.float64)
    q, k, v = (x.requires_grad_() for x in (q, k[:, :2], v[:, :2]))
    hidden = torch.ones(200, 200, dtype=torch.bool).triu(1)
    s = (q @ k.repeat_interleave(2, 1).mT / 4).masked_fill(hidden, -torch.inf)
    exact = s.softmax(-1) @ v.repeat_interleave(2, 1)
    found = flash_attention(q, k, v, causal=True)
    exact, found = ([o, *torch.autograd.grad(o, (q, k, v), do)] for o in (exact, found))
    return max((a - b).abs().max().item() for a, b in zip(exact, found))

if __name__ == "__main__":
    error = largest_error()
    assert error < 1e-12, error
    print(f"o, dq, dk, dv: the largest error in float64 is {error:.0e}")
