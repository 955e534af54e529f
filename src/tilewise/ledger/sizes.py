"""What every count of the ledger does with its sizes."""

from tilewise.checks import check_causal, check_choice, check_window


def ceil_div(a: int, b: int) -> int:
    """⌈a / b⌉."""
    return -(-a // b)


def keys(
    n: int, n_k: int | None, causal: bool | str, window: tuple | None = None
) -> int:
    """N_k, which is N by default; raises ValueError if a mask is unknown."""
    check_causal(causal)
    check_window(window)
    return n if n_k is None else n_k


DTYPES = {"fp64": 8, "fp32": 4, "bf16": 2, "fp16": 2}


def in_bytes(elements: int, dtype: str) -> int:
    """The bytes of so many elements of one dtype: fp64, fp32, bf16 or fp16.

    Raises ValueError for any other dtype.
    """
    check_choice("dtype", dtype, sorted(DTYPES))
    return elements * DTYPES[dtype]
