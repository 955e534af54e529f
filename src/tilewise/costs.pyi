from typing import Any

from tilewise.types import Blocks, Card, Causal, Pair

ALGORITHMS: tuple[str, ...]
PASSES: dict[str, tuple[str, ...]]

def once(
    name: str, way: str, n: int, d: int, n_k: int, heads: int, kv_heads: int,
) -> int: ...  # fmt: skip
def held(
    name: str, way: str, n: int, d: int, n_k: int, heads: int, kv_heads: int,
) -> int: ...  # fmt: skip
def kept(name: str, n: int, d: int, n_k: int, heads: int, kv_heads: int) -> int: ...
def longest(
    name: str, way: str, d: int, heads: int, kv_heads: int, room: int,
) -> int: ...  # fmt: skip
def bound(
    moved: float, flops: float, bandwidth: float | None, peak: float | None,
) -> dict[str, Any]: ...  # fmt: skip
def count(
    name: str, way: str, n: int, d: int, blocks: Pair | None, n_k: int, causal: Causal,
) -> dict[str, int]: ...  # fmt: skip
def bill(
    name: str, way: str, n: int, d: int, n_k: int, heads: int, kv_heads: int,
    causal: Causal, blocks: Blocks, size: int, card: Card,
) -> dict[str, Any]: ...  # fmt: skip
