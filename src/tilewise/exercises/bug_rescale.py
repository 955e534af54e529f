"""Find the bug: the maximum moves."""

# --8<-- [start:imports]
import math

# --8<-- [end:imports]
from tilewise.exercises.plain import matrix, numbers, output, row
from tilewise.worked_example import V


# --8<-- [start:solution]
def attend(scores, values):
    """o = Σ_j softmax(scores)_j v_j of one row, key by key."""
    m, l, o = -math.inf, 0, [0] * len(values[0])
    for x, v in zip(scores, values):
        m_new = max(m, x)
        alpha, p = math.exp(m - m_new), math.exp(x - m_new)
        l = alpha * l + p
        o = [alpha * a + p * b for a, b in zip(o, v)]
        m = m_new
    return [a / l for a in o]
    # --8<-- [end:solution]


# --8<-- [start:start]
def output_not_rescaled(scores, values):
    """o = Σ_j softmax(scores)_j v_j of one row, key by key."""
    m, l, o = -math.inf, 0, [0] * len(values[0])
    for x, v in zip(scores, values):
        m_new = max(m, x)
        alpha, p = math.exp(m - m_new), math.exp(x - m_new)
        l = alpha * l + p
        o = [a + p * b for a, b in zip(o, v)]
        m = m_new
    return [a / l for a in o]
    # --8<-- [end:start]


def sum_not_rescaled_either(scores, values):
    """Both stay in their old unit: V = 1 comes out right, the weights do not."""
    m, l, o = -math.inf, 0, [0] * len(values[0])
    for x, v in zip(scores, values):
        m = max(m, x)
        p = math.exp(x - m)
        l = l + p
        o = [a + p * b for a, b in zip(o, v)]
    return [a / l for a in o]


def divided_by_alpha(scores, values):
    """The factor upside down."""
    m, l, o = -math.inf, 0, [0] * len(values[0])
    for x, v in zip(scores, values):
        m_new = max(m, x)
        alpha, p = math.exp(m - m_new), math.exp(x - m_new)
        l = alpha * l + p
        o = [a / (alpha or 1) + p * b for a, b in zip(o, v)]
        m = m_new
    return [a / l for a in o]


def without_a_maximum(scores, values):
    """No maximum, no bug: until e^x overflows."""
    l, o = 0, [0] * len(values[0])
    for x, v in zip(scores, values):
        p = math.exp(x)
        l = l + p
        o = [a + p * b for a, b in zip(o, v)]
    return [a / l for a in o]


def new_key_rescaled_too(scores, values):
    """α on the sum of both."""
    m, l, o = -math.inf, 0, [0] * len(values[0])
    for x, v in zip(scores, values):
        m_new = max(m, x)
        alpha, p = math.exp(m - m_new), math.exp(x - m_new)
        first = l == 0
        l = alpha * l + p
        o = [(1 if first else alpha) * (a + p * b) for a, b in zip(o, v)]
        m = m_new
    return [a / l for a in o]


SOLUTION, START = attend, output_not_rescaled
WRONG = (
    START,
    sum_not_rescaled_either,
    divided_by_alpha,
    without_a_maximum,
    new_key_rescaled_too,
)


def cases():
    tau = math.log(2)  # e^{τ x} = 2^x
    yield "falling", [[tau, 0, 0, -tau], V], [1, 6]
    yield "ones", [[0, tau, 2 * tau, tau], [[1]] * 4], [1]
    yield "rising", [[0, tau, 2 * tau, tau], V], [0, 3]
    yield "rising", [[-tau, -tau, -2 * tau, 0], V], [5, 4]
    source = numbers(11)
    for n in range(1, 9):
        xs, vs = row(source, n), matrix(source, n, 2)
        yield "random", [xs, vs], output(xs, vs)
    yield (
        "large",
        [[999, 1000, 1000], [[8], [2], [6]]],
        output([0, 1, 1], [[8], [2], [6]]),
    )
