"""Tilewise: FlashAttention, one tile at a time.

A file here is an idea that a page of the book teaches. A folder is a machine, and its
docstring begins with the floor that it belongs to: floor 0 is plain Python, floor 1
needs PyTorch, floor 2 has kernels and operators. Modules are imported when they are
first asked for, so that `import tilewise` needs no PyTorch.
"""

import importlib
import pkgutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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
    "ring_attention": "ring.ops",
    "scaled_dot_product_attention": "attention.sdpa",
}
_MODULES = {module.name for module in pkgutil.iter_modules(__path__)} - {"__main__"}


def __getattr__(name: str) -> object:
    if name in _MODULES:
        return importlib.import_module(f"tilewise.{name}")
    if name in _FRONT:
        return getattr(importlib.import_module(f"tilewise.{_FRONT[name]}"), name)
    raise AttributeError(f"module 'tilewise' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*_FRONT, *_MODULES, "__version__"])
