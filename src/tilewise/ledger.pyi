from typing import Any

from tilewise.types import Causal, Count, Pair

DTYPES: dict[str, int]

def check(**sizes: int) -> None: ...
def ceil_div(a: int, b: int) -> int: ...
def keys(n: int, n_k: int | None, causal: Causal) -> int: ...
def block_sizes(sram: int, d: int) -> Pair: ...
def standard_forward(
    n: int, d: int, *, n_k: int | None = ..., causal: Causal = ...,
) -> Count: ...  # fmt: skip
def tile_sram(
    n: int, d: int, block_rows: int, block_cols: int, n_k: int | None = ...,
) -> int: ...  # fmt: skip
def flash1_forward(
    n: int, d: int, block_rows: int, block_cols: int, *, n_k: int | None = ...,
    causal: Causal = ...,
) -> Count: ...  # fmt: skip
def flash2_forward(
    n: int, d: int, block_rows: int, block_cols: int, *, n_k: int | None = ...,
    causal: Causal = ...,
) -> Count: ...  # fmt: skip
def in_bytes(elements: int, dtype: str) -> int: ...
def standard_backward(n: int, d: int, **how: Any) -> Count: ...
def flash1_backward(
    n: int, d: int, block_rows: int, block_cols: int, **how: Any,
) -> Count: ...  # fmt: skip
def flash2_backward(
    n: int, d: int, block_rows: int, block_cols: int, **how: Any,
) -> Count: ...  # fmt: skip
def saved(n: int, d: int, **how: Any) -> Count: ...
