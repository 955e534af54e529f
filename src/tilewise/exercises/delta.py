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


SOLUTION = delta
WRONG = """
of_columns: A sum for every column.
  zip(o, do) → zip(zip(*o), zip(*do))
mean_of_row: The mean where the sum is due.
  zip(o_r, do_r)) → zip(o_r, do_r)) / len(o_r)
gradient_alone: rowsum(dO): right where the output is 1.
  x * y → y
one_for_all: One number for the whole matrix, in every row.
  zip(o, do)] → zip([sum(o, [])] * len(o), [sum(do, [])] * len(o))]
"""


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
