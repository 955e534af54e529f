"""Floor 1: sequence packing, documents of many lengths in rows of one size.

bins says which document goes into which row, rows makes the rows and takes results
apart again, stream is the same for a DataLoader with workers.
"""

from tilewise.packing.bins import fill, first_fit_decreasing, in_order
from tilewise.packing.rows import IGNORE, collate, pack, row, split, unpack
from tilewise.packing.stream import PackedDataset

__all__ = ["fill", "first_fit_decreasing", "in_order"]
__all__ += ["IGNORE", "collate", "pack", "row", "split", "unpack", "PackedDataset"]
