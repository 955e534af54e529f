"""Cases for the backward rungs, and what the kernels are held to.

The oracle is autograd through the formula in float64. Every output is poisoned: a
number that no program writes stays NaN.
"""

import contextlib
import importlib
from functools import partial

import torch

from tests._oracle import assert_as_good, attend, floors, with_gradients

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
    dlse = torch.zeros_like(do[..., 0]) if dlse is None else dlse
    tensors, given = ([x.to(dtype) for x in xs] for xs in ((q, k, v), (do, dlse)))
    f = partial(attend, causal=causal, scale=scale)
    return with_gradients(f, tensors, given)


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


def hold(backward, case, dtype, *, device="cpu", dlse=True, given=None, **options):
    """Each gradient is as good as plain PyTorch's, in memory that was NaN."""
    *given, row = given or tensors(case, dtype, device)
    row, how = row if dlse else None, (case[6], options.get("scale"))
    true, plain = exact(*given, row, *how), exact(*given, row, *how, dtype)
    o, lse = true[:2]
    with poisoned():
        saved = o.to(dtype), given[3], lse.float()
        found = backward(*given[:3], *saved, dlse=row, causal=case[6], **options)
    assert {x.dtype for x in found} == {dtype}
    least = floors(*given, row, options.get("scale"))
    assert_as_good((*true[:2], *found), true, plain, least, doubt=True)
    return found
