from typing import Any

from tilewise.types import Blocks, Card, Causal, Pair

RULES: tuple[str, ...]
LIMITS: dict[str, int]
LEADING: dict[str, float]

def card(gpu: str, dtype: str) -> Card: ...
def tiles(
    rule: str, way: str, d: int, sram: int, size: int, causal: Causal = ...,
) -> Pair: ...  # fmt: skip
def break_even(way: str, n: int, d: int, n_k: int) -> dict[str, int] | None: ...
def account(
    n: int, d: int, card: Card, *, n_k: int | None = ..., batch: int = ...,
    heads: int = ..., kv_heads: int | None = ..., causal: Causal = ...,
    dtype: str = ..., way: str = ..., rule: str = ..., block_rows: int | None = ...,
    block_cols: int | None = ...,
) -> dict[str, Any]: ...  # fmt: skip
def grid(n: int, n_k: int, blocks: Blocks, way: str) -> dict[str, Any]: ...
