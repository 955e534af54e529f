"""The random numbers of test_formulas.py, and attention computed by its definition."""

import numpy as np
from numpy import exp, log, sqrt

N, D, SRAM = 24, 4, 100
ROWS, CUT = slice(0, 10), 17  # a block of rows, and where its keys are cut in two
RANDOM = np.random.default_rng(7)
Q, K, V, DO = RANDOM.standard_normal((4, N, D))
DL, Z = RANDOM.standard_normal((N, 1)), 2.0 * (RANDOM.random((N, N)) < 0.5)  # p = 1/2
X = RANDOM.standard_normal(7)
TAU = 1 / sqrt(D)


def total(weights):
    """The sum of each row, as a column."""
    return weights.sum(-1, keepdims=True)


def attention(q, k, v, z=1):
    """softmax(τ Q Kᵀ) V by its definition, with dropout's factors."""
    p = exp(TAU * q @ k.T)
    return (p / total(p) * z) @ v


S = TAU * Q @ K.T
L = log(total(exp(S)))
P, OUT = exp(S - L), attention(Q, K, V)


def slope(output, x, gradient=DO):
    """The gradient of Σ gradient ∘ output(x), by central differences."""
    step, slopes = 1e-5, np.zeros_like(x)
    for at in np.ndindex(x.shape):
        change = np.zeros_like(x)
        change[at] = step
        difference = output(x + change) - output(x - change)
        slopes[at] = (gradient * difference).sum() / (2 * step)
    return slopes


def state(scores, values):
    """m, ℓ and the normalised O of rows that have seen these keys alone."""
    m = scores.max(-1, keepdims=True)
    weights = exp(scores - m)
    return m, total(weights), weights @ values / total(weights)
