"""Two parts of a row, each with its output and its log-sum-exp."""

# --8<-- [start:imports]
import math

# --8<-- [end:imports]
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


def logarithms_added(a, b):
    """L_a + L_b is the logarithm of a product."""
    lse = a[1] + b[1]
    if lse == -math.inf:
        return a if a[1] > b[1] else b
    w_a, w_b = math.exp(a[1] - lse), math.exp(b[1] - lse)
    return [w_a * x + w_b * y for x, y in zip(a[0], b[0])], lse


def exponentials_alone(a, b):
    """e^L itself overflows, or is 0 for both parts."""
    w_a, w_b = math.exp(a[1]), math.exp(b[1])
    w = w_a + w_b
    if w == 0:
        return a
    return [(w_a * x + w_b * y) / w for x, y in zip(a[0], b[0])], math.log(w)


def without_guard(a, b):
    """Two parts without keys: −∞ − (−∞) is NaN."""
    m = max(a[1], b[1])
    w_a, w_b = math.exp(a[1] - m), math.exp(b[1] - m)
    w = w_a + w_b
    return [(w_a * x + w_b * y) / w for x, y in zip(a[0], b[0])], m + math.log(w)


def weighted_by_logarithms(a, b):
    """L_a and L_b as weights, where their exponentials are due."""
    m = max(a[1], b[1])
    if a[1] == -math.inf or b[1] == -math.inf:
        return a if a[1] > b[1] else b
    lse = m + math.log(math.exp(a[1] - m) + math.exp(b[1] - m))
    total = a[1] + b[1] or 1
    return [(a[1] * x + b[1] * y) / total for x, y in zip(a[0], b[0])], lse


SOLUTION = merge_lse
WRONG = (logarithms_added, exponentials_alone, without_guard, weighted_by_logarithms)


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
