"""Formulas of the backward pass as tutorials print them."""

from tilewise.errata import square as sq
from tilewise.errata.example import DO, K, P, Q, V, error, gradients
from tilewise.errata.registry import register
from tilewise.ledger import flash1_backward, flash1_forward

ENTRIES = []
erratum = register(ENTRIES, "tutorials")
DS, _, _, _ = gradients(Q, K, V, DO)


@erratum(
    "jacobian-without-p", "formula", printed="dS = dP ∘ P − rowsum(dP ∘ P)",
    right="dS = P ∘ (dP − rowsum(dP ∘ P))", test="rows of dS sum to 0; autograd",
)
def jacobian_without_p():
    dp = DO @ V.T
    rows = (dp * P).sum(1, keepdim=True)
    return error(dp * P - rows, DS), error(P * (dp - rows), DS)


@erratum(
    "gradient-without-scale", "formula", printed="dQ = dS K", right="dQ = τ dS K",
    unit="times the gradient", test="autograd; with τ = 1/√d the ratio is √d",
)
def gradient_without_scale():
    tau = 2**-0.5  # 1/√d
    ds, dq, _, _ = gradients(Q, K, V, DO, scale=tau)
    return tuple(((x @ K).norm() / dq.norm()).item() for x in (ds, tau * ds))


@erratum(
    "delta-of-a-block", "formula", printed="δ = dOᵀ O, a d × d matrix",
    right="δ = rowsum(dO ∘ O), one number a row", test="N ≠ d: dP − δ does not fit",
)
def delta_of_a_block():
    deltas = sq.DO.T @ sq.O, (sq.DO * sq.O).sum(1, keepdim=True)
    return tuple(error(sq.P * (sq.DP - x), sq.DS) for x in deltas)


@erratum(
    "forward-again", "words", printed="backward(q, k, v, do) needs nothing saved",
    right="it takes o and (m, ℓ), or o and L", unit="products per tile",
    test="count the matrix products",
)
def forward_again():
    sizes = 1024, 64, 64, 64
    product = 2 * 1024 * 1024 * 64  # all tile pairs, one product in each
    right = flash1_backward(*sizes)["flops"] // product
    return flash1_forward(*sizes)["flops"] // product + right, right
