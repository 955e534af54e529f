SUMS: int
LEAST: int
DGX: str
LINKS: dict[str, tuple[float, str]]

def scores(n: int, world: int, step: int, causal: bool = ...) -> int: ...
def flops(
    n: int, world: int, step: int, heads: int, d: int, *, causal: bool = ...,
    backward: bool = ...,
) -> int: ...  # fmt: skip
def step_bytes(
    n: int, world: int, kv_heads: int, d: int, size: int = ..., *, backward: bool = ...,
) -> int: ...  # fmt: skip
def ring_bytes(
    n: int, world: int, kv_heads: int, d: int, size: int = ...,
) -> dict[str, int]: ...  # fmt: skip
def ulysses_bytes(
    n: int, world: int, heads: int, kv_heads: int, d: int, size: int = ...,
) -> dict[str, int]: ...  # fmt: skip
def least_share(peak: float, link: float, heads: int, kv_heads: int, size: int = ..., *,
                causal: bool = ..., backward: bool = ...) -> float: ...  # fmt: skip
def needed(share: int, peak: float, heads: int, kv_heads: int, size: int = ..., *,
           causal: bool = ..., backward: bool = ...) -> float: ...  # fmt: skip
def held(n_q: int, n_k: int, heads: int, d: int, d_v: int, size: int = ..., *,
         backward: bool = ...) -> dict[str, int]: ...  # fmt: skip
def at_once(n_q: int, n_k: int, heads: int, kv_heads: int, d: int, d_v: int,
            size: int = ..., *, batch: int = ..., backward: bool = ...,
) -> int: ...  # fmt: skip
