"""A tile of P comes back from the scores and L."""

import math

from tilewise.exercises.plain import log_sum, matrix, numbers, weights


# --8<-- [start:solution]
def weights_again(s, lse):
    """The tile P_ij from its scores S_ij (B_r × B_c) and L (B_r), in the backward pass.

    L_r = ln Σ e^{S_rc} over *all* keys of row r. A score may be −∞: the key is hidden.
    A row that saw no key has L = −∞.
    """
    return [
        [0 if x == -math.inf else math.exp(x - l) for x in row]
        for row, l in zip(s, lse)
    ]
    # --8<-- [end:solution]


SOLUTION = weights_again
WRONG = """
softmax_again: Softmax over the keys of this tile: the others' weights are ignored.
  zip(s, lse) → zip(s, [math.log(sum(map(math.exp, row)) or 1) for row in s])
without_guard: A row that saw no key: −∞ − (−∞) is NaN.
  x == -math.inf → False
one_over_the_other: e^S and e^L each overflow, or are both 0.
  math.exp(x - l) → math.exp(x) / (math.exp(l) or 1)
lse_of_column: L of the key's place: right for the first entry.
  for x in row] → for x, l in zip(row, lse)]
  for row, l in zip(s, lse) → for row in s
divided_by_lse: e^S / L: L is a logarithm.
  math.exp(x - l) → math.exp(x) / (l or 1)
"""


def cases():
    tau, inf = math.log(2), math.inf  # e^{τ x} = 2^x
    s = [[2 * tau, tau], [2 * tau, 0]]  # rows 3 and 4, keys 3 and 4
    ninths = [[4 / 9, 2 / 9], [4 / 9, 1 / 9]]
    yield "example", [s, [math.log(9)] * 2], ninths
    source = numbers(8)
    for rows, keys, first, end in ((2, 6, 2, 4), (3, 5, 3, 5), (1, 4, 0, 4)):
        whole = matrix(source, rows, keys)
        yield case("random", whole, first, end)
    yield case("large", [[1000, 1002, 999], [-1000, -998, -999]], 1, 3)
    yield case("masked", [[1, 2, -inf, -inf], [0, 1, 2, -inf]], 1, 4)
    yield "nothing", [[[-inf, -inf], [0, 0]], [-inf, math.log(2)]], [[0, 0], [0.5, 0.5]]


def case(check, whole, first, end):
    """The tile of columns first to end, of rows whose keys are all in `whole`."""
    lse = [log_sum(row) for row in whole]
    expected = [weights(row)[first:end] for row in whole]
    return check, [[row[first:end] for row in whole], lse], expected
