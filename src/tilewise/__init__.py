"""Tilewise: FlashAttention, one tile at a time.

A file here is an idea that a page of the book teaches. A folder is a machine, and its
docstring begins with the floor that it belongs to: floor 0 is plain Python, floor 1
needs PyTorch, floor 2 has kernels and operators. Modules are imported when they are
first asked for, so that `import tilewise` needs no PyTorch.
"""

import importlib
import pkgutil
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # what mypy and an editor know by name
    from tilewise import block_sparse as block_sparse
    from tilewise import checks as checks
    from tilewise import decoding as decoding
    from tilewise import dropout as dropout
    from tilewise import fits as fits
    from tilewise import flash1 as flash1
    from tilewise import flash2 as flash2
    from tilewise import hardware as hardware
    from tilewise import kernels as kernels
    from tilewise import ledger as ledger
    from tilewise import low_precision as low_precision
    from tilewise import masks as masks
    from tilewise import merge as merge
    from tilewise import one_pass as one_pass
    from tilewise import packing as packing
    from tilewise import rounding as rounding
    from tilewise import softmax as softmax
    from tilewise import standard as standard
    from tilewise import trace as trace
    from tilewise import variants as variants
    from tilewise import worked_example as worked_example
    from tilewise.attention.decode import flash_decode as flash_decode
    from tilewise.attention.module import FlashAttention as FlashAttention
    from tilewise.attention.ops import flash_attention as flash_attention
    from tilewise.attention.sdpa import (
        scaled_dot_product_attention as scaled_dot_product_attention,
    )
    from tilewise.ring.ops import ring_attention as ring_attention
    from tilewise.varlen.ops import flash_attention_varlen as flash_attention_varlen

__version__ = "0.1.0"

_FRONT = {
    "FlashAttention": "attention.module",
    "flash_attention": "attention.ops",
    "flash_attention_varlen": "varlen.ops",
    "flash_decode": "attention.decode",
    "ring_attention": "ring.ops",
    "scaled_dot_product_attention": "attention.sdpa",
}
_PLAIN = "ledger", "one_pass", "softmax", "trace"  # of floor 0
_MODULES = {module.name for module in pkgutil.iter_modules(__path__)} - {"__main__"}

if not TYPE_CHECKING:

    def __getattr__(name):
        if name == "__all__":  # of `from tilewise import *`: what there is
            here = sys.modules[__name__]
            return [*_PLAIN, *(x for x in _FRONT if hasattr(here, x))]
        if name not in _MODULES and name not in _FRONT:
            raise AttributeError(f"module 'tilewise' has no attribute {name!r}")
        try:
            module = importlib.import_module(f"tilewise.{_FRONT.get(name, name)}")
        except ModuleNotFoundError as error:
            needed = error.name.partition(".")[0]
            message = f"tilewise.{name} needs {needed}: python -m pip install {needed}"
            # hasattr wants an AttributeError, of which `from … import` tells nothing.
            asked = sys._getframe(1).f_code.co_name == "_handle_fromlist"
            kind = ModuleNotFoundError if asked else AttributeError
            raise kind(message) from error
        return getattr(module, name) if name in _FRONT else module


def __dir__() -> list[str]:
    return sorted([*_FRONT, *_MODULES, "__version__"])
