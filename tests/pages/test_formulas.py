"""Each formula of the formula sheet, computed as it is written and in a second way."""

import re
from math import ceil

import numpy as np
import pytest
import torch
from numpy import diag, exp, log
from pages import DOCS, LANGS, read

from tilewise import flash_attention, hardware, ledger
from tilewise.ledger import costs

from ._formulas import (
    CUT,
    DL,
    DO,
    OUT,
    ROWS,
    SRAM,
    TAU,
    D,
    K,
    L,
    N,
    P,
    Q,
    S,
    V,
    X,
    Z,
    attention,
    slope,
    state,
    total,
)


def softmax():
    """(a piece of the formula, what it gives, what it has to be) of the first table."""
    (m, ell, o), everything = state(X[:-1], V[:6]), state(X, V[:7])
    x, v = X[-1], V[6]
    weights = exp(X) / total(exp(X))
    yield r"p_j = e^{x_j - m}", exp(X - everything[0]) / everything[1], weights
    yield r"p_j = e^{x_j - L}", exp(X - log(total(exp(X)))), weights
    m_new = np.maximum(m, x)
    ell_new = exp(m - m_new) * ell + exp(x - m_new)
    yield r"m' = \max(m, x)", (m_new, ell_new), everything[:2]
    yield r"L = m + \ln \ell", everything[0] + log(everything[1]), log(total(exp(X)))
    o_new = (exp(m - m_new) * ell * o + exp(x - m_new) * v) / ell_new
    yield r"o' = \big(", o_new, everything[2]
    l_a, l_b = log(total(exp(S[:, :CUT]))), log(total(exp(S[:, CUT:])))
    o_a, o_b = attention(Q, K[:CUT], V[:CUT]), attention(Q, K[CUT:], V[CUT:])
    both = log(exp(l_a) + exp(l_b))
    yield r"L = \ln\big(e^{L_a}", both, L
    yield r"= \max(L_a, L_b)", np.maximum(l_a, l_b) + log(1 + exp(-abs(l_a - l_b))), L
    yield r"o = e^{L_a - L} o_a", exp(l_a - both) * o_a + exp(l_b - both) * o_b, OUT
    yield r"2^{(\tau \log_2 e)\, q", 2 ** ((TAU * np.log2(np.e)) * X), exp(TAU * X)


def forward():
    """The same of the forward pass: O_i in two tiles of keys, and masks."""
    yield r"S = \tau Q K\T", (P @ V, total(P)[:, 0].sum()), (OUT, N)
    before, after = S[ROWS, :CUT], S[ROWS, CUT:]
    m, ell, o = state(before, V[:CUT])
    m_tile, ell_tile, _ = state(after, V[CUT:])
    m_new = np.maximum(m, m_tile)
    ell_new = exp(m - m_new) * ell + exp(m_tile - m_new) * ell_tile
    everything = state(S[ROWS], V)[:2]
    alone = exp(after - after.max(-1, keepdims=True)) @ V[CUT:] / ell_tile
    yield r"\tilde m_{ij} = ", alone, attention(Q[ROWS], K[CUT:], V[CUT:])
    yield r"m_i' = \max(m_i, \tilde", (m_new, ell_new), everything
    ell_once = exp(m - m_new) * ell + total(exp(after - m_new))
    m_once = np.maximum(m, after.max(-1, keepdims=True))
    yield r"\max\big(m_i", (m_once, ell_once), everything
    tile = exp(m_tile - m_new) * (exp(after - m_tile) @ V[CUT:])
    first = diag(1 / ell_new[:, 0]) @ (diag(ell[:, 0]) @ (exp(m - m_new) * o) + tile)
    yield r"O_i' = \diag(\ell_i')^{-1}", first, OUT[ROWS]
    carried = diag(exp(m - m_new)[:, 0]) @ (ell * o) + exp(after - m_new) @ V[CUT:]
    yield r"O_i' = \diag(e^{m_i", diag(1 / ell_new[:, 0]) @ carried, OUT[ROWS]
    for n_q, n_k in ((3, 5), (5, 3), (4, 4)):
        visible = np.arange(n_k) <= np.arange(n_q)[:, None] + n_k - n_q
        triangle = np.tril(np.ones((n_q, n_k)), n_k - n_q)
        yield r"c \le r + N_k - N_q", visible, triangle
    q, k = (torch.randn(1, 1, n, D, dtype=torch.float64) for n in (5, 3))
    o, lse = flash_attention(q, k, k, causal=True, return_lse=True)
    yield r"L = -\infty", (o[0, 0, :2].numpy(), lse[0, 0, :2].exp().numpy()), (0, 0)


def variants():
    """The same of softcap, and of a sink: one more key, whose value is zeros."""
    capped = 1.5 * np.tanh(S / 1.5)
    through = slope(lambda s: 1.5 * np.tanh(s / 1.5), S, P)
    yield r"\bar s = c \tanh(s / c)", (1 - (capped / 1.5) ** 2) * P, through
    z = 0.5
    with_sink = log(exp(L) + exp(z))
    longer = np.hstack([S, np.full((N, 1), z)]), np.vstack([V, np.zeros((1, D))])
    yield r"O' = e^{L - L'} O", exp(L - with_sink) * OUT, state(*longer)[2]


def backward():
    """The same of the gradients, beside central differences."""
    dp = DO @ V.T
    delta = total(DO * OUT)
    ds = P * (dp - delta)
    yield r"P = e^{S - L}", exp(S - L) @ V, OUT
    yield r"\mathrm dV = P\T\, \mathrm dO", P.T @ DO, slope(lambda v: P @ v, V)
    yield r"\mathrm dP = \mathrm dO", dp, slope(lambda p: p @ V, P)
    yield r"\delta = \rowsum", delta, total(dp * P)

    def rows(s):
        return exp(s - log(total(exp(s)))) @ V

    yield r"\mathrm dS = P \circ (\mathrm dP - \delta)", ds, slope(rows, S)
    yield r"\mathrm dQ =", TAU * ds @ K, slope(lambda q: attention(q, K, V), Q)
    yield r"\mathrm dK =", TAU * ds.T @ Q, slope(lambda k: attention(Q, k, V), K)
    through_l = slope(rows, S) + slope(lambda s: log(total(exp(s))), S, DL)
    yield r"\delta + \mathrm dL", P * (dp - delta + DL), through_l
    yield r"O = (P \circ Z) V", (P * Z) @ V, attention(Q, K, V, Z)
    yield r"\mathrm dP = Z \circ", Z * dp, slope(lambda p: (p * Z) @ V, P)
    yield r"\mathrm dV = (P \circ Z)\T", (P * Z).T @ DO, slope(lambda v: (P * Z) @ v, V)


def moved(bill):
    """Elements that cross HBM by the ledger."""
    return bill["reads"] + bill["writes"]


def cost():
    """The same of counts, beside the ledger that goes through the algorithms."""
    rows, cols = 10, 7
    t_r, t_c = ceil(N / rows), ceil(N / cols)
    b_c = ceil(SRAM / (4 * D))
    yield r"B_c = \lceil M / 4d", (min(b_c, D), b_c), ledger.block_sizes(SRAM, D)
    standard = ledger.standard_forward(N, D)
    yield "4N^2 + 4Nd", 4 * N**2 + 4 * N * D, moved(standard)
    first = 3 * N * D + 2 * N + t_c * (3 * N * D + 4 * N)
    yield "3Nd + 2N + T_c", first, moved(ledger.flash1_forward(N, D, rows, cols))
    second = 2 * N * D + N + 2 * N * D * t_r
    yield "2Nd + N + 2Nd", second, moved(ledger.flash2_forward(N, D, rows, cols))
    yield " 4N^2 d,", 4 * N**2 * D, standard["flops"]
    for piece, name, kept in (
        ("3Nd + N^2", "standard", 3 * N * D + N**2),
        ("4Nd + 2N", "flash1", 4 * N * D + 2 * N),
        ("4Nd + N", "flash2", 4 * N * D + N),
    ):
        yield piece, kept, costs.kept(name, N, D, N, 1, 1)
    peak, bandwidth = hardware.roofs("H100")
    for intensity in (1, 10**6):  # FLOP per byte: to the left and right of the ridge
        at_least = intensity / hardware.attainable("H100", intensity)
        yield r"t \ge \max", max(1 / bandwidth, intensity / peak), at_least


def cost_backward():
    """The same of the backward pass."""
    rows, cols = 10, 7
    t_c, ends = ceil(N / cols), 7 * N * D  # what crosses once
    standard = ledger.standard_backward(N, D)
    first = ledger.flash1_backward(N, D, rows, cols)
    second = ledger.flash2_backward(N, D, rows, cols)
    yield "7N^2 + 8Nd", 7 * N**2 + 8 * N * D, moved(standard)
    yield "N(5d + 2)", ends + t_c * N * (5 * D + 2), moved(first)
    yield "N(4d + 2)", ends + N + t_c * N * (4 * D + 2), moved(second)
    yield " 8N^2 d,", 8 * N**2 * D, standard["flops"]
    yield " 10 N^2 d", 10 * N**2 * D, second["flops"]


CHECKS = [*softmax(), *forward(), *variants(), *backward(), *cost(), *cost_backward()]


def formulas(lang):
    """The TeX in the second column of every table."""
    text = read(DOCS / lang / "reference/formulas.md")[0]
    return re.findall(r"^\|[^|]*\| \\\((.*?)\\\) \|", text, re.M)


@pytest.mark.parametrize("lang", LANGS)
def test_each_formula_is_computed(lang):
    """Every equation of a row has a check of its own, and every check its place."""
    pieces = {piece for piece, _, _ in CHECKS}
    for formula in formulas(lang):
        there = [piece for piece in pieces if piece in formula]
        assert there, formula
    text = "\n".join(formulas(lang))
    assert all(text.count(piece) == 1 for piece in pieces)


@pytest.mark.parametrize("piece, one, other", CHECKS, ids=[x[0] for x in CHECKS])
def test_formula(piece, one, other):
    pairs = zip(one, other) if isinstance(one, tuple) else [(one, other)]
    for left, right in pairs:
        np.testing.assert_allclose(left, right, rtol=1e-6, atol=1e-7)
