from collections.abc import Iterable, Iterator
from typing import Any

from tilewise.types import Causal, Exp, Matrix, Moves, Pair, Tile

ORDERS: tuple[str, ...]
CAUSALS: tuple[Causal, ...]

def moves(
    order: str, before: Pair | None, here: Pair, after: Pair | None,
) -> tuple[list[str], list[str]]: ...  # fmt: skip
def blocks(n: int, size: int) -> list[list[int]]: ...
def tiles(
    q: Matrix, k: Matrix, v: Matrix, block_rows: int, block_cols: int, *,
    order: str = ..., scale: float | None = ..., causal: Causal = ...,
    traffic: Moves = ...,
) -> Iterator[Tile]: ...  # fmt: skip
def scores(tile: Tile) -> list[list[Any]]: ...
def step(state: Tile, tile: Tile, exp: Exp = ...) -> Tile: ...
def start(q: Matrix, v: Matrix) -> Tile: ...
def forward(
    q: Matrix, k: Matrix, v: Matrix, block_rows: int, block_cols: int, *,
    order: str = ..., scale: float | None = ..., causal: Causal = ..., exp: Exp = ...,
) -> Iterator[Tile]: ...  # fmt: skip
def scan(grid: Iterable[Tile], state: Tile, exp: Exp = ...) -> Iterator[Tile]: ...
def check(q: Matrix, k: Matrix, v: Matrix, block_rows: int, block_cols: int,
          order: str = ..., causal: Causal = ...) -> None: ...  # fmt: skip
def backward(*inputs: Any, **options: Any) -> Iterator[Tile]: ...
