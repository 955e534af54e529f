"""Floor 0: FlashAttention on plain lists, tile by tile, with every number on the way.

`forward` and `backward` yield one dict for each tile, and the last one has the result.
"""

from tilewise.checks import CAUSALS
from tilewise.trace._backward import (
    backward,
    check_backward,
    columns,
    moves_backward,
    plus,
    product,
    scan_backward,
    sink_gradient,
    start_backward,
    step_backward,
    tiles_backward,
)
from tilewise.trace._forward import forward, scan, start, step
from tilewise.trace.grid import (
    ORDERS,
    blocks,
    check,
    limits,
    moves,
    scores,
    seen,
    tiles,
)

__all__ = [
    "CAUSALS",
    "ORDERS",
    "backward",
    "blocks",
    "check",
    "check_backward",
    "columns",
    "forward",
    "limits",
    "moves",
    "moves_backward",
    "plus",
    "product",
    "scan",
    "scan_backward",
    "scores",
    "seen",
    "sink_gradient",
    "start",
    "start_backward",
    "step",
    "step_backward",
    "tiles",
    "tiles_backward",
]
