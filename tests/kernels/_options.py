"""Random calls with windows, blocks, score rules, sinks, dropout, and what they give.

The oracle is the formula with whole matrices and its autograd, in float64.
"""

import importlib
import math
import random

import torch

from tests._oracle import assert_as_good, floors, hidden_mask
from tests.kernels._backward import poisoned
from tilewise.block_sparse import BlockMask, tiles_mask
from tilewise.dropout import keep_factors

TINY = (16, 16, 4, 1), (32, 16, 4, 1), (16, 32, 4, 1)
ALONE = [  # each option by itself, then draws of five of them
    ("window", (7, 0)),
    ("window", (None, 5)),
    ("softcap", 0.7),
    ("softcap", 30.0),
    ("alibi_slopes", "each head"),
    ("alibi_slopes", "each entry"),
    ("sinks", True),
    ("dropout_p", 0.3),
    ("block_mask", "tiles"),
    ("block_mask", "intervals"),
]
DRAWS = 40


def draw(i, dtype, device="cpu", most=90):
    """(tensors q, k, v, do, dlse, options) of call i, which begin with ALONE."""
    rng = random.Random(i)
    torch.manual_seed(i)
    batch, key_heads, group = rng.randint(1, 2), rng.randint(1, 2), rng.choice((1, 3))
    n_q, n_k = rng.randint(1, most), rng.randint(1, most)
    d, d_v = rng.choice((16, 24, 64)), rng.choice((16, 40, 64))
    heads = group * key_heads
    shapes = [(heads, n_q, d), (key_heads, n_k, d), (key_heads, n_k, d_v)]
    shapes += [(heads, n_q, d_v), (heads, n_q)]
    q, k, v, do, dlse = (torch.randn(batch, *x, device=device) for x in shapes)
    some = [ALONE[i]] if i < len(ALONE) else rng.sample(ALONE, 5)
    options = {"causal": rng.choice((False, True, "top-left"))} | dict(some)
    options |= {"scale": rng.choice((None, -0.3))}
    if "dropout_p" in options:
        options["seed"] = rng.randrange(2**63)
    slopes = {"each head": (heads,), "each entry": (batch, heads)}
    if "alibi_slopes" in options:
        shape = slopes[options["alibi_slopes"]]
        options["alibi_slopes"] = torch.rand(shape, device=device)
    if "sinks" in options:
        options["sinks"] = torch.randn(heads, device=device)
    if "block_mask" in options:
        front = rng.choice(((), (heads,), (batch, 1), (batch, heads)))
        made = {"tiles": blocks, "intervals": intervals}[options["block_mask"]]
        options["block_mask"] = made(rng, front, n_q, n_k, device)
    return [x.to(dtype) for x in (q, k, v, do)] + [dlse], options


def blocks(rng, front, n_q, n_k, device):
    """A mask of half of the tiles, which are not those of the kernel."""
    rows, cols = (rng.choice((5, 16, 32, 48)) for _ in range(2))
    tiles = torch.rand(*front, -(-n_q // rows), -(-n_k // cols), device=device) < 0.5
    return tiles_mask(tiles, rows, cols, n_q, n_k)


def intervals(rng, front, n_q, n_k, device):
    """A mask of four intervals a row, which overlap, are empty, or end outside."""
    ends = torch.randint(-n_k // 4, n_k + 20, (2, *front, n_q, 4), device=device)
    every = torch.rand(*front, n_q, 1, device=device) < 0.8  # a row sees most keys
    ends[1] = torch.where(every & (ends[0] < n_k // 3), n_k, ends[1])
    return BlockMask(*ends, n_k)


def hidden(n_q, n_k, causal, window, block_mask, device):
    """True where a row may not see a key, (..., N_q, N_k)."""
    rows = torch.arange(n_q, device=device)[:, None]
    right = torch.arange(n_k, device=device) - rows - (n_k - n_q)  # of the diagonal
    no = hidden_mask(n_q, n_k, causal).to(device).expand(n_q, n_k).clone()
    for limit, away in zip(window or (None, None), (-right, right)):
        no |= away > (math.inf if limit is None else limit)
    if block_mask is not None:
        first, end = (x[..., None] for x in block_mask[:2])  # (..., N_q, n, 1)
        keys = torch.arange(n_k, device=device)
        no = no | ~((first <= keys) & (keys < end)).any(-2)
    return no


def formula(
    q, k, v, slopes, sinks, *, causal=False, scale=None, window=None, softcap=None,
    block_mask=None, dropout_p=0, seed=None, first=0,
):  # fmt: skip
    """(o, L): τ q·k, softcap, ALiBi, mask, sink, dropout, with whole matrices.

    first is the number of q's first entry in its batch, which dropout asks for.
    """
    (batch, heads, n_q, d), n_k = q.shape, k.shape[2]
    k, v = (x.repeat_interleave(heads // k.shape[1], 1) for x in (k, v))
    s = (d**-0.5 if scale is None else scale) * (q @ k.mT)
    s = s if softcap is None else softcap * torch.tanh(s / softcap)
    rows, cols = (torch.arange(n, device=q.device) for n in (n_q, n_k))
    if slopes is not None:
        away = (rows[:, None] + n_k - n_q - cols).abs()
        s = s - slopes.expand(batch, heads)[..., None, None] * away
    no = hidden(n_q, n_k, causal, window, block_mask, q.device)
    s = s.masked_fill(no, -math.inf)
    sink = s[..., :0] if sinks is None else sinks[:, None, None].expand(*s.shape[:3], 1)
    lse = torch.cat([s, sink], -1).logsumexp(-1)
    p = torch.where(no, 0, torch.exp(s - lse.nan_to_num(neginf=0)[..., None]))
    if dropout_p:
        z = keep_factors(dropout_p, seed, batch, heads, first=first)
        p = p * z(rows[:, None], cols).to(p)
    return p @ v, lse


def exact(tensors, options, dtype):
    """[o, L, dq, dk, dv, dslopes, dsinks] computed in dtype, as far as asked for."""
    *inputs, do, dlse = (x.to(dtype) for x in tensors)
    options = dict(options)
    extra = [options.pop(x, None) for x in ("alibi_slopes", "sinks")]
    extra = [x if x is None else x.to(dtype) for x in extra]
    wanted = [x.requires_grad_() for x in (*inputs, *extra) if x is not None]
    o, lse = formula(*inputs, *extra, **options)
    loss = (o * do).sum() + (lse.masked_fill(lse == -math.inf, 0) * dlse).sum()
    return [o.detach(), lse.detach(), *torch.autograd.grad(loss, wanted)]


def hold(i, dtype, device="cpu", tiles=TINY, most=90):
    """Results and gradients of call i are as good as plain PyTorch's, in NaN memory.

    The backward pass has δ from the saved o, which is rounded. A change of δ is one of
    L's gradient, so the true gradients are those with dlse + δ − δ'.
    """
    tensors, options = draw(i, dtype, device, most)
    true, plain = (exact(tensors, options, x) for x in (torch.float64, dtype))
    (q, k, v, do, dlse), how = tensors, {}
    saved = true[0].to(dtype), do, true[1].float()
    lost = ((true[0] - saved[0].double()) * do.double()).sum(-1)
    true[2:] = exact((q, k, v, do, dlse + lost), options, torch.float64)[2:]
    scores, back, windows = (
        importlib.import_module(f"tilewise.kernels.{name}")
        for name in ("scores", "scores_backward", "windows")
    )
    if tiles:
        how = dict(zip(("block_rows", "block_cols"), tiles[i % 3]))
    with poisoned():
        o, lse = scores.forward(q, k, v, **options, **how)
        few = {x: y for x, y in options.items() if x in ("causal", "scale", "window")}
        if few == options:
            found = windows.forward(q, k, v, **options, **how)
            assert_as_good(found, true[:2], plain[:2], (0, 1), units=4)
        more = (
            {"dkdv_tile": tiles[(i + 1) % 3], "dq_tile": tiles[i % 3]} if tiles else {}
        )
        grads = back.backward(q, k, v, *saved, dlse=dlse, **options, **more)
    assert {x.dtype for x in (o, *grads[:3])} == {dtype} and lse.dtype == torch.float32
    z = 1 / (1 - options.get("dropout_p", 0))
    least = [*floors(q, k, v, do, dlse, options["scale"], z)]
    ds = least[3] / q.double().abs().max().item()
    least += [ds * (q.shape[2] + k.shape[2]) * k.shape[2], ds * q.shape[2]]
    least = least[:5] + [x for x, y in zip(least[5:], grads[3:]) if y is not None]
    found = [o, lse, *(x for x in grads if x is not None)]
    assert_as_good(found, true, plain, least, units=4, doubt=True)
