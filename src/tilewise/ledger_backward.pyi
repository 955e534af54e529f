from tilewise.types import Causal, Count

def standard_backward(
    n: int, d: int, *, n_k: int | None = ..., causal: Causal = ...,
) -> Count: ...  # fmt: skip
def flash1_backward(
    n: int, d: int, block_rows: int, block_cols: int, *, n_k: int | None = ...,
    causal: Causal = ...,
) -> Count: ...  # fmt: skip
def flash2_backward(
    n: int, d: int, block_rows: int, block_cols: int, *, n_k: int | None = ...,
    causal: Causal = ...,
) -> Count: ...  # fmt: skip
def saved(n: int, d: int, *, n_k: int | None = ...) -> Count: ...
