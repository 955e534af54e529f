"""Wrong comparisons: a test that agrees with anything."""

import torch

from tilewise.pitfalls import pieces_backward as pieces
from tilewise.pitfalls.registry import Pitfall


# --8<-- [start:comparing]
def nan_agrees(result, expected, tolerance):
    """Passes unless it is larger, which NaN never is. Right: error <= tolerance."""
    if (result - expected).abs().max() > tolerance:
        return False
    return True


def shapes_agree(result, expected, tolerance):
    """allclose broadcasts: `(1, d)` agrees with `(d,)`. Right: shapes first."""
    return torch.allclose(result, expected, rtol=0, atol=tolerance)
    # --8<-- [end:comparing]


PITFALLS = (
    Pitfall(nan_agrees, pieces.agree, "not_a_number", "notices_a_difference"),
    Pitfall(shapes_agree, pieces.agree, "another_shape", "notices_a_difference"),
)
