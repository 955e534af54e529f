"""Find the bug: a causal mask that is right for one tile."""

import math

from tilewise.exercises.plain import matrix, numbers


# --8<-- [start:solution]
def hide(s, rows, cols):
    """The tile of scores s with −∞ for each key that comes after its query.

    rows = (first, end) and cols = (first, end) say which queries and which keys of the
    sequence the tile has; there are as many keys as queries.
    """
    return [
        [-math.inf if c > r else x for c, x in enumerate(row, cols[0])]
        for r, row in enumerate(s, rows[0])
    ]
    # --8<-- [end:solution]


SOLUTION = hide
START = "local_indices"
WRONG = """
local_indices: Both indices count from the tile's corner.
  enumerate(row, cols[0]) → enumerate(row)
  enumerate(s, rows[0]) → enumerate(s)
rows_alone: The query's index is global, the key's is not.
  enumerate(row, cols[0]) → enumerate(row)
own_key_hidden: ≥ where > is meant.
  c > r → c >= r
a_low_score: −10⁹ is not −∞: a row of it has equal weights.
  -math.inf if → -1e9 if
diagonal_tiles_alone: Nothing is hidden in a tile that begins off the diagonal.
  if c > r → if c > r and rows[0] == cols[0]
"""


def cases():
    source = numbers(12)
    yield case("one", matrix(source, 4, 4), (0, 4), (0, 4))
    yield case("past", matrix(source, 2, 2), (2, 4), (0, 2))
    yield case("future", matrix(source, 2, 2), (0, 2), (2, 4))
    yield case("diagonal", matrix(source, 2, 2), (2, 4), (2, 4))
    yield case("uneven", matrix(source, 2, 3), (4, 6), (3, 6))
    yield case("uneven", matrix(source, 4, 2), (0, 4), (2, 4))
    yield case("uneven", matrix(source, 1, 1), (6, 7), (6, 7))


def case(check, s, rows, cols):
    """Cut from the mask of the whole sequence, which is a triangle."""
    n = max(rows[1], cols[1])
    whole = [[0] * (r + 1) + [-math.inf] * (n - r - 1) for r in range(n)]
    part = [row[cols[0] : cols[1]] for row in whole[rows[0] : rows[1]]]
    expected = [[x + y for x, y in zip(a, b)] for a, b in zip(s, part)]
    return check, [s, rows, cols], expected
