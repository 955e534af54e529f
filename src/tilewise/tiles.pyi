from tilewise.types import Causal, Pair

HOPPER: int
KERNELS: dict[str, dict[str, list[tuple[int, Pair, Pair]]]]

def floor_sum(count: int, a: int, b: int, m: int) -> int: ...
def visits(
    n: int, n_k: int, block_rows: int, block_cols: int, causal: Causal,
) -> tuple[int, int, int]: ...  # fmt: skip
def kernel_tiles(
    d: int, way: str, *, causal: Causal = ..., room: int = ...,
) -> Pair: ...  # fmt: skip
