"""Packed documents: what is taken, what is refused, the operators, torch.compile."""

import pytest
import torch
from torch.library import opcheck

from tilewise import flash_attention_varlen
from tilewise.attention import dispatch
from tilewise.attention.library import flat
from tilewise.attention.passes import Options
from tilewise.block_sparse import tiles_mask
from tilewise.varlen import library as varlen_library

from ._varlen import ends, gradients

LENGTHS = [5, 0, 6], [4, 3, 6]
HALF = torch.zeros(9, 4, 64, dtype=torch.bfloat16)


def inputs(dtype=torch.float32, d_v=8, turned=False):
    """q, k, v that want gradients; turned: (heads, total, d) in memory."""
    torch.manual_seed(0)
    made = []
    for n, h, d in ((11, 4, 8), (13, 2, 8), (13, 2, d_v)):
        x = torch.randn(h, n, d, dtype=dtype).transpose(0, 1)
        made.append((x if turned else x.contiguous()).requires_grad_())
    return made


def bad(**changes):
    """The arguments with something wrong."""
    q, k, v = (x.detach() for x in inputs())
    given = {"q": q, "k": k, "v": v, "cu_seqlens_q": ends(LENGTHS[0])}
    return given | {"cu_seqlens_k": ends(LENGTHS[1])} | changes


BAD = {
    "q must be a tensor, not list": bad(q=[]),
    "cu_seqlens_k must be a tensor, not list": bad(cu_seqlens_k=[0, 4, 7, 13]),
    "q, k and v must be (total, heads, d)": bad(q=torch.zeros(1, 11, 4, 8)),
    "with heads and d": bad(q=torch.zeros(11, 0, 8)),
    "k and v differ in rows or heads": bad(v=torch.zeros(12, 2, 8)),
    "k's heads must divide q's": bad(q=torch.zeros(11, 5, 8)),
    "q and k differ in d": bad(q=torch.zeros(11, 4, 7)),
    "dtypes of q, k and v must be one float": bad(q=torch.zeros(11, 4, 8).half()),
    "must be on one device": bad(q=torch.zeros(11, 4, 8, device="meta")),
    "cu_seqlens_q must be (documents + 1)": bad(cu_seqlens_q=ends([5, 0, 6]).float()),
    "cu_seqlens_k must be (documents + 1)": bad(cu_seqlens_k=torch.tensor([0])),
    "not torch.int64 (1, 4)": bad(cu_seqlens_k=ends(LENGTHS[1])[None]),
    "differ in length: 4 and 3 numbers": bad(cu_seqlens_k=ends([6, 7])),
    "cu_seqlens_q must begin with 0, not 1": bad(cu_seqlens_q=ends([5, 0, 6]) + 1),
    "cu_seqlens_q must end with 11, the rows, not 10": bad(
        cu_seqlens_q=ends([5, 0, 5])
    ),
    "cu_seqlens_k must end with 13, the rows, not 14": bad(
        cu_seqlens_k=ends([4, 3, 7])
    ),
    "must not fall: 6, 5 for document 1": bad(cu_seqlens_q=ends([6, -1, 6])),
    "causal must be False, True or 'top-left', not 'left'": bad(causal="left"),
    "scale must be None or a number, not '1'": bad(scale="1"),
}


@pytest.mark.parametrize("message", BAD)
def test_bad_input_gets_one_sentence(message):
    with pytest.raises((TypeError, ValueError)) as error:
        flash_attention_varlen(**BAD[message])
    assert message in str(error.value) and "\n" not in str(error.value)


def test_both_kinds_of_lengths_and_one_of_each():
    x = [y.detach() for y in inputs()]
    found = [
        flash_attention_varlen(*x, ends(LENGTHS[0], a), ends(LENGTHS[1], b))
        for a in (torch.int32, torch.int64)
        for b in (torch.int32, torch.int64)
    ]
    assert all(torch.equal(found[0], y) for y in found)


def test_o_alone_and_with_l():
    x, places = inputs(d_v=5), [*map(ends, LENGTHS)]
    o = flash_attention_varlen(*x, *places)
    both = flash_attention_varlen(*x, *places, return_lse=True)
    with torch.no_grad():
        plain = flash_attention_varlen(*x, *places)
    assert o.shape == (11, 4, 5) and both[1].shape == (11, 4)
    assert torch.equal(o, both[0]) and torch.equal(o, plain)
    assert o.requires_grad and not plain.requires_grad


CARDS = (7, 5), (8, 0), (8, 6), (8, 9), (9, 0), (10, 0), (12, 0)
PLAIN = "varlen", "varlen_backward"


@pytest.mark.parametrize("capability", CARDS, ids=str)
def test_which_kernels(capability):
    """Without Gluon, whatever the card; d = 256 wants much SRAM."""
    for dtype in (torch.float16, torch.bfloat16, torch.float32, torch.float64):
        for d in (8, 20, 64, 128, 136, 256, 264):
            fits = d % 8 == 0 and d <= 256 and dtype != torch.float64
            fits &= capability >= (8, 0)
            if dtype != torch.float32 and d > 128:
                fits &= capability in ((8, 0), (9, 0), (10, 0))
            found = dispatch.rungs(capability, dtype, d, False, table=dispatch.PACKED)
            assert found == (PLAIN if fits else None), (dtype, d)


def test_the_pair_in_gluon_on_hopper():
    find, most = dispatch.rungs, {"table": dispatch.PACKED}
    gluon = "gluon_varlen", "gluon_varlen_backward"
    assert find((9, 0), torch.bfloat16, 64, **most) == gluon
    assert find((9, 0), torch.float16, 128, **most) == gluon
    same = find((9, 0), torch.bfloat16, 64, deterministic=True, **most)
    assert same == ("gluon_varlen", "varlen_backward")
    assert find((9, 0), torch.float32, 64, **most) == PLAIN
    assert find((9, 0), torch.bfloat16, 136, **most) == PLAIN
    assert find((8, 0), torch.bfloat16, 64, **most) == PLAIN
    assert find((10, 0), torch.bfloat16, 64, **most) == PLAIN
    assert find((9, 0), torch.bfloat16, 64) == ("gluon_forward", "gluon_backward")


SINKS, SLOPES = torch.rand(4).requires_grad_(), torch.rand(3, 4).requires_grad_()
MORE = {"window": (2, 1), "softcap": 2.0, "sinks": SINKS, "alibi_slopes": SLOPES}
MORE |= {"block_mask": tiles_mask(torch.eye(3).bool(), 4, 5, 11, 13)}
CASES = {
    "turned, other d_v": (inputs(d_v=6, turned=True), Options(False, 0.3)),
    "causal, double": (inputs(torch.float64), Options(True)),
    "bf16": (inputs(torch.bfloat16), Options("top-left", -0.5)),
    "variants": (inputs(d_v=6), Options(True, None, 0.3, torch.tensor(5), **MORE)),
}


@pytest.mark.few(1)
@pytest.mark.parametrize("name", CASES)
def test_opcheck(name):
    tensors, options = CASES[name]
    places = *map(ends, LENGTHS), *flat(options)
    opcheck(varlen_library.attention_varlen, (*tensors, *places))
    q, k, v = (x.detach() for x in tensors)
    places = [x.detach() if torch.is_tensor(x) else x for x in places]
    o, lse = varlen_library.attention_varlen(q, k, v, *places)
    wanted = [options.alibi_slopes is not None, options.sinks is not None]
    for given in ((torch.randn_like(o), None), (None, torch.randn_like(lse))):
        saved = q, k, v, o, lse, *given, wanted, *places
        opcheck(varlen_library.attention_varlen_backward, saved)


@pytest.mark.few(1)
@pytest.mark.parametrize("options", [{}, MORE], ids=["plain", "variants"])
@pytest.mark.parametrize("dynamic", [False, True])
def test_compiled_in_one_piece_to_the_same_numbers(dynamic, options):
    torch._dynamo.reset()
    tensors, given = inputs(turned=True), (torch.randn(11, 4, 8), torch.randn(11, 4))

    def f(q, k, v):
        places = [*map(ends, LENGTHS)]
        more = {"causal": True, "return_lse": True, **options}
        return flash_attention_varlen(q * 2, k, v, *places, **more)

    compiled = torch.compile(f, fullgraph=True, backend="aot_eager", dynamic=dynamic)
    found = [gradients(g, tensors, given) for g in (f, compiled)]
    assert all(torch.equal(*pair) for pair in zip(*found, strict=True))


def test_one_graph_for_all_lengths():
    torch._dynamo.reset()
    graphs = []

    def backend(graph, _):
        graphs.append(graph)
        return graph.forward

    compiled = torch.compile(
        flash_attention_varlen, fullgraph=True, dynamic=True, backend=backend
    )
    for lengths in ([5, 6], [3, 9], [20, 7]):
        x, cu = torch.randn(sum(lengths), 2, 8), ends(lengths)
        expected = flash_attention_varlen(x, x, x, cu, cu, causal=True)
        assert torch.equal(compiled(x, x, x, cu, cu, causal=True), expected)
    assert len(graphs) == 1
