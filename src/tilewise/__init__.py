"""Tilewise: FlashAttention, one tile at a time.

Floor 0 (softmax, one_pass, trace, ledger, hardware) is plain Python; floor 1 and above
need PyTorch and are imported when first used, so that reading needs no torch.
"""

import importlib

__version__ = "0.1.0"

_PLAIN = ("softmax", "one_pass", "trace", "trace_backward", "ledger", "hardware")
_PLAIN += ("ledger_backward", "cache", "worked_example")
_TORCH = ("standard", "masks", "dropout", "flash1", "flash2", "merge")
_MODULES = (*_PLAIN, *_TORCH)


def __getattr__(name):
    if name in _MODULES:
        return importlib.import_module(f"tilewise.{name}")
    raise AttributeError(f"module 'tilewise' has no attribute {name!r}")


def __dir__():
    return sorted([*_MODULES, "__version__"])
