"""The sizes that every count of the ledger takes: checked once, named once."""


def check(**sizes):
    """Raise ValueError naming the size that is not a whole number of at least 1."""
    for name, size in sorted(sizes.items()):
        if not isinstance(size, int) or size < 1:
            raise ValueError(f"{name} must be a whole number of at least 1, not {size}")


def ceil_div(a, b):
    """⌈a / b⌉."""
    return -(-a // b)


def keys(n, n_k, causal):
    """N_k, which is N unless told; raises ValueError for an unknown causal."""
    if causal not in (False, True, "top-left"):
        raise ValueError(f"causal must be False, True or 'top-left', not {causal!r}")
    return n if n_k is None else n_k


DTYPES = {"fp64": 8, "fp32": 4, "bf16": 2, "fp16": 2}


def in_bytes(elements, dtype):
    """The bytes of a number of elements, all of one dtype: fp64, fp32, bf16, fp16.

    Raises ValueError for another dtype.
    """
    if dtype not in DTYPES:
        raise ValueError(
            f"dtype must be one of {', '.join(sorted(DTYPES))}, not {dtype!r}"
        )
    return elements * DTYPES[dtype]
