"""Two parts of a row, each with its output and its log-sum-exp."""

import math

from tilewise.exercises.plain import log_sum, matrix, numbers, output, row


# --8<-- [start:solution]
def merge_lse(a, b):
    """The part (o, L) of all keys of a and b together, L = ln Σ_j e^{x_j}.

    o is the output over the part's keys. No keys have the part ([0, …, 0], −∞).
    """
    (o_a, lse_a), (o_b, lse_b) = a, b
    m = max(lse_a, lse_b)
    if m == -math.inf:
        return a
    w_a, w_b = math.exp(lse_a - m), math.exp(lse_b - m)
    w = w_a + w_b
    return [(w_a * x + w_b * y) / w for x, y in zip(o_a, o_b)], m + math.log(w)
    # --8<-- [end:solution]


SOLUTION = merge_lse
WRONG = """
logarithms_added: L_a + L_b is the logarithm of a product.
  m + math.log(w) → lse_a + lse_b
exponentials_alone: e^L itself overflows, or is 0 for both parts.
  m = max(lse_a, lse_b) → m = 0
without_guard: Two parts without keys: −∞ − (−∞) is NaN.
  m == -math.inf → False
weighted_by_logarithms: L_a and L_b as weights, where their exponentials are due.
  (w_a * x + w_b * y) / w → (lse_a * x + lse_b * y) / (lse_a + lse_b or 1)
"""


def cases():
    ln = math.log
    a, b = ([9 / 2, 9], ln(1)), ([27 / 5, 0], ln(5 / 4))
    yield "example", [a, b], ([5, 4], ln(9 / 4))
    yield "example", [b, a], ([5, 4], ln(9 / 4))
    yield "equal", [([4, 2], 0), ([0, 6], 0)], ([2, 4], ln(2))
    source = numbers(5)
    for n in range(2, 10):
        xs, vs, cut = row(source, n), matrix(source, n, 3), 1 + n // 3
        parts = [
            (output(x, v), log_sum(x))
            for x, v in ((xs[:cut], vs[:cut]), (xs[cut:], vs[cut:]))
        ]
        yield "random", parts, (output(xs, vs), log_sum(xs))
    none = [0, 0], -math.inf
    yield "identity", [none, b], b
    yield "identity", [b, none], b
    yield "nothing", [none, none], none
    yield "large", [([4, 2], 1000), ([0, 6], 1000)], ([2, 4], 1000 + ln(2))
    yield "large", [([4, 2], -1000), ([0, 6], -2000)], ([4, 2], -1000)
