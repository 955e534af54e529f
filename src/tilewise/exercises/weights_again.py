"""A tile of P comes back from the scores and L."""

# --8<-- [start:imports]
import math

# --8<-- [end:imports]
from tilewise.exercises.plain import log_sum, matrix, numbers, weights


# --8<-- [start:solution]
def weights_again(s, lse):
    """The tile P_ij from its scores S_ij (B_r × B_c) and L (B_r), for the backward.

    L_r = ln Σ e^{S_rc} over *all* keys of row r. A score may be −∞: the key is hidden.
    A row that saw no key has L = −∞.
    """
    return [
        [0 if x == -math.inf else math.exp(x - l) for x in row]
        for row, l in zip(s, lse)
    ]
    # --8<-- [end:solution]


def softmax_again(s, lse):
    """Softmax over the keys of this tile: the others' weights are ignored."""
    weights = []
    for row in s:
        m = max(row)
        e = [0 if x == -math.inf else math.exp(x - m) for x in row]
        weights.append([x / (sum(e) or 1) for x in e])
    return weights


def without_guard(s, lse):
    """A row that saw no key: −∞ − (−∞) is NaN."""
    return [[math.exp(x - l) for x in row] for row, l in zip(s, lse)]


def one_over_the_other(s, lse):
    """e^S and e^L each overflow, or are both 0."""
    return [[math.exp(x) / (math.exp(l) or 1) for x in row] for row, l in zip(s, lse)]


def lse_of_column(s, lse):
    """L of the key's place: right for the first entry."""
    return [
        [0 if x == -math.inf else math.exp(x - l) for x, l in zip(row, lse)]
        for row in s
    ]


def divided_by_lse(s, lse):
    """e^S / L: L is a logarithm."""
    weights = []
    for row, l in zip(s, lse):
        weights.append([math.exp(x) / l if x > -math.inf and l else 0 for x in row])
    return weights


SOLUTION = weights_again
WRONG = (
    softmax_again,
    without_guard,
    one_over_the_other,
    lse_of_column,
    divided_by_lse,
)


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
