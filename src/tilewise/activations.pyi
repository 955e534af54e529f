ATTENTION: tuple[str, ...]
POLICIES: tuple[str, ...]
MLP: tuple[str, ...]
INSIDE: dict[str, tuple[str, ...]]
WIDE: tuple[str, ...]

def everything(
    n: int, embed_dim: int, num_heads: int, attention: str = ...,
) -> dict[str, int]: ...  # fmt: skip
def kept(
    n: int, embed_dim: int, num_heads: int, *, attention: str = ..., policy: str = ...,
) -> dict[str, int]: ...  # fmt: skip
def check(policy: str, attention: str, **sizes: int) -> None: ...
def kept_bytes(n: int, embed_dim: int, num_heads: int, dtype: str, *,
               attention: str = ..., policy: str = ...) -> int: ...  # fmt: skip
def products(n: int, embed_dim: int, attention: str = ...) -> dict[str, int]: ...
def again(policy: str) -> tuple[str, ...]: ...
def step(
    n: int, embed_dim: int, *, attention: str = ..., policy: str = ...,
) -> dict[str, int]: ...  # fmt: skip
def price(n: int, embed_dim: int) -> dict[str, float]: ...
