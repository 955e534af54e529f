"""What the checks compare with: plain formulas, and numbers that seem random.

Nothing here carries a maximum or a state along, as the solutions do: a weight is
p_i = 1 / Σ_j e^{x_j − x_i}, a gradient comes from the whole Jacobian.
"""

import math


def weights(xs):
    """softmax(x)_i = 1 / Σ_j e^{x_j − x_i}; a score of −∞ weighs 0."""
    seen = [x for x in xs if x > -math.inf]
    ps = [x > -math.inf and 1 / sum([exp(y - x) for y in seen]) for x in xs]
    return [p if p > 1e-300 else 0 for p in ps]


def exp(x):
    """e^x, at most e^700: 1 over it is 0 for every check."""
    return math.exp(min(x, 700))


def log_sum(xs):
    """L = ln Σ_j e^{x_j} = x_i − ln p_i for any i; here the one of largest weight."""
    ps = weights(xs)
    top = max(range(len(xs)), key=lambda i: ps[i]) if ps else None
    return xs[top] - math.log(ps[top]) if ps and ps[top] else -math.inf


def output(xs, vs):
    """o = Σ_j softmax(x)_j v_j."""
    ps = weights(xs)
    return [sum(p * v[c] for p, v in zip(ps, vs)) for c in range(len(vs[0]))]


def state(xs, vs):
    """(m, ℓ, o) of a row's scores and values."""
    m = max(xs)
    return m, exp(log_sum(xs) - m) if m > -math.inf else 0, output(xs, vs)


def numbers(seed):
    """Yield for ever sixteenths from −4 to 4, the same for the same seed."""
    while True:
        seed = (1103515245 * seed + 12345) % 2**31
        yield (seed >> 16) % 129 / 16 - 4


def row(source, n):
    """n numbers."""
    return [next(source) for _ in range(n)]


def matrix(source, n, d):
    """n rows of d numbers."""
    return [row(source, d) for _ in range(n)]


def jacobian_product(p, dp):
    """ds_j = Σ_i dp_i ∂p_i/∂s_j, where ∂p_i/∂s_j = p_i ([i = j] − p_j)."""
    n = range(len(p))
    return [sum(dp[i] * p[i] * ((i == j) - p[j]) for i in n) for j in n]
