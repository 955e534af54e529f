"""Floor 0: what attention costs, counted: elements moved, FLOPs, elements on the chip.

The counts are for one head, with Q of N × d and K and V of N_k × d (n_k=None means N),
and without a cache: whatever a line of an algorithm loads is a read from HBM, and
whatever it stores is a write. A count is a dict:

reads, writes  elements that cross between HBM and the chip
flops          matrix products only, 2·m·n·k for (m × k) by (k × n); the exponentials,
               maxima, sums and rescalings, O(N²) in all, are not counted
sram           elements that must be on the chip at once for these reads and writes:
               the tiles, ℓ and m; the few further numbers that a step needs for each
               row are left to registers

causal means what it means in tilewise.flash1: row r sees keys 0 .. r + N_k − N (True),
or 0 .. r ("top-left"). window = (left, right) lets it see keys r + N_k − N − left ..
r + N_k − N + right, where None is no limit, and block_mask, T_r lists of T_c bools, is
True where a tile is seen at all. Tiles in which no row sees a key are neither loaded
nor computed. Softcap and ALiBi change no count, since they work on the chip, and a
sink is one number for each head, like τ, which is not counted. A layer has batch ×
heads times these counts, except for sram, and this holds for grouped heads too,
because each query head asks for its own K and V. If g query heads share one load, count
their rows as one head with g·N rows.
Raises ValueError if a size is not a whole number of at least 1, or a mask is unknown.
Source: Algorithms 0 and 1 of FlashAttention, arXiv 2205.14135, and Algorithm 1 of
FlashAttention-2, arXiv 2307.08691. tests/plain/test_ledger_counts.py counts a real run.
"""

from tilewise.ledger._backward import (
    flash1_backward,
    flash2_backward,
    saved,
    standard_backward,
)
from tilewise.ledger._forward import (
    block_sizes,
    flash1_forward,
    flash2_forward,
    standard_forward,
    tile_sram,
)
from tilewise.ledger.sizes import DTYPES, ceil_div, in_bytes, keys

__all__ = [
    "DTYPES",
    "block_sizes",
    "ceil_div",
    "flash1_backward",
    "flash1_forward",
    "flash2_backward",
    "flash2_forward",
    "in_bytes",
    "keys",
    "saved",
    "standard_backward",
    "standard_forward",
    "tile_sram",
]
