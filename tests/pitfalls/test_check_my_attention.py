"""The check to paste: the right pass, what it can meet of the gallery does not."""

import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

from tilewise.examples.check_my_attention import failures, formula, mine, wrong
from tilewise.flash1 import flash1_forward
from tilewise.pitfalls import PITFALLS, pieces, use
from tilewise.pitfalls.assembled import DEFAULTS, assemble, attend, backward

torch.set_num_threads(1)  # on tensors this small, threads only wait for each other

# what a function attention(q, k, v, causal) cannot contain
BEYOND = {"dropout", "heads", "comparing"}
BEYOND_NAMES = {
    "padding_inverted", "documents_forgotten",  # no such masks
    "nan_set_to_zero",  # needs a window: without one, 0 is right
    "splits_averaged", "lse_added", "split_counts_from_zero",  # one split
}  # fmt: skip
WITH_L = {"backward", "merging"}  # L and dQ, dK, dV show in the gradients only
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


def test_the_wrong_one_fails_where_the_page_says():
    assert [line.partition(":")[0] for line in failures(wrong)] == [
        "causal, N_q < N_k", "causal, rows without keys",
    ]  # fmt: skip


def test_another_convention_shows_as_one():
    """PyTorch's is_causal is top-left: that, and nothing else, is what fails."""

    def torchs(q, k, v, causal=False):
        return scaled_dot_product_attention(q, k, v, is_causal=causal)

    assert [line.partition(":")[0] for line in failures(torchs)] == [
        "causal, N_q < N_k", "causal, rows without keys",
    ]  # fmt: skip


@pytest.mark.parametrize("pitfall", WITHIN, ids=lambda p: p.name)
def test_it_catches_every_variant_that_it_can_meet(pitfall):
    try:
        found = failures(attention_of(use(pitfall)), backward=pitfall.kind in WITH_L)
        assert found != []
    except RuntimeError:  # shapes that do not fit
        assert pitfall.name in ("columns_divided", "values_of_row_block")
