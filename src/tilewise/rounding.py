"""Five number formats, and matrix products whose operands are rounded to one of them.

A GPU's matrix units take operands of 16 bits, or of TF32's 19 bits, and add the
products in fp32. `Products` imitates this for every `@` and `matmul` on any machine.
The name of a format is fp64, fp32, tf32, bf16 or fp16.
Sources: IEEE 754-2019, table 3.5, for fp16, fp32 and fp64; NVIDIA's white paper on the
A100, 2020, for bf16 and TF32.
"""

from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

FORMATS = {  # bits of exponent, bits of fraction; one more is the sign
    "fp64": (11, 52),
    "fp32": (8, 23),
    "tf32": (8, 10),
    "bf16": (8, 7),
    "fp16": (5, 10),
}
DTYPES = {
    "fp64": torch.float64,
    "fp32": torch.float32,
    "bf16": torch.bfloat16,
    "fp16": torch.float16,
}


def roundoff(name: str) -> float:
    """u = 2^−(fraction + 1): the largest relative error of rounding to the format."""
    return 0.5 ** (FORMATS[name][1] + 1)


def largest(name: str) -> float:
    """(2 − 2u) · 2^bias with bias = 2^(exponent − 1) − 1: the largest finite number."""
    exponent, _ = FORMATS[name]
    return (2 - 2 * roundoff(name)) * 2.0 ** (2 ** (exponent - 1) - 1)


def smallest(name: str) -> float:
    """2^(1 − bias): smaller numbers are subnormal and have fewer digits."""
    return 2.0 ** (2 - 2 ** (FORMATS[name][0] - 1))


def rounded(x: Tensor, name: str) -> Tensor:
    """x (fp32 or fp64, any shape), rounded to the nearest number of a format.

    Ties go to even, and the result has x's dtype. Raises ValueError if name is not that
    of a format.
    """
    if name not in FORMATS:
        raise ValueError(f"name must be one of {', '.join(FORMATS)}, not {name!r}")
    if name != "tf32":
        return x.to(DTYPES[name]).to(x.dtype)
    bits = x.float().view(torch.int32)  # TF32 keeps the upper 19 bits of fp32
    bits = bits + 0xFFF + ((bits >> 13) & 1)  # half a unit, less a bit where even
    return (bits & ~0x1FFF).view(torch.float32).to(x.dtype)


class Products(TorchFunctionMode):
    """Within `with Products(name):` every matrix product rounds its operands first.

    The sums keep the dtype of the tensors. With fp32 tensors this is what matrix units
    do.
    """

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        if func in (torch.matmul, torch.Tensor.matmul, torch.Tensor.__matmul__):
            args = [rounded(x, self.name) for x in args]
        return func(*args, **(kwargs or {}))
