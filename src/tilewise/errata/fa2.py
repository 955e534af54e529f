"""FlashAttention-2 (T. Dao, arXiv 2307.08691v1, July 2023), and what ICLR 2024 mended.

ICLR 2024 is the conference version, openreview.net/forum?id=mZn2Xyh9Ec.
"""

import math

import torch

from tilewise.errata import loops
from tilewise.errata import square as sq
from tilewise.errata.example import SCALE, K, Q, S, V, error, nan_rows, state
from tilewise.errata.registry import register

ENTRIES = []
erratum = register(ENTRIES, "FlashAttention-2, arXiv 2307.08691v1")


@erratum(
    "fa2-line-10", "Algorithm 1, line 10, p. 6", reported=(333, 417, 991),
    printed="O ← diag(e^{m_old − m_new})⁻¹ O + P̃ V", mended="ICLR 2024",
    right="O ← diag(e^{m_old − m_new}) O + P̃ V", unit="NaN rows",
    test="any input: the first block gives ∞ · 0",
)
def line_10():
    rules = loops.as_printed, loops.right
    return tuple(nan_rows(loops.algorithm_1(rule)) for rule in rules)


@erratum(
    "fa2-first-spared", "Algorithm 1, line 10, p. 6, its first block left alone",
    printed="O ← diag(e^{m_old − m_new})⁻¹ O + P̃ V for j > 1", mended="ICLR 2024",
    right="O ← diag(e^{m_old − m_new}) O + P̃ V", reported=(333, 991),
    test="two blocks and a row whose maximum moves in the second",
)
def line_10_first_spared():
    rules = loops.first_spared, loops.right
    return tuple(error(loops.algorithm_1(rule)) for rule in rules)


def two_blocks(combine):
    """O⁽²⁾ from (m, ℓ, o) of the first block and P̃V of the second, both unscaled."""
    m_1, l_1, o_1 = state(S[:, :2], V[:2])
    m, l, _ = state(S, V)
    pv = torch.exp(S[:, 2:] - m) @ V[2:]
    return error(combine(o_1, l_1, l, torch.exp(m_1 - m), pv))


def merged(o, l_1, l, alpha, pv):
    """diag(ℓ₁/ℓ₂) e^{m₁ − m₂} O₁ + diag(ℓ₂)⁻¹ P̃V."""
    return l_1 / l * alpha * o + pv / l


@erratum(
    "fa2-o2", "section 2.3.1, p. 4, and section 3.1.1, p. 5: O⁽²⁾",
    printed="diag(ℓ₁/ℓ₂)⁻¹ O₁ + P̃₂ V₂", right="diag(ℓ₁/ℓ₂) e^{m₁ − m₂} O₁ + P̃₂ V₂",
    reported=(411, 897, 2342), mended="half: fa2-o2-iclr",
    test="two blocks with different sums",
)
def o_2():
    printed = two_blocks(lambda o, l_1, l, alpha, pv: l / l_1 * o + pv / l)
    return printed, two_blocks(merged)


@erratum(
    "fa2-o2-iclr", "ICLR 2024 version, sections 2.3.1 and 3.1.1: O⁽²⁾",
    printed="diag(ℓ₁/ℓ₂) O₁ + P̃₂ V₂", right="diag(ℓ₁/ℓ₂) e^{m₁ − m₂} O₁ + P̃₂ V₂",
    reported=(411, 897), test="a row whose maximum moves in the second block",
    mended="not mended",
)
def o_2_iclr():
    printed = two_blocks(lambda o, l_1, l, alpha, pv: l_1 / l * o + pv / l)
    return printed, two_blocks(merged)


@erratum(
    "fa2-unscaled", "section 3.1.1, p. 5: the un-scaled Õ⁽²⁾",
    printed="diag(ℓ₁)⁻¹ O₁ + e^{S₂ − m₂} V₂", reported=(1349,), mended="not mended",
    right="diag(ℓ₁) e^{m₁ − m₂} O₁ + e^{S₂ − m₂} V₂",
    test="divide by ℓ₂ at the end and compare",
)
def unscaled():
    printed = two_blocks(lambda o, l_1, l, alpha, pv: (o / l_1 + pv) / l)
    return printed, two_blocks(lambda o, l_1, l, a, pv: (l_1 * a * o + pv) / l)


@erratum(
    "fa2-standard", "section 2.3.1: O of the standard softmax",
    printed="diag(ℓ)⁻¹ e^{S₁ − m} V₁ + e^{S₂ − m} V₂",
    right="diag(ℓ)⁻¹ (e^{S₁ − m} V₁ + e^{S₂ − m} V₂)", test="ℓ ≠ 1",
    mended="not mended",
)
def standard():
    def printed(o, l_1, l, alpha, pv):
        return l_1 * alpha * o / l + pv

    return two_blocks(printed), two_blocks(merged)


@erratum(
    "fa2-dk", "section 2.2, p. 3: the chain rule", reported=(373,), mended="ICLR 2024",
    printed="dK = Q dSᵀ", right="dK = dSᵀ Q", test="N ≠ d: the shapes do not fit",
)
def dk():
    return tuple(error(SCALE * x, sq.DK) for x in (sq.Q @ sq.DS.T, sq.DS.T @ sq.Q))


@erratum(
    "fa2-d-shape", "Algorithm 2, line 4; FlashAttention-3, Algorithm 3, line 1",
    printed="D = rowsum(dO ∘ O) ∈ ℝᵈ", right="D ∈ ℝᴺ, one number a row",
    reported=(2555,), mended="not mended", test="N ≠ d: dP − D does not fit",
)
def d_shape():
    of_length_d = (sq.DO * sq.O).sum(
        0
    )  # one number a column, subtracted along the rows
    of_length_n = (sq.DO * sq.O).sum(1, keepdim=True)
    return tuple(error(sq.P * (sq.DP - x), sq.DS) for x in (of_length_d, of_length_n))


@erratum(
    "fa2-causal-blocks", "section 3.1.1, causal masking, item 2",
    printed="no mask for blocks whose rows are all before their columns",
    right="no mask for blocks whose columns are all before their rows",
    test="change a future key: no row before it may notice", mended="not mended",
)
def causal_blocks():
    future = torch.ones(4, 4, dtype=torch.bool).triu(1)
    truth = torch.softmax(S.masked_fill(future, -math.inf), 1) @ V
    results = []
    for block in ((0, 2), (2, 0)):  # the block whose mask is left out: rows, columns
        hidden, (r, c) = future.clone(), block
        hidden[r : r + 2, c : c + 2] = False
        results.append(torch.softmax(S.masked_fill(hidden, -math.inf), 1) @ V)
    return tuple(error(x, truth) for x in results)


@erratum(
    "fa2-scale", "section 2.2, footnote 2: the scaling of QKᵀ",
    printed="typically by 1/d", right="typically by 1/√d",
    test="compare with scaled_dot_product_attention", mended="not mended",
)
def scale():
    d = Q.shape[1]
    truth = torch.softmax(Q @ K.T / d**0.5, 1) @ V
    return tuple(error(torch.softmax(Q @ K.T / x, 1) @ V, truth) for x in (d, d**0.5))
