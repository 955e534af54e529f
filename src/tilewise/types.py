"""What goes in and comes out, by name, for those who check types.

Floor 0 also runs under MicroPython, which has none of these: its annotations stand in
the .pyi file beside each module. A matrix is a list of rows, of floats or of Fractions.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, Literal

Causal = bool | Literal["top-left"]  # no mask, bottom-right (True), or top-left

Number = float | Fraction
Vector = Sequence[Number]
Matrix = Sequence[Vector]
Exp = Callable[[Any], Any]  # e^x, or the like of it in another base
Sums = tuple[float, float]  # m, ℓ
State = tuple[float, float, Sequence[float]]  # m, ℓ, o

Pair = tuple[int, int]  # a tile (i, j), or its sizes (B_r, B_c)
Tile = dict[str, Any]  # all that is known of a tile, and the state after it
Moves = Callable[[str, Pair | None, Pair, Pair | None], tuple[list[str], list[str]]]

Fact = dict[str, Any]  # a number of tilewise.hardware: value, source, kind, note
Card = dict[str, Any]  # sram, bandwidth, peak, memory
Count = dict[str, int]  # of elements, bytes or FLOPs, by name
Blocks = dict[str, Pair]  # (B_r, B_c) of each pass
Event = tuple[Any, int, bool]  # a tile, its bytes, whether it is stored
