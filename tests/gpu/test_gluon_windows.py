"""gluon_windows and its backward pass on a Hopper GPU, against float64."""

import os
import random

import pytest
import torch

from tilewise import flash_attention, kernels

from ..kernels._backward import poisoned
from ..kernels._cases import relative
from ..kernels._options import exact

HOPPER = torch.cuda.is_available() and torch.cuda.get_device_capability()[0] == 9
pytestmark = pytest.mark.skipif(not HOPPER, reason="needs a Hopper GPU")
BF16, FP16 = torch.bfloat16, torch.float16
WINDOWS = [
    None, (0, 0), (7, 0), (None, 5), (63, 64), (128, 0), (127, 127), (64, 200),
    (300, None), (256, 10), (1000, 0),
]  # fmt: skip
TILES = [  # d, block_rows, block_cols, num_stages
    (64, 128, 64, 4),
    (64, 128, 128, 4),
    (64, 192, 64, 4),
    (64, 192, 128, 4),
    (128, 128, 64, 4),
    (128, 128, 128, 2),
]


def tensors(shape, dtype, seed, sinks):
    """[q, k, v, do, dL] and sinks or None; shape is batch, key heads, group, N_q, …"""
    batch, kv_heads, group, n_q, n_k, d = shape
    torch.manual_seed(seed)
    heads = kv_heads * group
    shapes = [(heads, n_q, d), (kv_heads, n_k, d), (kv_heads, n_k, d), (heads, n_q, d)]
    made = [torch.randn(batch, *x, device="cuda", dtype=dtype) for x in shapes]
    dlse = torch.randn(batch, heads, n_q, device="cuda")
    return [*made, dlse], torch.randn(heads, device="cuda") if sinks else None


def hold(shape, dtype, seed, how, **tile):
    """o, L and gradients are at most twice as far from float64 as plain PyTorch's."""
    given, sinks = tensors(shape, dtype, seed, how.pop("sinks"))
    how = how | {"sinks": sinks}
    true, plain = exact(given, how, torch.float64), exact(given, how, dtype)
    q, k, v, do, dlse = given
    with poisoned():
        o, lse = kernels.gluon_windows.forward(q, k, v, **how, **tile)
        dlse = dlse.masked_fill(lse.isinf(), 0)
        saved = q, k, v, o, do, lse
        found = kernels.gluon_windows_backward.backward(*saved, dlse=dlse, **how)
    assert torch.equal(lse.isinf(), true[1].isinf())
    error = (lse - true[1]).masked_fill(lse.isinf(), 0).abs().max()
    assert error <= 1e-5 * true[1].masked_fill(lse.isinf(), 0).abs().max() + 1e-5
    found = [o, *(x for x in found if x is not None)]
    true, plain = ([x[0], *x[2:]] for x in (true, plain))
    assert len(found) == len(true)
    least = 2 * torch.finfo(dtype).eps
    for name, x, y, z in zip(("o", "dq", "dk", "dv", "dsinks"), found, true, plain):
        assert x.isfinite().all(), name
        if not y.any():
            assert not x.any(), name
        else:
            assert relative(x, y) <= max(2 * relative(z, y), least), name


@pytest.mark.parametrize("d, block_rows, block_cols, num_stages", TILES)
@pytest.mark.parametrize("sinks", [False, True])
@pytest.mark.parametrize("window", WINDOWS, ids=str)
def test_every_window_and_tile(d, block_rows, block_cols, num_stages, window, sinks):
    how = {"window": window, "causal": window != (64, 200), "sinks": sinks}
    tile = {"block_rows": block_rows, "block_cols": block_cols}
    for seed, (n_q, n_k) in enumerate([(700, 700), (130, 900), (333, 65)]):
        shape = 2, 2, 3, n_q, n_k, d
        hold(shape, BF16, seed, dict(how), num_stages=num_stages, **tile)


def test_random_calls():
    """Lengths around the edges of tiles, every kind of mask; others in every run."""
    seed = int.from_bytes(os.urandom(4), "big")
    draw = random.Random(seed)
    for _ in range(60):
        n_q = draw.choice([1, 17, 63, 64, 65, 127, 128, 191, 193, 256, 500, 777, 1300])
        n_k = draw.choice([1, 15, 64, 127, 128, 129, 255, 300, 640, 1000])
        d = draw.choice([8, 40, 64, 72, 128])
        shape = draw.choice([1, 2]), draw.choice([1, 3]), draw.choice([1, 2, 4])
        how = {
            "window": draw.choice(WINDOWS),
            "causal": draw.choice([False, True, "top-left"]),
            "scale": draw.choice([None, 0.3, -0.2]),
            "sinks": draw.random() < 0.5,
        }
        number = draw.randrange(2**20)
        print(seed, number, shape, n_q, n_k, d, how)
        hold((*shape, n_q, n_k, d), draw.choice([BF16, FP16]), number, how)


@pytest.mark.parametrize("d", [64, 128])
def test_what_few_programs_share_and_many_heads_do_in_turns(d):
    """One head of K for many queries: parts, and sums of them. Many: more launches."""
    for shape, window in (
        ((1, 1, 16, 900, 900, d), (200, 0)),
        ((2, 40, 1, 2050, 2050, d), (70, 3)),
    ):
        hold(shape, BF16, 5, {"window": window, "causal": False, "sinks": True})


@pytest.mark.parametrize("d", [64, 128])
def test_twenty_times_the_same_bits_forward(d):
    (q, k, v, _, _), sinks = tensors((2, 4, 4, 2222, 2222, d), BF16, 3, True)
    how, first = {"causal": True, "window": (500, 0), "sinks": sinks}, None
    for _ in range(20):
        with poisoned():
            found = kernels.gluon_windows.forward(q, k, v, **how)
        first = first or found
        assert all(torch.equal(*pair) for pair in zip(first, found))


@pytest.mark.parametrize("deterministic", [False, True])
def test_by_the_front_door(deterministic):
    """As the kernels by themselves; in Triton, with the same bits, if that is asked."""
    (q, k, v, do, _), sinks = tensors((1, 2, 4, 1000, 1000, 64), BF16, 4, True)
    how = {"causal": True, "window": (300, 0), "sinks": sinks}
    leaves = [x.clone().requires_grad_() for x in (q, k, v, sinks)]
    torch.use_deterministic_algorithms(deterministic)
    try:
        o = flash_attention(*leaves[:3], **how | {"sinks": leaves[3]})
        o.backward(do)
    finally:
        torch.use_deterministic_algorithms(False)
    right, lse = kernels.gluon_windows.forward(q, k, v, **how)
    assert torch.equal(o, right)
    rung = kernels.scores_backward if deterministic else kernels.gluon_windows_backward
    found = rung.backward(q, k, v, right, do, lse, **how)
    dq, *rest = (x for x in found if x is not None)
    assert all(torch.equal(x.grad, y) for x, y in zip(leaves[1:], rest))
    if deterministic:
        assert torch.equal(leaves[0].grad, dq)
    else:
        assert relative(leaves[0].grad, dq.double()) < 1e-3
