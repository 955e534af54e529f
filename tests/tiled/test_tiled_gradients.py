"""Both orders, forward and backward, against autograd: every option, random shapes."""

import math

import pytest
import torch
from torch.testing import assert_close
from torch.utils._python_dispatch import TorchDispatchMode

from tilewise.dropout import keep_factors
from tilewise.flash1 import flash1_backward, flash1_forward
from tilewise.flash2 import flash2_backward, flash2_forward
from tilewise.masks import causal, tile_mask, window
from tilewise.worked_example import DO, SCALE, K, O, Q, V

from .._oracle import DK, DQ, DV, autograd
from ..attention._attention_cases import both_orders, case, flash1, flash2

TINY = {"rtol": 0, "atol": 1e-10}


@both_orders
@pytest.mark.few(2)
@pytest.mark.parametrize("start", range(0, 300, 100))
def test_float64_equals_autograd(passes, start):
    for seed in range(start, start + 100):
        tensors, blocks, ours, plain = case(seed, most=20)
        found = passes(*tensors, *blocks, *blocks[::-1], **ours)
        expected = autograd(*tensors, **plain)
        assert_close(found, expected, msg=lambda m, s=seed: f"case {s}: {m}", **TINY)


@both_orders
def test_the_running_example(passes):
    q, k, v, do = (torch.tensor(x, dtype=torch.float64) for x in (Q, K, V, DO))
    for blocks in ((2, 2), (1, 3), (4, 4)):
        o, lse, dq, dk, dv = passes(q, k, v, do, *blocks, scale=SCALE)
        ninths = (9 * dq / SCALE, 9 * dk / SCALE, 9 * dv)
        expected = (torch.tensor(x, dtype=torch.float64) for x in (DQ, DK, DV))
        assert_close(ninths, tuple(expected), **TINY)
        assert_close(o, torch.tensor(O, dtype=torch.float64), **TINY)
        units = torch.tensor([0.0, 1, 2, 2], dtype=torch.float64)  # m of each row, in τ
        assert_close(lse, SCALE * units + math.log(9 / 4), **TINY)


def test_neither_blocks_nor_order_change_anything():
    tensors = [torch.randn(2, 4, n, 5, dtype=torch.float64) for n in (13, 11, 11, 13)]
    options = {"mask": tile_mask(window(13, 11, 4, 3))}
    options |= {"dropout": keep_factors(0.4, 9, 2, 4), "causal": "top-left"}
    first = flash1(*tensors, 13, 11, **options)
    for blocks in ((1, 1), (4, 3), (5, 20), (13, 1)):
        for passes in (flash1, flash2):
            assert_close(passes(*tensors, *blocks, **options), first, **TINY)


@both_orders
def test_rows_without_keys_give_0_and_zero_gradient(passes):
    torch.manual_seed(0)
    q, k, v, do = (torch.randn(n, 4) for n in (7, 3, 3, 7))
    for block_rows in (1, 2, 4, 7):
        o, lse, dq, dk, dv = passes(q, k, v, do, block_rows, 2, causal=True)
        assert (
            (o[:4] == 0).all() and (dq[:4] == 0).all() and (lse[:4] == -math.inf).all()
        )
        alone = passes(q[4:], k, v, do[4:], block_rows, 2, causal=True)
        assert_close((o[4:], lse[4:], dq[4:], dk, dv), alone)
    hidden = {"mask": lambda rows, cols: rows + cols < 0}
    o, lse, *grads = passes(q, k, v, do, 2, 2, **hidden)
    assert all((x == 0).all() for x in (o, *grads)) and (lse == -math.inf).all()


@both_orders
def test_first_tile_hidden_though_the_row_is_not(passes):
    torch.manual_seed(1)
    tensors = [torch.randn(1, 1, 24, 4, dtype=torch.float64) for _ in range(4)]
    mask = tile_mask(window(24, 24, 2))
    seen = mask(torch.arange(24)[:, None], torch.arange(24))
    found = passes(*tensors, 8, 4, mask=mask)  # rows of a tile start in several tiles
    assert_close(found, autograd(*tensors, seen=seen), **TINY)


@both_orders
def test_empty_tiles_are_never_read(passes):
    torch.manual_seed(2)
    q, k, v, do = (torch.randn(8, 4) for _ in range(4))
    mask = tile_mask(causal(8, 8, "top-left"))
    clean = passes(q[:6], k[:6], v[:6], do[:6], 2, 2, causal="top-left")
    k[6:], v[6:] = math.nan, math.nan
    for options in ({"causal": "top-left"}, {"mask": mask}):
        o, lse, dq, dk, dv = passes(q[:6], k, v, do[:6], 2, 2, **options)
        assert_close((o, lse, dq, dk[:6], dv[:6]), clean)
        assert (dk[6:] == 0).all() and (dv[6:] == 0).all()


@both_orders
def test_garbage_in_fresh_memory_does_not_matter(passes):
    tensors, blocks, ours, _ = case(6, torch.float32)
    clean = passes(*tensors, *blocks, **ours)
    torch.use_deterministic_algorithms(True)
    try:
        assert torch.empty(3).isnan().all()  # as PyTorch promises in this mode
        found = passes(*tensors, *blocks, **ours)
    finally:
        torch.use_deterministic_algorithms(False)
    assert_close(found, clean, rtol=0, atol=0)


class Products(TorchDispatchMode):
    """Counts matrix products; softmax's exponentials too."""

    def __init__(self):
        super().__init__()
        self.count = {"mm": 0, "exp": 0}

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        name = func.overloadpacket.__name__.replace("bmm", "mm")
        if name in self.count:
            self.count[name] += 1
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize("order", [1, 2])
def test_backward_does_five_products_a_tile_and_no_forward(order):
    torch.manual_seed(3)
    q, k, v, do = (torch.randn(12, 4) for _ in range(4))
    for options, tiles in (({}, 12), ({"causal": True}, 9)):
        if order == 1:
            saved = o, m, l = flash1_forward(q, k, v, 3, 4, **options)
            passes, saved = flash1_backward, (o, do, m, l)
        else:
            o, lse = flash2_forward(q, k, v, 3, 4, **options)
            passes, saved = flash2_backward, (o, do, lse)
        with Products() as products:
            passes(q, k, v, *saved, 3, 4, **options)
        assert products.count == {"mm": 5 * tiles, "exp": tiles}


def test_shared_heads_are_repeated_heads():
    torch.manual_seed(4)
    q, do = torch.randn(2, 2, 6, 9, 4, dtype=torch.float64)
    k, v = torch.randn(2, 2, 2, 7, 4, dtype=torch.float64)
    many = [x.repeat_interleave(3, 1) for x in (k, v)]
    for passes in (flash1, flash2):
        o, lse, dq, dk, dv = passes(q, k, v, do, 4, 3, causal=True)
        expected = passes(q, *many, do, 4, 3, causal=True)
        summed = (x.unflatten(1, (2, 3)).sum(2) for x in expected[3:])
        assert_close((o, lse, dq, dk, dv), (*expected[:3], *summed), **TINY)
        alone = passes(q[1], k[1], v[1], do[1], 4, 3, causal=True)  # without a batch
        assert_close(alone, tuple(x[1] for x in (o, lse, dq, dk, dv)), **TINY)


@both_orders
def test_gradients_do_not_stall_in_half_precision(passes):
    n = 320  # bfloat16 cannot add 1 to 256, and can hold 320
    x, one = torch.zeros(n, 1, dtype=torch.bfloat16), torch.zeros(1, 1).bfloat16()
    *_, dv = passes(x, one, one, torch.ones_like(x), 1, 1)
    assert dv.item() == n


X = torch.ones(2, 6, 5, 4)


@pytest.mark.parametrize(
    "change, message",
    [
        ({"o": X[..., :3]}, r"o must be \(2, 6, 5, 4\), not \(2, 6, 5, 3\)"),
        ({"do": X[..., :1, :]}, r"do must be \(2, 6, 5, 4\), not \(2, 6, 1, 4\)"),
        ({"lse": X[..., :1]}, r"lse must be \(2, 6, 5\), not \(2, 6, 5, 1\)"),
        ({"k": X[:, :4], "v": X[:, :4]}, r"batch or heads: .* k \(2, 4, 5, 4\)"),
        ({"k": X[:1], "v": X[:1]}, r"batch or heads: .* k \(1, 6, 5, 4\)"),
        ({"block_rows": 0}, "block_rows must be a whole number"),
        ({"causal": "left"}, "causal must be False, True or 'top-left', not 'left'"),
    ],
)
def test_what_does_not_fit_is_named(change, message):
    good = dict.fromkeys(("q", "k", "v", "o", "do"), X) | {"lse": X[..., 0]}
    given = good | {"block_rows": 2, "block_cols": 2} | change
    with pytest.raises(ValueError, match=message):
        flash2_backward(**given)
    o, do, lse = (given.pop(name) for name in ("o", "do", "lse"))
    with pytest.raises(ValueError, match=message.replace("lse must", "m must")):
        flash1_backward(**given, o=o, do=do, m=lse, l=lse)
    for forward in (flash1_forward, flash2_forward):
        if not change.keys() & {"o", "do", "lse"}:
            with pytest.raises(ValueError, match=message):
                forward(**given)
