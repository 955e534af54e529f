"""Formulas of the forward pass as tutorials print them, kinds of mistake, not names."""

import math

import torch

from tilewise.errata.example import SCALE, K, O, Q, S, V, error, nan_rows, state
from tilewise.errata.registry import register

ENTRIES = []
erratum = register(ENTRIES, "tutorials")
FUTURE = torch.ones(4, 4, dtype=torch.bool).triu(1)
CAUSAL = torch.softmax(S.masked_fill(FUTURE, -math.inf), 1) @ V  # the truth, causal
HALVES = [state(S[:, j : j + 2], V[j : j + 2]) for j in (0, 2)]  # keys 1, 2 and 3, 4


@erratum(
    "scale-by-length", "formula", printed="S = QKᵀ · √shape[1] for k (batch, N, d)",
    right="S = QKᵀ / √shape[−1]", test="N ≠ d, and compare with PyTorch",
)
def scale_by_length():
    k = K[None]  # (1, N, d)
    truth = torch.softmax(Q @ K.T / 2**0.5, 1) @ V
    scales = k.shape[1] ** 0.5, k.shape[-1] ** -0.5
    return tuple(error(torch.softmax(x * Q @ K.T, 1) @ V, truth) for x in scales)


@erratum(
    "mask-plus-infinity", "formula", printed="hidden scores are +∞", unit="NaN rows",
    right="hidden scores are −∞", test="any causal row that hides a key",
)
def mask_plus_infinity():
    signs = math.inf, -math.inf
    return tuple(nan_rows(torch.softmax(S.masked_fill(FUTURE, x), 1)) for x in signs)


@erratum(
    "softmax-over-queries", "formula", printed="softmax down the columns of S",
    right="softmax along its rows", test="rows of P sum to 1",
)
def softmax_over_queries():
    return tuple(error(torch.softmax(S, axis) @ V) for axis in (0, 1))


def fold(s, m, exp=torch.exp):
    """O from two blocks of two keys, from the start value m of the maximum."""
    m, l, o = torch.full((4, 1), m).double(), 0.0, torch.zeros_like(O)
    for j in (0, 2):
        m_new = torch.maximum(m, s[:, j : j + 2].amax(1, keepdim=True))
        p, alpha = exp(s[:, j : j + 2] - m_new), exp(m - m_new)
        l, o = alpha * l + p.sum(1, keepdim=True), alpha * o + p @ V[j : j + 2]
        m = m_new
    return o / l


@erratum(
    "start-plus-infinity", "formula", printed="start with m = +∞", unit="NaN rows",
    right="start with m = −∞", test="any input",
)
def start_plus_infinity():
    return nan_rows(fold(S, math.inf)), nan_rows(fold(S, -math.inf))


@erratum(
    "first-block-hidden", "formula", printed="e^{s − m} without a guard",
    right="0 where s = −∞", test="hide the first block of keys from one row",
    unit="NaN rows",
)
def first_block_hidden():
    s = S.clone()
    s[0, :2] = -math.inf

    def guarded(x):  # −∞ − (−∞) is NaN, and what is not there weighs 0
        return torch.exp(x).nan_to_num(0)

    return nan_rows(fold(s, -math.inf)), nan_rows(fold(s, -math.inf, guarded))


@erratum(
    "other-blocks-maximum", "formula", printed="e^{m̃₁₁ − m} P̃₁₂ V₂ in step 2",
    right="e^{m̃₁₂ − m} P̃₁₂ V₂", test="two blocks with different maxima",
)
def other_blocks_maximum():
    (m_1, l_1, o_1), (m_2, l_2, o_2) = HALVES
    m, l, _ = state(S, V)
    old = l_1 * torch.exp(m_1 - m) * o_1
    return tuple(error((old + torch.exp(x - m) * l_2 * o_2) / l) for x in (m_1, m_2))


def rescaled_twice(cols):
    """O where P̃ = e^{S − m'}, already in the new unit, is multiplied by β as well."""
    m, l, o = torch.full((4, 1), -math.inf).double(), 0.0, torch.zeros_like(O)
    for j in range(0, 4, cols):
        s, v = S[:, j : j + cols], V[j : j + cols]
        m_tilde = s.amax(1, keepdim=True)
        m_new = torch.maximum(m, m_tilde)
        alpha, beta = torch.exp(m - m_new), torch.exp(m_tilde - m_new)
        p = beta * torch.exp(s - m_new)
        l, o, m = alpha * l + p.sum(1, keepdim=True), alpha * o + p @ v, m_new
    return o / l


@erratum(
    "rescaled-twice", "formula", printed="β e^{S − m_new}, four blocks of one key",
    right="e^{S − m_new}, or β e^{S − m̃}",
    test="more than one block: with one, β = 1 and all is well",
)
def twice():
    return error(rescaled_twice(1)), error(rescaled_twice(4))


def lse(half):
    """L = m + ln ℓ of one half."""
    return half[0] + half[1].log()


@erratum(
    "add-lse", "formula", printed="merge two splits with L = L₁ + L₂",
    right="L = ln(e^{L₁} + e^{L₂})", test="the weights e^{L₁ − L}, e^{L₂ − L} sum to 1",
)
def add_lse():
    a, b = map(lse, HALVES)
    return tuple(
        error(torch.exp(a - x) * HALVES[0][2] + torch.exp(b - x) * HALVES[1][2])
        for x in (a + b, torch.logaddexp(a, b))
    )


@erratum(
    "zeros-for-padding", "formula", printed="pad K and V with zero rows, no mask",
    right="pad, and mask the padding with −∞", test="pad and compare",
)
def zeros_for_padding():
    k, v = (torch.cat([x, torch.zeros_like(x[:2])]) for x in (K, V))
    s = SCALE * Q @ k.T
    hidden = torch.arange(6) >= 4
    results = (s, s.masked_fill(hidden, -math.inf))
    return tuple(error(torch.softmax(x, 1) @ v) for x in results)
