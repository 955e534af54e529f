"""Find the bug: a sequence that is not a multiple of the block."""

import math

from tilewise.exercises.plain import matrix, numbers, output, row
from tilewise.worked_example import V


# --8<-- [start:solution]
def attend_in_blocks(scores, values, block):
    """o = Σ_j softmax(scores)_j v_j of one row, `block` keys at a time."""
    m, l, o = -math.inf, 0, [0] * len(values[0])
    for first in range(0, len(scores), block):
        s, v = scores[first : first + block], values[first : first + block]
        m_new = max([m] + s)
        alpha, p = math.exp(m - m_new), [math.exp(x - m_new) for x in s]
        l = alpha * l + sum(p)
        for c in range(len(o)):
            o[c] = alpha * o[c] + sum(x * y[c] for x, y in zip(p, v))
        m = m_new
    return [x / l for x in o]
    # --8<-- [end:solution]


SOLUTION = attend_in_blocks
START = "last_keys_left_out"
WRONG = r"""
last_keys_left_out: ⌊N/B⌋ blocks.
  first in range(0, len(scores), block) → j in range(max(1, len(scores) // block))
  s, v = → first = j * block\n        s, v =
one_block_more: ⌊N/B⌋ + 1 blocks: one too many where B divides N, and it is empty.
  range(0, len(scores), block) → range(0, len(scores) + 1, block)
  max([m] + s) → max(m, max(s))
filled_with_zeros: Zeros for the keys that are missing: a score of 0 counts e⁰ = 1.
  sum(p) → sum(p) + (block - len(s)) * math.exp(-m_new)
last_block_moved_back: The last block ends at N and is a whole one: keys count twice.
  s, v = → first = max(0, min(first, len(scores) - block)); s, v =
last_block_averaged: Each block's own output, and the mean of them.
  alpha, p = math.exp(m - m_new) → alpha, p = 1
  alpha * l + sum(p) → l + 1
  in zip(p, v)) → in zip(p, v)) / sum(p)
"""


def cases():
    tau = math.log(2)  # e^{τ x} = 2^x
    s = [0, tau, 2 * tau, tau]
    yield "whole", [s, V, 2], [0, 3]
    yield "whole", [s, V, 1], [0, 3]
    yield "ragged", [s, V, 3], [0, 3]
    source = numbers(13)
    for n, block in ((5, 2), (7, 3), (9, 4), (8, 5)):
        s, v = row(source, n), matrix(source, n, 2)
        yield "ragged", [s, v, block], output(s, v)
    for n, block in ((6, 3), (4, 4)):
        s, v = row(source, n), matrix(source, n, 2)
        yield "divides", [s, v, block], output(s, v)
    yield "small", [s[:3], v[:3], 8], output(s[:3], v[:3])
    yield "small", [[5], [[7, 1]], 2], [7, 1]
