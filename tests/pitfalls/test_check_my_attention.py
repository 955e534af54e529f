"""The check to paste: the right pass, what it can meet of the gallery does not."""

import inspect

import pytest
import torch
from repository import ROOT

from tilewise.examples import check_my_attention
from tilewise.examples.check_my_attention import (
    close,
    failures,
    formula,
    inputs,
    mine,
    top_left,
)
from tilewise.flash1 import flash1_forward
from tilewise.pitfalls import PITFALLS, pieces, use
from tilewise.pitfalls.assembled import DEFAULTS, assemble, attend, backward

torch.set_num_threads(1)  # on tensors this small, threads only wait for each other

# what a function attention(q, k, v, causal) cannot contain
BEYOND = {"dropout", "heads", "comparing", "variants"}
BEYOND_NAMES = {
    "padding_inverted",
    "documents_forgotten",  # no such masks
    "nan_set_to_zero",  # needs a window: without one, 0 is right
    "splits_averaged",
    "lse_added",
    "split_counts_from_zero",  # one split
    "parts_added",
    "lse_averaged",
    "longest_length",
    "last_page_read",  # one part, and no cache
}
WITH_L = {"backward", "merging"}  # L and dQ, dK, dV show in the gradients only
HALVES = torch.float16, torch.bfloat16
WITHIN = [p for p in PITFALLS if p.kind not in BEYOND and p.name not in BEYOND_NAMES]


class Assembled(torch.autograd.Function):
    """The gallery's attention, with its own backward pass, for autograd."""

    @staticmethod
    def forward(ctx, q, k, v, causal, use, block_cols):
        case = DEFAULTS | {"q": q, "k": k, "v": v, "causal": causal}
        ctx.case = case | {"block_rows": 128, "block_cols": block_cols}
        ctx.use, ctx.found = use, attend(use, ctx.case)
        return ctx.found[0].to(q.dtype)

    @staticmethod
    def backward(ctx, do):
        grads = backward(ctx.use, ctx.case | {"do": do}, *ctx.found)
        return *(g.to(do.dtype) for g in grads), None, None, None


def attention_of(pieces_used, block_cols=64):
    def attention(q, k, v, causal=False):
        return Assembled.apply(q, k, v, causal, pieces_used, block_cols)

    return attention


def test_right_attentions_pass():
    assert failures(mine) == failures(formula) == []
    blocks = 64, 48
    flash1 = lambda q, k, v, c: flash1_forward(q, k, v, *blocks, causal=c)[0]  # noqa: E731
    assert failures(flash1, backward=False) == []
    assert failures(attention_of(assemble(pieces.step, pieces.step))) == []


@pytest.mark.full
@pytest.mark.parametrize("dtype", HALVES)
def test_right_attentions_pass_in_16_bits(dtype):
    assert failures(mine, dtype=dtype) == failures(formula, dtype=dtype) == []
    right = attention_of(assemble(pieces.step, pieces.step))
    assert failures(right, dtype=dtype) == []


@pytest.mark.parametrize(
    ("dtype", "d"),
    [(torch.float32, d) for d in (40, 64, 128)] + [(x, 64) for x in HALVES],
)
def test_another_convention_shows_as_one(dtype, d):
    """PyTorch's is_causal is top-left: that, and nothing else, is what fails."""
    assert failures(top_left, dtype=dtype, d=d) == [
        "causal, N_q < N_k: o, dq, dk, dv",
        "causal, rows without keys: o, dq, dk, dv",
    ]


@pytest.mark.parametrize("dtype", HALVES)
def test_all_inputs_have_the_dtype_that_is_asked_for(dtype):
    """A kernel for 16 bits alone meets nothing else, and is (batch, heads, N, d)."""
    for *qkv, _ in inputs(d=32, dtype=dtype).values():
        assert {x.dtype for x in qkv} == {dtype}
        assert {x.ndim for x in qkv} == {4} and {x.shape[-1] for x in qkv} == {32}


def test_the_right_one_is_not_caught(caught):
    assert not caught(mine, False) and caught(top_left, False)


def test_a_function_in_the_place_of_mine_runs():
    """The program, with another `mine` pasted into it, still runs to its end."""
    text = inspect.getsource(check_my_attention)
    start, end = text.index("def mine("), text.index("def top_left(")
    pasted = "def mine(q, k, v, causal):\n    return formula(q, k, v, causal)\n\n\n"
    exec(text[:start] + pasted + text[end:], {"__name__": "__main__"})


def test_nan_and_another_shape_fail():
    one = torch.ones(2, 2)
    assert close(one, one.double(), one, 1)
    assert not close(one * torch.nan, one.double(), one, 1)
    assert not close(one[:1], one.double(), one, 1)


@pytest.fixture
def caught(monkeypatch):
    """caught(attention, …): whether an input fails; after the first one it is."""

    def caught(attention, backward, **where):
        for name, given in inputs(**where).items():
            monkeypatch.setattr(
                check_my_attention, "inputs", lambda one={name: given}: one
            )
            if failures(attention, backward):
                return True
        return False

    return caught


@pytest.mark.few(12)
@pytest.mark.parametrize("pitfall", WITHIN, ids=lambda p: p.name)
def test_it_catches_every_variant_that_it_can_meet(pitfall, caught):
    try:
        assert caught(attention_of(use(pitfall)), pitfall.kind in WITH_L)
    except RuntimeError:  # shapes that do not fit
        assert pitfall.name in ("columns_divided", "values_of_row_block")


# In 16 bits no fp32 input is there to be rounded to TF32, and `.to(q.dtype)` copies O
# out of a kept buffer.
NOT_IN_16_BITS = {"rounded_to_tf32", "buffer_kept"}


@pytest.mark.full
@pytest.mark.parametrize("dtype", HALVES)
def test_it_catches_nearly_all_of_them_in_16_bits_too(dtype, caught):
    """Forward alone, for what shows there: the rule for the tolerance is not lax."""
    for pitfall in WITHIN:
        if pitfall.kind in WITH_L or pitfall.name in NOT_IN_16_BITS:
            continue
        try:
            attention = attention_of(use(pitfall))
            assert caught(attention, False, dtype=dtype, d=16), pitfall.name
        except RuntimeError:
            assert pitfall.name in ("columns_divided", "values_of_row_block")


@pytest.mark.full
def test_lost_digits_are_far_from_mistakes(monkeypatch, caught):
    """200 times the tolerance lets no mistake pass."""

    def near(found, exact, *more):
        found = exact + (found.double() - exact) / 200
        return found.shape == exact.shape and close(found, exact, *more)

    monkeypatch.setattr(check_my_attention, "close", near)
    for pitfall in WITHIN:
        try:
            attention = attention_of(use(pitfall))
            assert caught(attention, pitfall.kind in WITH_L), pitfall.name
        except RuntimeError:
            assert pitfall.name in ("columns_divided", "values_of_row_block")


def test_the_page_counts_them():
    pages = ROOT / "docs"
    part = {"en": f"{len(WITHIN)} of the {len(PITFALLS)}", "zh": f"有 {len(WITHIN)} 种"}
    for language, words in part.items():
        page = pages / language / "pitfalls/wrong-but-plausible.md"
        assert words in page.read_text("utf-8"), language
