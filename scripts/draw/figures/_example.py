"""The running example's trace, exactly: S in units of τ, everything else fractions."""

from fractions import Fraction

from tilewise.trace import forward, start
from tilewise.worked_example import BLOCK_COLS, BLOCK_ROWS, K, Q, V


def exp2(x):
    """e^{τx} = 2^x, as a fraction."""
    return Fraction(2) ** x


START = start(Q, V)
STEPS = list(forward(Q, K, V, BLOCK_ROWS, BLOCK_COLS, scale=1, exp=exp2))


def row_states(row):
    """The trace of one query row, a key at a time: tiles of 1 × 1."""
    return list(forward([Q[row]], K, V, 1, 1, scale=1, exp=exp2))
