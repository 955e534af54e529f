"""Where PyTorch's function works, so does ours: meta, fx, no numbers."""

import warnings

import pytest
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention
from torch.testing import assert_close

from tilewise import (
    FlashAttention,
    flash_attention,
    flash_attention_varlen,
    ring_attention,
)
from tilewise import scaled_dot_product_attention as ours

TINY = {"rtol": 0, "atol": 1e-10}
Q, K, V = torch.randn(3, 3, 2, 4, 5, 6, dtype=torch.float64)


def theirs(*tensors, **options):
    """PyTorch's, of differentiable operations."""
    with sdpa_kernel(SDPBackend.MATH):
        return scaled_dot_product_attention(*tensors, **options)


def test_meta_tensors_have_shapes_and_gradients():
    q = torch.empty(2, 4, 5, 8, device="meta", requires_grad=True)
    o = ours(q, q, q[..., :6], is_causal=True, scale=torch.tensor(0.5), dropout_p=0.1)
    assert o.is_meta and o.shape == (2, 4, 5, 6)
    o, lse = flash_attention(q, q, q, return_lse=True)
    (o.sum() + lse.sum()).backward()
    assert (q.grad.shape, q.grad.is_meta) == (q.shape, True)
    layer = FlashAttention(16, 2, device="meta", window=(2, 0), sinks=True)
    assert layer(torch.empty(2, 5, 16, device="meta")).shape == (2, 5, 16)
    rows, ends = torch.empty(5, 4, 8, device="meta"), torch.empty(3, device="meta")
    packed = flash_attention_varlen(rows, rows, rows, ends.int(), ends.int())
    assert packed.is_meta and packed.shape == (5, 4, 8)


@pytest.mark.parametrize("empty", range(5))
def test_no_numbers(empty):
    """Without a batch, heads, queries, keys or d, as theirs; L of no key is −∞."""
    batch, heads, n_q, n_k, d = (0 if at == empty else 2 for at in range(5))
    shapes = (batch, heads, n_q, d), (batch, heads, n_k, d), (batch, heads, n_k, 3)
    q, k, v = (torch.randn(x, dtype=torch.float64, requires_grad=True) for x in shapes)
    o, lse = flash_attention(q, k, v, return_lse=True, causal=True)
    expected = torch.nn.functional.scaled_dot_product_attention(
        q, k, v, torch.ones(n_q, n_k).tril(n_k - n_q) > 0, scale=1
    )
    assert_close(o, expected, **TINY)
    assert_close(ours(q, k, v), theirs(q, k, v, scale=1) if d == 0 else theirs(q, k, v))
    seen = torch.arange(n_q) + n_k - n_q + 1
    if empty in (3, 4):
        assert_close(lse, seen.clamp(min=0).double().log().expand(lse.shape))
    grads = torch.autograd.grad(o.sum() + lse.sum(), (q, k, v))
    assert [x.shape for x in grads] == [x.shape for x in (q, k, v)]


def test_values_without_columns_have_a_log_sum_exp():
    q, k, v = Q[0], K[0], V[0]
    o, lse = flash_attention(q, k, v[..., :0], return_lse=True)
    assert o.shape == (2, 4, 5, 0)
    assert torch.equal(lse, flash_attention(q, k, v, return_lse=True)[1])
    sinks = torch.arange(4.0, dtype=torch.float64)
    _, lse = flash_attention(q, k[:, :, :0], v[:, :, :0], return_lse=True, sinks=sinks)
    assert torch.equal(lse, sinks[:, None].expand(2, 4, 5))


def test_layers_take_an_empty_batch_and_name_what_is_no_tensor():
    layer = FlashAttention(16, 2)
    for shape in ((0, 5, 16), (2, 0, 16)):
        assert layer(torch.zeros(shape)).shape == shape
    with pytest.raises(TypeError, match="x must be a tensor, not NoneType"):
        layer(None)
    with pytest.raises(TypeError, match="context must be a tensor, not list"):
        layer(torch.zeros(1, 5, 16), [1])
    with pytest.raises(TypeError, match="dropout must be a number, not '0'"):
        FlashAttention(16, 2, dropout="0")


def test_numbers_may_be_tensors_without_axes():
    found = ours(
        Q[0], K[0], V[0], scale=torch.tensor(0.25), dropout_p=torch.tensor(0.0)
    )
    assert torch.equal(found, ours(Q[0], K[0], V[0], scale=0.25))


def test_fx_records_one_call():
    def layer(x):
        o = ours(x, x, x, is_causal=True)
        return flash_attention(o, x, x, causal=True, window=(2, None), softcap=3.0)

    graph = torch.fx.symbolic_trace(layer)
    called = [x.target for x in graph.graph.nodes if x.op == "call_function"]
    assert called == [ours, flash_attention]
    assert torch.equal(graph(Q[0]), layer(Q[0]))


@pytest.mark.parametrize("attend", [ours, flash_attention, "packed"])
def test_a_tracer_is_refused(attend):
    """It would keep the tiles of one length for all."""
    ends, x = torch.tensor([0, 2, 5]), Q[0]
    if attend == "packed":
        x = x[0].transpose(0, 1)

    def layer(x):
        more = (ends, ends) if attend == "packed" else ()
        return (flash_attention_varlen if more else attend)(x, x, x, *more)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch.jit is deprecated
        with pytest.raises(RuntimeError, match=r"with torch\.export"):
            torch.jit.trace(layer, (x,))


def test_one_rank_needs_no_order():
    whole = flash_attention(Q[0], K[0], V[0], causal=True)
    for causal in (True, "zig-zag"):
        assert torch.equal(ring_attention(Q[0], K[0], V[0], causal=causal), whole)
