"""attention_check.py finds every mistake of the gallery that calls can show."""

import inspect

import pytest
import torch
from torch.nn.attention.flex_attention import create_block_mask, flex_attention
from torch.nn.functional import scaled_dot_product_attention

import tilewise
from tilewise.alone import program
from tilewise.pitfalls import PITFALLS, pieces, use
from tilewise.pitfalls.assembled import DEFAULTS, attend, backward

from ._alone import loaded

torch.set_num_threads(1)
WORDS = {  # a mistake: what is said of it
    "top_left": "top left",
    "diagonal_hidden": "its own key",
    "mask_after_softmax": "after the softmax",
    "minus_a_million": "see no key",
    "padding_inverted": "inverted",
    "documents_forgotten": "attn_mask changes nothing",
    "heads_repeated": "0 1 0 1",
    "scale_multiplied": "by √d",
    "scale_of_length": "by 1/√N",
    "softmax_over_queries": "over the queries",
    "last_keys_left_out": "are lost",
    "zeros_for_keys": "filled up with zeros",
    "window_one_more": "one key too wide",
    "bias_before_softcap": "before softcap",
    "alibi_from_top_left": "top left",
    "sink_in_every_tile": "the sink counts",
    "buffer_kept": "overwrites",
    "scaled_in_place": "changes its input",
    "scale_left_out": "times as large",
    "not_scaled_up": "1 / (1 − p)",
    "dropped_forward_only": "dq",
}
BEYOND = {"cached", "listed", "listed_causal", "listed_alone"}
VARIANTS = [  # not those that are a test, need lengths beside a causal mask, or a list
    x for x in PITFALLS if x.kind != "comparing" and x.exposed_by not in BEYOND
]


@pytest.fixture(scope="module")
def check(tmp_path_factory):
    """The file's module, in which the formula is computed once for each case."""
    folder = tmp_path_factory.mktemp("alone")
    module = loaded("attention_check", program("attention_check"), folder)
    attempt, known = module.attempt, {}

    def remembered(attention, case, *args, **more):
        if attention is not module.formula or more:
            return attempt(attention, case, *args, **more)
        key = repr((args, [(x.dtype, x.shape, x.sum()) for x in case[:3]], case.how))
        if key not in known:
            known[key] = attempt(attention, case, *args)
        return known[key]

    module.attempt = remembered
    return module


class Assembled(torch.autograd.Function):
    """The gallery's attention, with its own backward pass, for autograd."""

    @staticmethod
    def forward(ctx, q, k, v, case, used):
        ctx.case, ctx.use = DEFAULTS | case | {"q": q, "k": k, "v": v}, used
        ctx.found = attend(used, ctx.case)
        return ctx.found[0].to(q.dtype)

    @staticmethod
    def backward(ctx, do):
        grads = backward(ctx.use, ctx.case | {"do": do}, *ctx.found)
        return *(g.to(do.dtype) for g in grads), None, None


def attention_of(used, splits=1):
    """attention(q, k, v, …) with every option of attention_check, in 128 × 64 tiles."""

    def attention(
        q,
        k,
        v,
        causal=False,
        window=None,
        softcap=None,
        alibi_slopes=None,
        sinks=None,
        attn_mask=None,
        dropout_p=0.0,
    ):
        case = {"causal": causal, "cap": softcap, "dropout": (dropout_p, 7)}
        case |= {"block_rows": 128, "block_cols": 64, "splits": splits}
        case["window"] = window and window[0] + 1
        for name, x in (("slope", alibi_slopes), ("sink", sinks)):
            case[name] = None if x is None else x[:, None, None]
        if attn_mask is not None and attn_mask.shape[-2] == 1:
            case["length"] = attn_mask.sum(-1, keepdim=True)
        elif attn_mask is not None:
            ends = (~attn_mask[0, 0]).int().diff(dim=-1).nonzero()[:, 1].unique() + 1
            edges = [0, *ends.tolist(), attn_mask.shape[-1]]
            case["documents"] = [b - a for a, b in zip(edges, edges[1:])]
        return Assembled.apply(q, k, v, case, used)

    return attention


def first(check, attention, gradients):
    """What is said of the first case that fails, "" where none does."""
    for name, case in check.cases().items():
        try:
            if found := check.wrong(attention, case, gradients):
                return f"{name}: {'; '.join(found)}"
        except RuntimeError as error:
            return f"{name}: it raises {error}"
    return "".join(check.dropout(attention, "cpu", torch.float64))


def sdpa(q, k, v, causal=False, attn_mask=None, dropout_p=0.0):
    """PyTorch's function with the mask aligned at the bottom right."""
    if causal:
        n_q, n_k = q.shape[-2], k.shape[-2]
        attn_mask = torch.ones(n_q, n_k, dtype=torch.bool).tril(n_k - n_q)
    grouped = {"enable_gqa": q.shape[1] != k.shape[1]}
    return scaled_dot_product_attention(q, k, v, attn_mask, dropout_p, **grouped)


def flex(q, k, v, causal=False):
    """FlexAttention, not compiled; rows without keys give 0 there too."""
    n_q, n_k = q.shape[-2], k.shape[-2]
    see = lambda b, h, r, c: c <= r + n_k - n_q  # noqa: E731
    mask = create_block_mask(see, None, None, n_q, n_k, "cpu") if causal else None
    return flex_attention(q, k, v, block_mask=mask, enable_gqa=True)


def ours(q, k, v, causal=False, window=None, softcap=None, alibi_slopes=None,
         sinks=None, dropout_p=0.0):  # fmt: skip
    how = {"window": window, "softcap": softcap, "alibi_slopes": alibi_slopes}
    how |= {"sinks": sinks, "dropout_p": dropout_p, "causal": causal}
    return tilewise.flash_attention(q, k, v, **how)


@pytest.mark.few(1)
@pytest.mark.filterwarnings("ignore")  # FlexAttention asks to be compiled
@pytest.mark.parametrize("attention", [sdpa, flex, ours], ids=lambda x: x.__name__)
def test_right_functions_pass(check, attention):
    said, left = check.findings(attention, gradients=attention is not flex)
    assert said == {}
    if attention is ours:
        assert left == ["padding", "packed documents"]


def test_the_right_pieces_pass(check):
    right = attention_of(use(PITFALLS[0], right=True))
    assert check.findings(right) == ({}, [])


@pytest.mark.few(4)
@pytest.mark.parametrize("pitfall", VARIANTS, ids=lambda x: x.name)
def test_it_finds_and_names_every_wrong_variant(check, pitfall):
    assert len(VARIANTS) == 67  # of 73, on the page
    splits = 3 if pitfall.exposed_by.endswith("splits") else 1
    tiled = pitfall.right is not pieces.weights  # of all rows at once: no digits left
    said = first(check, attention_of(use(pitfall), splits), tiled)
    assert said and WORDS.get(pitfall.name, "") in said, said


def test_what_it_says_is_printed(check, capsys):
    def late(q, k, v, causal=False):
        return check.formula(q, k, v, causal=causal, diagonal=0)

    assert not check.report(late) and check.report(check.mine)
    out = capsys.readouterr().out
    assert "top left" in out and "in: causal, N_q < N_k; causal, rows" in out
    assert "not asked" in out and inspect.getdoc(check).startswith("Is your attention")
