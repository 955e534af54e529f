"""The one number a row that softmax's gradient needs."""

from tilewise.exercises.plain import matrix, numbers, output, weights
from tilewise.worked_example import DO, O


# --8<-- [start:solution]
def delta(o, do):
    """δ of every row: δ_i = Σ_j P_ij dP_ij, a list of N numbers.

    o is the output and do the gradient that reaches it, both N × d. P and dP are not
    there, and are not needed.
    """
    return [sum(x * y for x, y in zip(o_r, do_r)) for o_r, do_r in zip(o, do)]
    # --8<-- [end:solution]


def of_columns(o, do):
    """A sum for every column."""
    return [sum(x * y for x, y in zip(a, b)) for a, b in zip(zip(*o), zip(*do))]


def mean_of_row(o, do):
    """The mean where the sum is due."""
    return [sum(x * y for x, y in zip(a, b)) / len(a) for a, b in zip(o, do)]


def gradient_alone(o, do):
    """rowsum(dO): right where the output is 1."""
    return [sum(b) for b in do]


def one_for_all(o, do):
    """One number for the whole matrix, in every row."""
    total = sum(x * y for a, b in zip(o, do) for x, y in zip(a, b))
    return [total] * len(o)


SOLUTION = delta
WRONG = (of_columns, mean_of_row, gradient_alone, one_for_all)


def cases():
    yield "example", [O, DO], [5, 6, 3, -1]
    yield "one", [[[1]], [[7]]], [7]
    source = numbers(7)
    for n, keys, d in ((1, 3, 2), (2, 2, 2), (3, 5, 4), (5, 1, 3)):
        s, v = matrix(source, n, keys), matrix(source, keys, d)
        do = matrix(source, n, d)
        o = [output(row, v) for row in s]
        yield "random", [o, do], [by_keys(weights(a), b, v) for a, b in zip(s, do)]


def by_keys(p, do, v):
    """Σ_j p_j dp_j with dp_j = dO · v_j: what δ is, before it is made short."""
    return sum(a * sum(x * y for x, y in zip(do, v_j)) for a, v_j in zip(p, v))
