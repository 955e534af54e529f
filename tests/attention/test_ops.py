"""The differentiable front: gradients, and what is kept between the passes."""

import math
import random

import pytest
import torch
from torch.testing import assert_close
from torch.utils._python_dispatch import TorchDispatchMode

from tilewise import flash_attention
from tilewise.attention import ops, passes
from tilewise.dropout import keep_factors
from tilewise.merge import merge

from .._oracle import attend, with_gradients
from ._attention_cases import case, flash2, whole

TINY = {"rtol": 0, "atol": 1e-10}


def float_mask(rng, q, k):
    """Floats to add to S, −∞ among them; an axis of size 1 repeats."""
    full = *q.shape[:-1], k.shape[-2]
    shape = [rng.choice([1, size]) for size in full][rng.randrange(3) :]
    bias = torch.randn(shape, dtype=q.dtype)
    return bias.masked_fill(torch.rand(shape) < 0.2, -math.inf)


def draw(seed):
    """(q, k, v, mask?), (do, dlse), blocks, options of ours, options of the oracle."""
    (q, k, v, do), blocks, ours, plain = case(seed, most=20)
    rng, p = random.Random(-seed), (0, 0.1, 0.5)[seed % 3]
    both = {name: ours[name] for name in ("scale", "causal")}
    inputs, oracle = [q, k, v], dict(both)
    if "mask" in ours:
        inputs.append(plain["seen"])
        oracle["seen"] = plain["seen"]
    elif rng.random() < 0.7:
        inputs.append(float_mask(rng, q, k))
    torch.manual_seed(seed)
    if p:
        z = keep_factors(p, int(torch.randint(2**63 - 1, ())), *q.shape[:2])
        oracle["factors"] = whole(z, q.shape[-2], k.shape[-2])
    given = do, torch.randn(q.shape[:-1], dtype=q.dtype)
    return inputs, given, blocks, both | {"dropout_p": p}, oracle


def written(q, k, v, mask=None, *, seen=None, **options):
    """The oracle, with a float mask as PyTorch's page on its function has it."""
    if mask is not None and mask.is_floating_point():
        options |= {"bias": mask, "seen": mask > -math.inf}
    return attend(q, k, v, **{"seen": seen} | options)


@pytest.mark.few(1)
@pytest.mark.parametrize("start", range(0, 300, 100))
def test_float64_equals_autograd_through_o_and_l(start, monkeypatch):
    for seed in range(start, start + 100):
        inputs, given, blocks, ours, oracle = draw(seed)
        monkeypatch.setattr(passes, "tile_sizes", lambda q, blocks=blocks: blocks)
        torch.manual_seed(seed)
        ours["return_lse"] = True
        found = with_gradients(lambda *x, o=ours: ops.attend(*x, **o), inputs, given)
        expected = with_gradients(lambda *x, o=oracle: written(*x, **o), inputs, given)
        assert_close(found, expected, msg=lambda m, s=seed: f"case {s}: {m}", **TINY)


@pytest.mark.parametrize("heads, n", [((1, 1), 700), ((3, 4), 150), ((40, 20), 70)])
def test_its_own_tiles(heads, n):
    torch.manual_seed(0)
    shapes = [(*heads, size, 3) for size in (n, n + 7, n + 7, n)]
    *tensors, do = (torch.randn(shape, dtype=torch.float64) for shape in shapes)
    rows, cols = passes.tile_sizes(tensors[0])
    assert rows * cols * math.prod(heads) <= 2**18 or rows * cols == 64**2
    assert rows < n and cols < n + 7  # more than one tile
    options = {"causal": True, "scale": -0.7}
    found = with_gradients(lambda *x: [flash_attention(*x, **options)], tensors, [do])
    plain = with_gradients(lambda *x: attend(*x, **options)[:1], tensors, [do])
    assert_close(found, plain, **TINY)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_narrow_dtypes_are_those_of_the_passes(dtype):
    torch.manual_seed(1)
    *tensors, do = torch.randn(4, 1, 2, 9, 4).to(dtype)
    given = do, torch.zeros(1, 2, 9)
    found = with_gradients(
        lambda *x: flash_attention(*x, return_lse=True), tensors, given
    )
    assert_close(found, flash2(*tensors, do, 9, 9), rtol=0, atol=0)  # dtypes too


def test_rows_without_keys_give_0_and_zero_gradient_whatever_comes_back():
    tensors = [torch.randn(1, 1, n, 4, dtype=torch.float64) for n in (7, 3, 3)]
    do, dlse = torch.randn(1, 1, 7, 4).double(), torch.ones(1, 1, 7).double()
    dlse[..., :4] = math.nan  # as from e^{L − L} where L = −∞
    options = {"causal": True, "return_lse": True}
    found = with_gradients(
        lambda *x: flash_attention(*x, **options), tensors, (do, dlse)
    )
    o, lse, dq, *rest = found
    assert (lse[..., :4] == -math.inf).all() and lse[..., 4:].isfinite().all()
    assert (o[..., :4, :] == 0).all() and (dq[..., :4, :] == 0).all()
    assert all(x.isfinite().all() for x in rest)


def test_parts_of_the_keys_merge_and_so_do_their_gradients():
    torch.manual_seed(2)
    *tensors, do = torch.randn(4, 2, 3, 11, 4, dtype=torch.float64)

    def in_parts(q, k, v):
        cuts = zip(k.split(4, -2), v.split(4, -2), strict=True)
        parts = [flash_attention(q, *kv, return_lse=True) for kv in cuts]
        return [merge(*map(torch.stack, zip(*parts, strict=True)))[0]]

    expected = with_gradients(lambda *x: [flash_attention(*x)], tensors, [do])
    assert_close(with_gradients(in_parts, tensors, [do]), expected, **TINY)


@pytest.mark.parametrize("causal", [True, "top-left"])
def test_later_keys_move_no_earlier_row_by_a_bit(causal):
    for seed in range(30):
        (q, k, v, do), *_ = case(seed, torch.float32, most=20)
        n = min(q.shape[2], k.shape[2])
        cut, results = seed % (n + 1), []
        for more in (0, 100.0):
            x, *keys = (x[:, :, :n].clone().requires_grad_() for x in (q, k, v))
            for y in keys:
                y.data[:, :, cut:] += more
            o = flash_attention(x, *keys, causal=causal)[:, :, :cut]
            dq = torch.autograd.grad(o, x, do[:, :, :cut])[0]
            results.append((o, dq[:, :, :cut]))
        assert all(map(torch.equal, *results))


def kept(f, *tensors):
    """Shapes of what autograd keeps while f runs."""
    shapes, tensors = [], [x.requires_grad_() for x in tensors]

    def pack(x):
        shapes.append(tuple(x.shape))
        return x

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda x: x):
        f(*tensors)
    return sorted(shapes)


def test_keeps_q_k_v_o_l_and_nothing_else():
    q, k, v = (torch.randn(1, heads, 300, 8) for heads in (4, 2, 2))
    least = sorted([q.shape, k.shape, v.shape, q.shape, q.shape[:-1]])
    assert kept(flash_attention, q, k, v) == least
    assert kept(lambda *x: flash_attention(*x, return_lse=True), q, k, v) == least
    assert kept(lambda *x: ops.attend(*x, dropout_p=0.5), q, k, v) == least
    mask = torch.ones(300, 300, dtype=torch.bool)
    with_mask = sorted([*least, mask.shape])
    assert kept(lambda *x: ops.attend(*x, mask), q, k, v) == with_mask


class Largest(TorchDispatchMode):
    """The most numbers in any tensor that is made."""

    most = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        for x in out if isinstance(out, tuple | list) else [out]:
            if isinstance(x, torch.Tensor):
                self.most = max(self.most, x.untyped_storage().nbytes() // x.itemsize)
        return out


@pytest.mark.parametrize("options", [{}, {"causal": True, "dropout_p": 0.1}])
def test_never_makes_a_matrix_of_n_by_n(options):
    n = 1024
    q, k, v = torch.randn(3, 1, 1, n, 8).unbind()
    bias = torch.zeros(1, n)
    with Largest() as made:
        inputs = [x.requires_grad_() for x in (q, k, v, bias)]
        ops.attend(*inputs, **options).sum().backward()
    assert 0 < made.most <= 2**18 < n * n
