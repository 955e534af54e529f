"""Softmax's backward pass on one tile."""

from tilewise.exercises.plain import jacobian_product, matrix, numbers, weights


# --8<-- [start:solution]
def score_gradients(p, dp, delta):
    """The tile dS = P ∘ (dP − δ), B_r × B_c.

    p and dp are tiles of B_r × B_c; delta has one number for each of the B_r rows, over
    *all* keys of the row, of which the tile holds only some.
    """
    return [
        [x * (y - z) for x, y in zip(p_r, dp_r)] for p_r, dp_r, z in zip(p, dp, delta)
    ]
    # --8<-- [end:solution]


SOLUTION = score_gradients
WRONG = r"""
delta_not_weighted: P ∘ dP − δ.
  x * (y - z) → x * y - z
delta_of_tile: δ again from this tile: its keys are not all keys.
  (y - z) → (y - sum(a * b for a, b in zip(p_r, dp_r)))
delta_of_column: δ lined up with the keys, as broadcasting does without keepdim.
  for x, y in zip(p_r, dp_r) → for x, y, z in zip(p_r, dp_r, delta)
diagonal_alone: P ∘ (1 − P) ∘ dP: only the Jacobian's diagonal.
  (y - z) → (1 - x) * y
sign_of_delta: P ∘ (dP + δ).
  y - z → y + z
weights_written_over: The right numbers, in the caller's P, which dV still needs.
  return [ → p[:] = [
  delta)\n    ] → delta)\n    ]\n    return p
"""


def cases():
    p = [[2 / 9, 2 / 9], [4 / 9, 2 / 9]]  # rows 1 and 2, keys 1 and 2
    dp, delta = [[0, 9], [9, 9]], [5, 6]
    ds = [[-10 / 9, 8 / 9], [12 / 9, 6 / 9]]
    yield "example", [p, dp, delta], ds
    yield "one", [[[1]], [[7]], [7]], [[0]]
    source = numbers(9)
    for rows, keys, first, end in ((1, 4, 0, 4), (2, 3, 0, 3)):
        yield case("whole", source, rows, keys, first, end)
    for rows, keys, first, end in ((2, 4, 0, 2), (3, 5, 3, 5), (2, 6, 1, 4)):
        yield case("part", source, rows, keys, first, end)


def case(check, source, rows, keys, first, end):
    """Rows of `keys` weights, of which the tile has the columns first to end."""
    p = [weights(row) for row in matrix(source, rows, keys)]
    dp = matrix(source, rows, keys)
    delta = [sum(x * y for x, y in zip(a, b)) for a, b in zip(p, dp)]
    ds = [jacobian_product(a, b)[first:end] for a, b in zip(p, dp)]
    parts = [[row[first:end] for row in x] for x in (p, dp)]
    return check, parts + [delta], ds
