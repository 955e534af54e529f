"""Two states of one row become one."""

# --8<-- [start:imports]
import math

# --8<-- [end:imports]
from tilewise.exercises.plain import matrix, numbers, row, state
from tilewise.worked_example import V


# --8<-- [start:solution]
def merge(a, b):
    """The state (m, ℓ, o) of all keys of a and b together.

    m is the largest score, ℓ = Σ e^{x − m}, o the output: the mean of the values with
    weights e^{x − m} / ℓ. No keys have the state (−∞, 0, [0, …, 0]).
    """
    m_a, l_a, o_a = a
    m_b, l_b, o_b = b
    if l_a == 0:
        return b
    if l_b == 0:
        return a
    m = max(m_a, m_b)
    l_a, l_b = math.exp(m_a - m) * l_a, math.exp(m_b - m) * l_b
    l = l_a + l_b
    return m, l, [(l_a * x + l_b * y) / l for x, y in zip(o_a, o_b)]
    # --8<-- [end:solution]


def without_identity(a, b):
    """Two states of no keys: −∞ − (−∞) is NaN."""
    m_a, l_a, o_a = a
    m_b, l_b, o_b = b
    m = max(m_a, m_b)
    l_a, l_b = math.exp(m_a - m) * l_a, math.exp(m_b - m) * l_b
    l = l_a + l_b
    return m, l, [(l_a * x + l_b * y) / l for x, y in zip(o_a, o_b)]


def means_averaged(a, b):
    """o is the plain mean of both, though one has seen more."""
    if a[1] == 0:
        return b
    if b[1] == 0:
        return a
    m = max(a[0], b[0])
    l = math.exp(a[0] - m) * a[1] + math.exp(b[0] - m) * b[1]
    return m, l, [(x + y) / 2 for x, y in zip(a[2], b[2])]


def means_taken_for_sums(a, b):
    """o is divided by its ℓ already; here it is used as if it were not."""
    if a[1] == 0:
        return b
    if b[1] == 0:
        return a
    m = max(a[0], b[0])
    f, g = math.exp(a[0] - m), math.exp(b[0] - m)
    l = f * a[1] + g * b[1]
    return m, l, [(f * x + g * y) / l for x, y in zip(a[2], b[2])]


def units_forgotten(a, b):
    """ℓ_a + ℓ_b, each in the unit of its own maximum."""
    l = a[1] + b[1]
    if l == 0:
        return a
    o = [(a[1] * x + b[1] * y) / l for x, y in zip(a[2], b[2])]
    return max(a[0], b[0]), l, o


def larger_one_first(a, b):
    """Only b is brought to another unit: right while a has the larger maximum."""
    if a[1] == 0:
        return b
    if b[1] == 0:
        return a
    l_b = math.exp(min(b[0] - a[0], 700)) * b[1]
    l = a[1] + l_b
    return a[0], l, [(a[1] * x + l_b * y) / l for x, y in zip(a[2], b[2])]


SOLUTION = merge
WRONG = (
    without_identity,
    means_averaged,
    means_taken_for_sums,
    units_forgotten,
    larger_one_first,
)


def cases():
    tau = math.log(2)  # e^{τ x} = 2^x
    same = (0, 1, [4, 2]), (0, 1, [0, 6])
    yield "equal", same, (0, 2, [2, 4])
    a, b = (-tau, 2, [9 / 2, 9]), (0, 5 / 4, [27 / 5, 0])
    yield "example", [a, b], (0, 9 / 4, [5, 4])
    yield "example", [b, a], (0, 9 / 4, [5, 4])
    source = numbers(4)
    for n in range(2, 10):
        xs, vs, cut = row(source, n), matrix(source, n, 3), 1 + n // 3
        parts = state(xs[:cut], vs[:cut]), state(xs[cut:], vs[cut:])
        yield "random", parts, state(xs, vs)
    none = (-math.inf, 0, [0, 0])
    yield "identity", [none, b], b
    yield "identity", [b, none], b
    yield "nothing", [none, none], none
    xs = [1000, -1000, 1001, 999]
    yield "large", [state(xs[:2], V[:2]), state(xs[2:], V[2:])], state(xs, V)
    yield "large", [state(xs[1:2], V[1:2]), state(xs[:1], V[:1])], (1000, 1, V[0])
