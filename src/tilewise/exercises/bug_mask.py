"""Find the bug: a causal mask that is right for one tile."""

# --8<-- [start:imports]
import math

# --8<-- [end:imports]
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


# --8<-- [start:start]
def local_indices(s, rows, cols):
    """The tile of scores s with −∞ for each key that comes after its query.

    rows = (first, end) and cols = (first, end) say which queries and which keys of the
    sequence the tile has; there are as many keys as queries.
    """
    return [
        [-math.inf if c > r else x for c, x in enumerate(row)]
        for r, row in enumerate(s)
    ]
    # --8<-- [end:start]


def rows_alone(s, rows, cols):
    """The query's index is global, the key's is not."""
    return [
        [-math.inf if c > r else x for c, x in enumerate(row)]
        for r, row in enumerate(s, rows[0])
    ]


def own_key_hidden(s, rows, cols):
    """≥ where > is meant."""
    return [
        [-math.inf if c >= r else x for c, x in enumerate(row, cols[0])]
        for r, row in enumerate(s, rows[0])
    ]


def a_low_score(s, rows, cols):
    """−10⁹ is not −∞: a row of it has equal weights."""
    return [
        [-1e9 if c > r else x for c, x in enumerate(row, cols[0])]
        for r, row in enumerate(s, rows[0])
    ]


def diagonal_tiles_alone(s, rows, cols):
    """A triangle where the tile begins on the diagonal, nothing elsewhere."""
    if rows[0] != cols[0]:
        return s
    return local_indices(s, rows, cols)


SOLUTION, START = hide, local_indices
WRONG = (START, rows_alone, own_key_hidden, a_low_score, diagonal_tiles_alone)


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
