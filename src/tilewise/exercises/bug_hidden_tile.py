"""Find the bug: NaN was set to 0, and the row looks fine."""

import math

from tilewise.exercises.plain import output


# --8<-- [start:solution]
def windowed_row(tiles):
    """o = Σ_j softmax(S)_j v_j of one row; hidden keys have the score −∞.

    tiles is a list of (scores, values). A row that sees no key gives zeros.
    """
    m, l, o = -math.inf, 0, [0] * len(tiles[0][1][0])
    for s, v in tiles:
        m_new = max([m] + s)
        if m_new == -math.inf:
            continue  # nothing seen yet, so nothing to add
        alpha, p = math.exp(m - m_new), [math.exp(x - m_new) for x in s]
        l = alpha * l + sum(p)
        for c in range(len(o)):
            o[c] = alpha * o[c] + sum(x * y[c] for x, y in zip(p, v))
        m = m_new
    return [x / (l or 1) for x in o]
    # --8<-- [end:solution]


SOLUTION = windowed_row
START = "nan_set_to_zero"
WRONG = r"""
nan_set_to_zero: The NaN of a first tile without keys stays until the end.
  continue  # nothing seen yet, so nothing to add → continue
  if m_new == -math.inf:\n            continue\n        alpha → alpha
  [x / (l or 1) → [0 if x != x else x / l
  in o] → in o]  # NaN differs from itself
a_low_score: −10⁶ for −∞: a row that sees no key gets the mean of all values.
  in tiles: → in [([max(x, -1e6) for x in s], v) for s, v in tiles]:
tiles_with_a_hidden_key_left_out: A tile counts only if all of its keys are seen.
  m_new == -math.inf → -math.inf in s
ends_at_a_hidden_tile: break where continue is meant.
  m_new == -math.inf → max(s) == -math.inf
  continue → break
maximum_from_zero: m starts at 0, so nothing is NaN; but a row far below 0 has ℓ = 0.
  m, l, o = -math.inf → m, l, o = 0
"""


def cases():
    no, tau = -math.inf, math.log(2)  # e^{τ x} = 2^x
    v, w = [[0, 9], [9, 9]], [[-9, 0], [9, 0]]
    yield "seen", [[([0, tau], v), ([2 * tau, tau], w)]], [0, 3]
    yield "partial", [[([no, tau], v), ([tau, no], w)]], [0, 4.5]
    yield "first", [[([no, no], v), ([2 * tau, tau], w)]], [-3, 0]
    yield "first", [[([no], [[5]]), ([no], [[6]]), ([1], [[7]])]], [7]
    yield "later", [[([0, tau], v), ([no, no], w), ([tau], [[0, 0]])]], [3.6, 5.4]
    yield "low", [[([no, no], v), ([-1000, -1001], w)]], output([0, -1], w)
    yield "nothing", [[([no, no], v), ([no, no], w)]], [0, 0]
