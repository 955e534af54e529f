from collections.abc import Iterable, Iterator, Sequence

from tilewise.types import Event, Pair

def lru(stream: Iterable[Event], capacity: int) -> dict[str, int]: ...
def programs(
    n: int, d: int, block_rows: int, block_cols: int, order: str,
) -> list[list[Event]]: ...  # fmt: skip
def events(
    pairs: list[Pair], rows: Sequence[Sequence[int]], cols: Sequence[Sequence[int]],
    d: int, order: str,
) -> Iterator[Event]: ...  # fmt: skip
def dram(
    n: int, d: int, block_rows: int, block_cols: int, *, order: str, heads: int,
    side: int, capacity: int,
) -> dict[str, int]: ...  # fmt: skip
def bounds(
    n: int, d: int, block_rows: int, block_cols: int, *, order: str, heads: int,
    side: int, capacity: int,
) -> tuple[int, int]: ...  # fmt: skip
def march(one: list[list[Event]], heads: int, side: int) -> Iterator[Event]: ...
