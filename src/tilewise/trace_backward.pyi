from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tilewise.types import Causal, Exp, Matrix, Number, Pair, Tile, Vector

def moves_backward(
    order: str, before: Pair | None, here: Pair, after: Pair | None,
) -> tuple[list[str], list[str]]: ...  # fmt: skip
def tiles_backward(
    q: Matrix, k: Matrix, v: Matrix, o: Matrix, do: Matrix, m: Vector, l: Vector,
    block_rows: int, block_cols: int, **options: Any,
) -> Iterator[Tile]: ...  # fmt: skip
def product(a: Matrix, b: Matrix, scale: Number = ...) -> list[list[Any]]: ...
def columns(a: Matrix) -> list[list[Any]]: ...
def plus(a: Matrix, b: Matrix) -> list[list[Any]]: ...
def step_backward(state: Tile, tile: Tile, exp: Exp = ...) -> Tile: ...
def start_backward(q: Matrix, k: Matrix, v: Matrix) -> Tile: ...
def backward(
    q: Matrix, k: Matrix, v: Matrix, o: Matrix, do: Matrix, m: Vector, l: Vector,
    block_rows: int, block_cols: int, *, order: str = ..., scale: float | None = ...,
    causal: Causal = ..., exp: Exp = ...,
) -> Iterator[Tile]: ...  # fmt: skip
def scan_backward(
    grid: Iterable[Tile], state: Tile, exp: Exp = ...,
) -> Iterator[Tile]: ...  # fmt: skip
def check_backward(q: Matrix, v: Matrix, matrices: Mapping[str, Matrix],
                   vectors: Mapping[str, Vector]) -> None: ...  # fmt: skip
