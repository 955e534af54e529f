"""Wrong masks: another value, another place, another row."""

import torch

from tilewise.pitfalls import pieces
from tilewise.pitfalls.registry import Pitfall


def plus_infinity(s, seen):
    """Hidden scores become +∞. Right: −∞, whose exponential is 0."""
    return s.masked_fill(~seen, torch.inf)


def minus_a_million(s, seen):
    """A row that sees no key has equal scores, −10⁶, and gets mean(V). Right: scores of
    −∞, and 0 for the row."""
    return s.masked_fill(~seen, -1e6)


def score_zero(s, seen):
    """Hidden scores become 0, an ordinary score: e⁰ = 1. Right: −∞."""
    return s * seen


# --8<-- [start:mask_after_softmax]
def mask_after_softmax(s, seen):
    """Weights are set to 0 after ℓ was summed over all keys. Right: scores of −∞."""
    return torch.softmax(s, dim=-1) * seen
    # --8<-- [end:mask_after_softmax]


def top_left(rows, cols, n_q, n_k):
    """Row 0 ends at key 0 though N_k > N_q. Right: the last row ends at the last key,
    so row r ends at key r + N_k − N_q."""
    return cols <= rows[:, None]


# --8<-- [start:tril_in_every_tile]
def tril_in_every_tile(rows, cols, n_q, n_k):
    """A triangle in each tile, by local indices: the past is cut, the future is open.
    Right: global indices."""
    return torch.ones(len(rows), len(cols)).tril().bool()
    # --8<-- [end:tril_in_every_tile]


def diagonal_hidden(rows, cols, n_q, n_k):
    """A row does not see its own key, < where ≤ is meant. Right: c ≤ r + N_k − N_q."""
    return cols < rows[:, None] + n_k - n_q


def padding_inverted(cols, length, n_k):
    """True means hidden in one place and visible in another: only padding is seen.
    Right: the n keys with c < n are seen."""
    return cols >= length


def documents_forgotten(rows, cols, lengths):
    """Packed documents get a mask of ones, so each sees the others. Right:
    only itself."""
    return torch.ones(len(rows), len(cols), dtype=torch.bool)


PITFALLS = (
    Pitfall(plus_infinity, pieces.hide, "causal", "odd"),
    Pitfall(minus_a_million, pieces.hide, "causal_shorter", "causal"),
    Pitfall(score_zero, pieces.hide, "causal", "causal_values_one"),
    Pitfall(mask_after_softmax, pieces.weights, "causal", "future_values"),
    Pitfall(top_left, pieces.causal, "causal_longer", "causal"),
    Pitfall(tril_in_every_tile, pieces.causal, "causal", "causal_one_tile"),
    Pitfall(diagonal_hidden, pieces.causal, "causal", "future_inputs"),
    Pitfall(padding_inverted, pieces.padding, "padded", "padded_values_one"),
    Pitfall(documents_forgotten, pieces.documents, "documents", "one_document"),
)
