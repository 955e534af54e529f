"""The differentiable front at its edges: dropout's seed, autocast, what cannot be."""

import math

import pytest
import torch
from torch.testing import assert_close

from tilewise import flash_attention
from tilewise.attention import ops

from .._oracle import with_gradients

FORWARD = torch.autograd.forward_ad


def test_dropout_repeats_with_the_seed_and_keeps_the_mean():
    q, k = torch.zeros(2, 2, 4, 256, 8)
    v = torch.ones(2, 4, 256, 8)  # o is the mean of 256 factors 0 or 1 / (1 − p)
    results = []
    for seed in (0, 0, 1):
        torch.manual_seed(seed)
        results.append(ops.attend(q, k, v, dropout_p=0.25))
    a, b, c = results
    assert torch.equal(a, b) and (a != c).double().mean() > 0.9
    sigma = math.sqrt(0.25 / 0.75 / 256)  # of one row
    assert abs(a.mean() - 1) < 5 * sigma / math.sqrt(2 * 4 * 256)
    assert abs((a - 1)[..., 0].std() / sigma - 1) < 0.1
    later = ops.attend(q, k, v, dropout_p=0.25)  # the generator has gone on
    assert (later != c).double().mean() > 0.9


def test_nothing_is_drawn_without_dropout():
    before = torch.get_rng_state()
    ops.attend(*torch.randn(3, 1, 1, 5, 4, generator=torch.Generator()))
    assert torch.equal(torch.get_rng_state(), before)


def test_autocast_leaves_sums_alone():
    torch.manual_seed(3)
    *tensors, do = torch.randn(4, 1, 2, 50, 16)
    expected = with_gradients(lambda *x: [flash_attention(*x)], tensors, [do])
    with torch.autocast("cpu", torch.bfloat16):
        found = with_gradients(lambda *x: [flash_attention(*x)], tensors, [do])
    assert_close(found, expected, rtol=0, atol=0)


def test_gradients_of_gradients_are_refused():
    q = torch.randn(1, 1, 5, 4, requires_grad=True)
    (dq,) = torch.autograd.grad(flash_attention(q, q, q).sum(), q, create_graph=True)
    with pytest.raises(RuntimeError, match="can be differentiated once"):
        dq.square().sum().backward()


X = torch.ones(1, 4, 6, 8)
GOOD = {"q": X, "k": X, "v": X}


@pytest.mark.parametrize(
    "change, kind, message",
    [
        ({"q": X[0]}, ValueError, r"q must be \(batch, heads, N, d\), not \(4, 6, 8\)"),
        ({"v": X[None]}, ValueError, r"v must be .*, not \(1, 1, 4, 6, 8\)"),
        ({"k": X.tolist()}, TypeError, "k must be a tensor, not list"),
        ({"k": X[:, :3], "v": X[:, :3]}, ValueError, r"batch or heads: .* k \(1, 3, 6"),
        ({"v": X[:, :2]}, ValueError, r"batch or heads: .* v \(1, 2, 6, 8\)"),
        ({"k": X[..., :7]}, ValueError, r"q and k differ in d: .* k \(1, 4, 6, 7\)"),
        ({"v": X[:, :, :5]}, ValueError, r"k and v differ in N: .* v \(1, 4, 5, 8\)"),
        (dict.fromkeys("qkv", X.int()), ValueError, "one float: torch.int32"),
        ({"q": X.half()}, ValueError, "one float: torch.float16, torch.float32"),
        ({"causal": "left"}, ValueError, "causal must be False, True .* not 'left'"),
        ({"causal": None}, ValueError, "causal must be False, True .* not None"),
        ({"scale": "1"}, TypeError, "scale must be None or a number, not '1'"),
        ({"scale": X}, TypeError, r"scale must be None or a number, not tensor"),
        ({"scale": X[0, 0, 0, 0].clone().requires_grad_()}, TypeError, "not tensor"),
        ({"scale": 10**400}, ValueError, "scale must be .* that a float can hold"),
        ({"dropout_p": "0"}, TypeError, "dropout_p must be a number, not '0'"),
        ({"softcap": 10**400}, ValueError, "softcap must be a finite number above 0"),
        ({"window": (2**30, 0)}, ValueError, "window must be .* from 0 to 2³⁰ − 1"),
        (
            {"causal": torch.tensor(True)},
            ValueError,
            r"causal must .* not tensor\(True",
        ),
        ({"causal": torch.ones(6, 6) > 0}, ValueError, "causal must be False, True or"),
        ({"k": X.to("meta")}, ValueError, "on one device, not on cpu, meta, cpu"),
        ({"k": X[:, :0], "v": X[:, :0]}, ValueError, "do not fit in batch or heads"),
        ({"q": X[..., :0]}, ValueError, r"q and k differ in d: q \(1, 4, 6, 0\)"),
        (
            dict.fromkeys("qkv", X.to(torch.float8_e4m3fn)),
            ValueError,
            "one float: torch.float8",
        ),
    ],
)
def test_what_does_not_fit_is_named(change, kind, message):
    with pytest.raises(kind, match=message):
        flash_attention(**GOOD | change)


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
@pytest.mark.parametrize("layout", [torch.strided, torch.jagged])
def test_nested_tensors_are_sent_to_the_function_for_them(layout):
    rows = torch.nested.nested_tensor([X[0], X[0]], layout=layout)
    with pytest.raises(TypeError, match="nested .* to flash_attention_varlen"):
        flash_attention(rows, rows, rows)


@pytest.mark.parametrize("p", [-0.1, 1, 1.0, 2, math.nan])
def test_dropout_outside_its_range_is_named(p):
    with pytest.raises(ValueError, match=f"dropout_p must be .* below 1, not {p}"):
        ops.attend(X, X, X, dropout_p=p)


@pytest.mark.parametrize(
    "mask, kind, message",
    [
        (X[0, 0, :, :6].tolist(), TypeError, "None or a tensor, not list"),
        (X[0, 0, :, :6].long(), TypeError, "of bool, float32 or .*, not torch.int64"),
        (X[0, 0, :, :6].double(), TypeError, "like q, not torch.float64"),
        (X[0, 0, 0, :6], ValueError, r"to \(1, 4, 6, 6\), not \(6,\)"),
        (X[0, 0, :, :5], ValueError, r"to \(1, 4, 6, 6\), not \(6, 5\)"),
        (X[0, :3, :, :6], ValueError, r"to \(1, 4, 6, 6\), not \(3, 6, 6\)"),
        (X[None, ..., :6], ValueError, r"to \(1, 4, 6, 6\), not \(1, 1, 4, 6, 6\)"),
    ],
)
def test_masks_that_do_not_fit_are_named(mask, kind, message):
    with pytest.raises(kind, match=f"attn_mask must .*{message}"):
        ops.attend(X, X, X, mask)


def test_numbers_of_any_kind_scale():
    torch.manual_seed(4)
    q, k, v = torch.randn(3, 1, 1, 5, 4, dtype=torch.float64)
    for scale in (-0.5, 2, 0, 1e-3):
        expected = torch.softmax(scale * q @ k.mT, -1) @ v
        assert_close(flash_attention(q, k, v, scale=scale), expected)


@pytest.mark.parametrize("context", [torch.no_grad, torch.inference_mode])
def test_without_gradients_there_is_no_function(context, monkeypatch):
    expected = flash_attention(X, X, X, causal=True, return_lse=True)
    monkeypatch.setattr(ops.Attention, "apply", None)
    with context():
        found = flash_attention(X, X, X, causal=True, return_lse=True)
        assert torch.equal(flash_attention(X, X, X, causal=True), expected[0])
    assert all(map(torch.equal, found, expected))
    with pytest.raises(TypeError):
        flash_attention(X, X, X)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # PyTorch's own
@pytest.mark.parametrize("grad", [True, False])
def test_forward_mode_is_refused(grad):
    """Never is it left out in silence, with gradients recorded or not."""

    def f(q):
        return flash_attention(q, X, X).sum()

    with torch.set_grad_enabled(grad), FORWARD.dual_level():
        with pytest.raises(NotImplementedError, match="jvp"):
            f(FORWARD.make_dual(X, X))
    with torch.set_grad_enabled(grad), pytest.raises(NotImplementedError, match="jvp"):
        torch.func.jvp(f, (X,), (X,))
