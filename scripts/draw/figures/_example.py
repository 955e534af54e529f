"""The running example's trace, exactly: S in units of τ, everything else fractions."""

from tilewise.trace import forward, start
from tilewise.worked_example import BLOCK_COLS, BLOCK_ROWS, EXACT, K, Q, V

START = start(Q, V)
STEPS = list(forward(Q, K, V, BLOCK_ROWS, BLOCK_COLS, **EXACT))


def row_states(row):
    """The trace of one query row, a key at a time: tiles of 1 × 1."""
    return list(forward([Q[row]], K, V, 1, 1, **EXACT))
