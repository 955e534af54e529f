"""Cases for the backward rungs, and what the kernels are held to.

The oracle is autograd through the formula in float64. Every output is poisoned: a
number that no program writes stays NaN.
"""

import contextlib
import importlib

import torch

RUNGS = ("backward_split", "backward_descriptors")
TINY = (16, 16, 4, 1), (16, 32, 4, 2), (32, 16, 4, 1)
CASES = [  # batch, heads, key heads, N_q, N_k, d, causal
    (2, 2, 2, 33, 47, 16, False),
    (1, 3, 3, 64, 64, 16, True),
    (1, 2, 2, 47, 33, 24, "top-left"),
    (1, 4, 2, 50, 37, 16, True),  # rows 0 .. 12 see no key
    (2, 4, 1, 20, 70, 16, True),
    (1, 6, 2, 35, 35, 32, "top-left"),
    (1, 1, 1, 1, 1, 16, True),
    (1, 2, 1, 5, 130, 80, True),
    (1, 1, 1, 130, 17, 96, True),
    (1, 2, 2, 40, 33, 64, False),
    (1, 1, 1, 20, 40, 128, True),
    (1, 1, 1, 20, 20, 256, True),
]


def rung(name):
    return importlib.import_module(f"tilewise.kernels.{name}")


def exact(q, k, v, do, dlse, causal, scale=None, dtype=torch.float64):
    """(o, lse, dq, dk, dv) by autograd through the formula, computed in dtype."""
    q, k, v = (x.detach().to(dtype).requires_grad_() for x in (q, k, v))
    group = q.shape[1] // k.shape[1]
    spread = [x.repeat_interleave(group, 1) for x in (k, v)]
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    n_q, n_k = q.shape[2], k.shape[2]
    past = {False: n_k, True: n_k - n_q + 1, "top-left": 1}[causal]
    rows = torch.arange(n_q, device=q.device)[:, None]
    hidden = torch.arange(n_k, device=q.device) >= rows * bool(causal) + past
    s = (scale * (q @ spread[0].mT)).masked_fill(hidden, -torch.inf)
    seen = ~hidden.all(1)
    p = torch.where(seen[:, None], s.softmax(-1), 0)
    o, lse = p @ spread[1], s.logsumexp(-1)
    outs, given = [o], [do.to(dtype)]
    if dlse is not None:
        outs.append(torch.where(seen, lse, 0))
        given.append(torch.where(seen, dlse, 0).to(dtype))
    return o.detach(), lse.detach(), *torch.autograd.grad(outs, (q, k, v), given)


def tensors(case, dtype, device="cpu", seed=0):
    """q, k, v, do, dlse of a case."""
    torch.manual_seed(seed)
    batch, heads, kv_heads, n_q, n_k, d, _ = case
    shapes = [(heads, n_q), (kv_heads, n_k), (kv_heads, n_k), (heads, n_q)]
    made = [torch.randn(batch, h, n, d, device=device).to(dtype) for h, n in shapes]
    return *made, torch.randn(batch, heads, n_q, device=device)


@contextlib.contextmanager
def poisoned():
    """Fresh tensors, which kernels are to fill, begin as NaN."""
    was = torch.utils.deterministic.fill_uninitialized_memory
    old = torch.get_deterministic_debug_mode()
    torch.utils.deterministic.fill_uninitialized_memory = True
    torch.set_deterministic_debug_mode("error")  # does not import Inductor
    try:
        yield
    finally:
        torch.set_deterministic_debug_mode(old)
        torch.utils.deterministic.fill_uninitialized_memory = was


def floors(q, k, v, do, dlse, scale):
    """The largest number that a gradient is a sum of, or a difference: dq, dk, dv.

    dS = P ∘ (dP − δ) + dL P subtracts two numbers as large as dP, both rounded, and is
    exactly 0 where a row sees one key; one key or query carries that into dQ or dK.
    """
    q, k, v, do = (x.double() for x in (q, k, v, do))
    v = v.repeat_interleave(q.shape[1] // v.shape[1], 1)
    ds = 2 * (do @ v.mT).abs().max() + (0 if dlse is None else dlse.abs().max())
    ds *= scale
    return ds * k.abs().max(), ds * q.abs().max(), do.abs().max()


def hold(backward, case, dtype, *, device="cpu", dlse=True, given=None, **options):
    """Each gradient's error is at most twice plain PyTorch's, both against float64.

    Plus one unit in the last place of the largest number on the way (see floors), and
    one of L, which is in fp32: P = e^{S − L} is as uncertain as L.
    """
    *given, row = given or tensors(case, dtype, device)
    row, causal, scale = row if dlse else None, case[6], options.get("scale")
    o, lse, *true = exact(*given, row, causal, scale)
    *_, dq, dk, dv = exact(*given, row, causal, scale, dtype)
    with poisoned():
        saved = o.to(dtype), given[3], lse.float()
        found = backward(*given[:3], *saved, dlse=row, causal=causal, **options)
    size = abs(given[0].shape[-1] ** -0.5 if scale is None else scale)
    limits = zip(("dq", "dk", "dv"), (dq, dk, dv), floors(*given, row, size))
    doubt = torch.finfo(torch.float32).eps * lse[lse.isfinite()].abs().max().item()
    eps = torch.finfo(dtype).eps + doubt
    for x, y, (name, plain, floor) in zip(found, true, limits):
        assert x.dtype == dtype and x.shape == y.shape
        error, allowed = ((z.double() - y).abs().max() for z in (x, plain))
        floor = eps * max(floor, y.abs().max())
        assert error <= 2 * allowed + floor, (name, case, error, allowed, floor)
    return found
