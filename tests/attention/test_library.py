"""The operators: what torch.library asks of them, and torch.compile in one piece."""

import shutil

import pytest
import torch
from torch.library import opcheck

from tilewise import FlashAttention, flash_attention
from tilewise import scaled_dot_product_attention as sdpa
from tilewise.attention import library
from tilewise.attention.library import flat
from tilewise.attention.passes import Options
from tilewise.block_sparse import tiles_mask

from .._oracle import with_gradients


def inputs(*, heads=(4, 2), d_v=8, turned=False, dtype=torch.float32):
    """q, k, v that want gradients; turned: (batch, N, heads, d) in memory."""
    torch.manual_seed(0)
    made = []
    for h, n, d in ((heads[0], 10, 8), (heads[1], 12, 8), (heads[1], 12, d_v)):
        x = torch.randn(2, n, h, d, dtype=dtype).transpose(1, 2)
        made.append((x if turned else x.contiguous()).requires_grad_())
    return made


SEED = torch.tensor(5)
FLOATS = torch.linspace(-1, 1, 120).reshape(10, 12)
SINKS, SLOPES = (torch.rand(4).requires_grad_() for _ in range(2))
BLOCKS = tiles_mask(torch.tensor([[True, False, True]] * 3), 4, 4, 10, 12)
MORE = {"window": (5, None), "softcap": 2.0, "block_mask": BLOCKS}
MORE |= {"sinks": SINKS, "alibi_slopes": SLOPES}
CASES = {  # tensors, a mask, options
    "plain": (inputs(), None, Options(False)),
    "turned, other d_v": (inputs(d_v=6, turned=True), None, Options(False, 0.3)),
    "causal, double": (inputs(dtype=torch.float64), None, Options(True)),
    "bools": (inputs(turned=True), FLOATS > 0, Options("top-left", -0.5)),
    "floats, dropout": (
        inputs(),
        FLOATS.clone().requires_grad_(),
        Options(False, None, 0.5, SEED),
    ),
    "bf16": (inputs(dtype=torch.bfloat16), None, Options(False)),
    "variants": (inputs(d_v=6), FLOATS.clone().requires_grad_(), Options(True, **MORE)),
}


@pytest.mark.few(1)
@pytest.mark.parametrize("name", CASES)
def test_opcheck(name):
    tensors, mask, options = CASES[name]
    opcheck(library.attention, (*tensors, mask, *flat(options)))


@pytest.mark.few(1)
@pytest.mark.parametrize("name", CASES)
def test_opcheck_backward(name):
    tensors, mask, how = CASES[name]
    options = [x.detach() if torch.is_tensor(x) else x for x in flat(how)]
    q, k, v = (x.detach() for x in tensors)
    mask = None if mask is None else mask.detach()
    o, lse = library.attention(q, k, v, mask, *options)
    floats = mask is not None and mask.is_floating_point()
    wanted = [floats, how.alibi_slopes is not None, how.sinks is not None]
    do = torch.randn_like(o)
    for given in ((do, None), (None, torch.randn_like(lse)), (do, lse)):
        saved = q, k, v, o, lse, mask, *given, wanted, *options
        opcheck(library.attention_backward, saved)


FUNCTIONS = {
    "flash_attention": lambda q, k, v: [flash_attention(q, k, v, causal=True)],
    "with L": lambda q, k, v: flash_attention(q, k, v, scale=2, return_lse=True),
    "top-left": lambda q, k, v: [flash_attention(q, k, v, causal="top-left") * 2],
    "floats": lambda q, k, v: [sdpa(q, k, v, FLOATS, enable_gqa=True)],
    "bools, dropout": lambda *x: [sdpa(*x, FLOATS > 0, 0.3, enable_gqa=True)],
    "three axes": lambda q, k, v: [sdpa(q[0, :2], k[1], v[:, :1])],
    "variants": lambda q, k, v: flash_attention(
        q, k, v, causal=True, return_lse=True, dropout_p=0.2, **MORE
    ),
    "is_causal": lambda q, k, v: [sdpa(q[:, :2], k, v, is_causal=True)],
}


@pytest.fixture(autouse=True)
def fresh():
    torch._dynamo.reset()


@pytest.mark.few(2)
@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_compiled_in_one_piece_to_the_same_numbers(name, dynamic):
    f, tensors = FUNCTIONS[name], inputs(turned=True)
    compiled = torch.compile(f, fullgraph=True, backend="aot_eager", dynamic=dynamic)
    found = []
    for g in (f, compiled):
        torch.manual_seed(1)
        shapes = [x.shape for x in f(*tensors)]
        given = [torch.ones(shape) for shape in shapes]
        torch.manual_seed(2)
        found.append(with_gradients(g, tensors, given))
    assert all(torch.equal(*pair) for pair in zip(*found, strict=True))


@pytest.mark.parametrize("options", [{}, {"num_kv_heads": 2, "dropout": 0.2}])
def test_the_module_serves_all_lengths_with_one_graph(options):
    torch.manual_seed(0)
    layer = FlashAttention(32, 4, causal=True, **options)
    graphs = []

    def backend(graph, _):
        graphs.append(graph)
        return graph.forward

    compiled = torch.compile(layer, fullgraph=True, dynamic=True, backend=backend)
    for n in (6, 9, 33):
        x = torch.randn(2, n, 32)
        torch.manual_seed(n)
        expected = layer(x)
        torch.manual_seed(n)
        assert torch.equal(compiled(x), expected)
    assert len(graphs) == 1


PLAIN = {  # C++ without vectors, so that it need not find out which this machine has,
    "cpp.vec_isa_ok": False,  # by six programs; nor is it worth it, for four kernels,
    "cpp_cache_precompile_headers": False,  # to compile all of PyTorch's headers first
}


@pytest.mark.full
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # its own
@pytest.mark.skipif(not shutil.which("g++"), reason="inductor wants a C++ compiler")
def test_through_inductor():
    tensors = inputs(turned=True)

    def f(q, k, v):
        return [(flash_attention(q * 2, k.relu(), v, causal=True) + 1).sin()]

    given = [torch.ones(2, 4, 10, 8)]
    compiled = torch.compile(f, fullgraph=True, options=PLAIN)
    found = with_gradients(compiled, tensors, given)
    expected = with_gradients(f, tensors, given)
    torch.testing.assert_close(found, expected)


def test_what_does_not_fit_is_said_while_tracing():
    compiled = torch.compile(flash_attention, fullgraph=True, backend="aot_eager")
    q, k, v = (x.detach() for x in inputs())
    with pytest.raises(Exception, match="q and k differ in d"):
        compiled(q, k[..., :7], v)
    with pytest.raises(Exception, match="causal must be False, True or 'top-left'"):
        compiled(q, k, v, causal="left")
