Q: list[list[int]]
K: list[list[int]]
V: list[list[int]]
SCALE: float

DO: list[list[int]]
O: list[list[int]]
BLOCK_ROWS: int
BLOCK_COLS: int
