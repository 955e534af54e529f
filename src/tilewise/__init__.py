"""Tilewise: FlashAttention, one tile at a time.

In front: flash_attention, flash_attention_varlen for packed documents, ring_attention
over several GPUs, scaled_dot_product_attention, FlashAttention. Behind them:
Floor 0 (softmax, one_pass, trace, ledger, hardware) is plain Python; floor 1 and above
need PyTorch and are imported when first used, so that reading needs no torch.
"""

import importlib

__version__ = "0.1.0"

_PLAIN = ("softmax", "one_pass", "trace", "trace_backward", "ledger", "hardware")
_PLAIN += ("ledger_backward", "tiles", "costs", "layer", "units", "cache")
_PLAIN += ("worked_example", "ledger_ring", "activations", "types")
_TORCH = ("standard", "masks", "dropout", "flash1", "flash2", "merge")
_TORCH += ("rounding", "attn_mask", "dispatch", "passes", "library", "ops", "sdpa")
_TORCH += ("module", "kernels", "varlen", "varlen_passes", "varlen_library")
_TORCH += ("packing", "zigzag", "ranks", "ring", "ring_passes", "kept", "flops")
_TORCH += ("checkpointing", "transformer", "fits")
_MODULES = (*_PLAIN, *_TORCH)
_FRONT = {
    "flash_attention": "ops", "flash_attention_varlen": "varlen",
    "scaled_dot_product_attention": "sdpa", "FlashAttention": "module",
    "ring_attention": "ring",
}  # fmt: skip


def __getattr__(name):
    if name in _MODULES:
        return importlib.import_module(f"tilewise.{name}")
    if name in _FRONT:
        return getattr(importlib.import_module(f"tilewise.{_FRONT[name]}"), name)
    raise AttributeError(f"module 'tilewise' has no attribute {name!r}")


def __dir__():
    return sorted([*_FRONT, *_MODULES, "__version__"])
