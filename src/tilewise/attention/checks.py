"""What the options of attention must be, one sentence for each."""

import numbers
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from tilewise.block_sparse import BlockMask
from tilewise.checks import check_causal, check_softcap, check_window

if TYPE_CHECKING:
    from tilewise.attention.passes import Options

# A PyTorch without this private question takes a slower way to the same result.
transforms = getattr(torch._C, "_are_functorch_transforms_active", lambda: 1)


def check_tensors(**tensors: object) -> None:
    """Raise TypeError for what is no plain tensor, RuntimeError under torch.jit.trace.

    A tracer records one walk over the tiles, which is wrong for any other length.
    """
    for name, x in tensors.items():
        if not isinstance(x, torch.Tensor):
            raise TypeError(f"{name} must be a tensor, not {type(x).__name__}")
        if x.is_nested:
            how = "its values() and offsets() to flash_attention_varlen"
            raise TypeError(f"{name} must not be a nested tensor: give {how}")
    if torch.jit.is_tracing():
        instead = "record it with torch.export.export or torch.compile"
        raise RuntimeError(f"torch.jit.trace cannot follow attention: {instead}")


def as_numbers(scale: object, dropout_p: object) -> tuple[float | None, float]:
    """Both as Python's floats. Raises TypeError or ValueError where they cannot be."""
    tau = None if scale is None else number("scale", scale, "None or a number")
    p = number("dropout_p", dropout_p, "a number")
    if not 0 <= p < 1:
        raise ValueError(f"dropout_p must be at least 0 and below 1, not {dropout_p}")
    return tau, p


def number(name: str, x: object, kind: str) -> float:
    """x as a float, be it a number or a tensor () that wants no gradient.

    Raises TypeError for what is neither, ValueError for a number too large.
    """
    if isinstance(x, torch.Tensor) and x.ndim == 0 and not x.requires_grad:
        x = x.item()
    if not isinstance(x, numbers.Real):
        raise TypeError(f"{name} must be {kind}, not {x!r}")
    try:
        return float(x)
    except OverflowError:
        raise ValueError(f"{name} must be {kind} that a float can hold") from None


def check_options(
    options: "Options", q: Tensor, k: Tensor, documents: int | None = None
) -> None:
    """Raise TypeError or ValueError where an option cannot be, of as_numbers' apart.

    q (..., batch, heads, N_q, d), or of packed documents (total, heads, d), and k.
    """
    check_causal(options.causal)
    if plain(options):
        return
    n_q, n_k = (x.shape[-2 if documents is None else 0] for x in (q, k))
    lead = tuple(q.shape[:-2]) if documents is None else (documents, q.shape[1])
    check_window(options.window)
    check_softcap(options.softcap)
    check_heads("alibi_slopes", options.alibi_slopes, q, lead[-1:], lead[-2:])
    check_heads("sinks", options.sinks, q, lead[-1:])
    front = lead if documents is None else lead[1:]
    check_block_mask(options.block_mask, front, n_q, n_k, q.device)
    if options.causal == "top-left":
        for name in ("window", "alibi_slopes"):
            if getattr(options, name) is not None:
                counted = "is counted from the bottom-right diagonal"
                raise ValueError(f"{name} {counted}, so causal must not be 'top-left'")


def plain(options: "Options") -> bool:
    """Whether nothing is asked for but causal and scale."""
    return options.window is None and options.sinks is None and windowed(options)


def windowed(options: "Options") -> bool:
    """Whether nothing is asked for but causal, scale, a window and sinks."""
    return (
        options.dropout_p == 0
        and options.softcap is None
        and options.alibi_slopes is None
        and options.block_mask is None
    )


def check_heads(name: str, x: object, q: Tensor, *shapes: tuple[int, ...]) -> None:
    """Raise TypeError or ValueError unless x is None or floats of one of the shapes."""
    if x is None:
        return
    if not isinstance(x, torch.Tensor):
        raise TypeError(f"{name} must be None or a tensor, not {type(x).__name__}")
    if x.shape not in shapes or not x.is_floating_point():
        expected = " or ".join(str(tuple(shape)) for shape in dict.fromkeys(shapes))
        what = f"{x.dtype} {tuple(x.shape)}"
        raise ValueError(f"{name} must be floats {expected}, not {what}")
    if x.device != q.device:
        raise ValueError(f"{name} must be on {q.device} as q is, not on {x.device}")


def check_block_mask(
    mask: object, lead: tuple[int, ...], n_q: int, n_k: int, device: torch.device
) -> None:
    """Raise TypeError or ValueError unless it is None or for so many rows and keys."""
    if mask is None:
        return
    if not isinstance(mask, BlockMask):
        kind = type(mask).__name__
        raise TypeError(f"block_mask must be None or a BlockMask, not {kind}")
    if (mask.first.shape[-2], mask.keys) != (n_q, n_k):
        what = f"{mask.first.shape[-2]} × {mask.keys}"
        raise ValueError(f"block_mask must be for {n_q} × {n_k} scores, not {what}")
    front = mask.first.shape[:-2]
    pairs = list(zip(reversed(front), reversed(lead)))
    if len(front) > len(lead) or any(size not in (1, full) for size, full in pairs):
        what = f"{tuple(lead)}, not {tuple(front)}"
        raise ValueError(f"block_mask must broadcast in front to {what}")
    if mask.first.device != device:
        where = f"{device} as q is, not on {mask.first.device}"
        raise ValueError(f"block_mask must be on {where}")
