"""Cases for the kernels, and what is wrong with what a rung makes of them."""

import importlib
import math

import torch

from tilewise.standard import standard_forward

FP16, FP32 = torch.float16, torch.float32
CASES = {  # dtype, batch, heads, key heads, N_q, N_k, d, causal, scale
    "aligned": (FP32, 1, 2, 2, 64, 64, 32, False, None),
    "aligned causal": (FP16, 1, 1, 1, 64, 64, 64, True, None),
    "ragged": (FP16, 2, 1, 1, 37, 53, 16, False, None),
    "one row, as in decoding": (FP32, 1, 4, 1, 1, 49, 64, True, None),
    "more queries: rows without keys": (FP32, 1, 2, 1, 53, 20, 16, True, None),
    "more keys": (FP16, 1, 4, 2, 40, 71, 80, True, None),
    "top-left": (FP32, 2, 3, 1, 33, 70, 96, "top-left", 0.3),
    "negative scale": (FP32, 1, 1, 1, 35, 47, 24, True, -0.2),
    "no scale": (FP32, 1, 1, 1, 35, 47, 16, True, 0.0),
    "d 128": (FP16, 1, 1, 1, 33, 40, 128, False, None),
    "d 256": (FP32, 1, 1, 1, 20, 33, 256, "top-left", None),
    "rows that overlap": (FP16, 1, 2, 1, 20, 33, 64, True, 0.2),
    "rows that overlap, fp32": (FP32, 1, 1, 1, 32, 20, 64, False, None),
}
OVERLAPPING = [case for title, case in CASES.items() if "overlap" in title]


def tensors(case, seed, device):
    """q, k, v of a case; odd seeds: (batch, N, heads, d) in memory."""
    dtype, batch, heads, key_heads, n_q, n_k, d, *_ = case
    torch.manual_seed(seed)
    made = []
    for h, n in ((heads, n_q), (key_heads, n_k), (key_heads, n_k)):
        shape = (batch, n, h, d) if seed % 2 else (batch, h, n, d)
        x = torch.randn(shape, dtype=torch.float64).to(dtype)
        made.append((x.transpose(1, 2) if seed % 2 else x).to(device))
    return [*map(windows, made[:2]), made[2]] if case in OVERLAPPING else made


def windows(x):
    """(batch, heads, N, d) of x's numbers; a row begins one after the row before."""
    *_, n, d = x.shape
    return x.reshape(*x.shape[:2], n * d)[..., : n + d - 1].unfold(-1, d, 1)


def relative(x, exact):
    return ((x.double() - exact).norm() / exact.norm()).item()


def logsumexp(q, k, causal, scale):
    """L in float64, −∞ where a row sees no key."""
    (n_q, d), n_k = q.shape[-2:], k.shape[-2]
    shift = {False: n_k, True: n_k - n_q, "top-left": 0}[causal]
    hidden = torch.ones(n_q, n_k, dtype=torch.bool, device=q.device).triu(shift + 1)
    s = (d**-0.5 if scale is None else scale) * (q.double() @ k.double().mT)
    return s.masked_fill(hidden, -math.inf).logsumexp(-1)


def faults(name, case, seed, *, device="cpu", **tile):
    """What is wrong with a rung in a case: sentences. Odd seeds: other strides."""
    dtype, *_, causal, scale = case
    q, k, v = tensors(case, seed, device)
    options = {"causal": causal, "scale": scale}
    forward = importlib.import_module(f"tilewise.kernels.{name}").forward
    o, lse = forward(q, k, v, **options, **tile)
    k, v = (x.repeat_interleave(q.shape[1] // k.shape[1], 1) for x in (k, v))
    exact, _ = standard_forward(q.double(), k.double(), v.double(), **options)
    plain, _ = standard_forward(q, k, v, **options)
    if o.shape != q.shape or o.dtype != dtype or lse.dtype != torch.float32:
        yield f"o {tuple(o.shape)} {o.dtype}, lse {lse.dtype}"
    # the rule: at most twice plain PyTorch's error; fp32: or 8 roundings, as one long
    # sum of products without tensor cores has
    few = 8 if dtype == FP32 else 0
    most = max(2 * relative(plain, exact), few * torch.finfo(dtype).eps)
    if not relative(o, exact) <= most:
        yield f"o is off by {relative(o, exact):.1e}, more than {most:.1e}"
    good = logsumexp(q, k, causal, scale)
    stored = torch.finfo(dtype if name == "naive" else FP32).eps  # of S
    if not torch.allclose(lse.double(), good, rtol=8 * stored, atol=16 * stored):
        yield f"lse is off by {(lse - good).nan_to_num().abs().max():.1e}"
