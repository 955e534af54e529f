"""PyTorch's scaled_dot_product_attention, tiled: same arguments, same meaning."""

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor
from torch.overrides import handle_torch_function, has_torch_function

from tilewise.attention.checks import check_tensors
from tilewise.attention.ops import attend
from tilewise.fits import FLOATS, Causal


def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """softmax(τ query keyᵀ + mask) value: torch.nn.functional's function of this name.

    query (..., N_q, d), key (..., N_k, d), value (..., N_k, d_v) → (..., N_q, d_v), all
    of one dtype. What stands in front broadcasts; with enable_gqa, key and value may
    have fewer heads (axis −3), if these divide the query's. attn_mask broadcasts to
    (..., N_q, N_k): bools, True where a row may see a key, or floats to add to S, which
    have a gradient. is_causal is top-left. A row that sees no key gives 0.

    Where it differs: attn_mask beside is_causal and dropout_p = 1 always raise; dropout
    takes one number from PyTorch's CPU generator, its seed; gradients flow once, as in
    flash_attention, and forward mode not at all; nested tensors, float8 and torch.jit
    are refused. What does not fit raises ValueError, TypeError or RuntimeError.
    """
    three = query, key, value
    if not isinstance(query, torch.Tensor) and has_torch_function(three):  # torch.fx
        more = attn_mask, dropout_p, is_causal, scale, enable_gqa
        return handle_torch_function(scaled_dot_product_attention, three, *three, *more)
    check_floats(query=query, key=key, value=value)
    if not isinstance(is_causal, bool):
        raise TypeError(f"is_causal must be True or False, not {is_causal!r}")
    if is_causal and attn_mask is not None:
        raise ValueError("attn_mask must be None with is_causal=True, not a tensor")
    query, key, value = autocast(query, key, value)
    query, key, value = fit(query, key, value, enable_gqa)
    causal: Causal = "top-left" if is_causal else False
    options: dict[str, Any] = {"scale": scale, "dropout_p": dropout_p}
    return attend(query, key, value, attn_mask, causal=causal, **options)


def check_floats(**tensors: Tensor) -> None:
    """Raise TypeError or ValueError for what is no tensor, or too short a one."""
    check_tensors(**tensors)
    for name, x in tensors.items():
        if x.ndim < 2:
            raise ValueError(f"{name} must be (..., N, d), not {tuple(x.shape)}")
        if x.dtype not in FLOATS:
            raise TypeError(f"{name} must be of a float dtype, not {x.dtype}")


def autocast(*tensors: Tensor) -> tuple[Tensor, ...]:
    """The tensors as torch.autocast casts them for PyTorch's function."""
    device = tensors[0].device.type
    if device == "meta" or not torch.is_autocast_enabled(device):
        return tensors
    to = torch.get_autocast_dtype(device)
    return tuple(x if x.dtype == torch.float64 else x.to(to) for x in tensors)


def fit(
    query: Tensor, key: Tensor, value: Tensor, enable_gqa: bool
) -> Iterable[Tensor]:
    """The same with equal axes in front; views, but for unequal heads of key, value.

    Raises ValueError where they do not fit.
    """
    tensors = query, key, value
    if not query.dtype == key.dtype == value.dtype:
        dtypes = f"{query.dtype}, {key.dtype}, {value.dtype}"
        raise ValueError(f"query, key and value must have one dtype, not {dtypes}")
    if query.shape[-1] != key.shape[-1]:
        raise misfit("query and key must have one d (last axis)", *tensors)
    if key.shape[-2] != value.shape[-2]:
        raise misfit("key and value must have one N (axis -2)", *tensors)
    if enable_gqa:
        key, value = fit_heads(query, key, value)
    front = -3 if enable_gqa else -2
    if query.shape[:front] == key.shape[:front] == value.shape[:front]:
        return query, key, value
    try:
        lead = torch.broadcast_shapes(*(x.shape[:front] for x in (query, key, value)))
    except RuntimeError:
        message = "query, key and value must broadcast in front"
        raise misfit(message, *tensors) from None
    return tuple(x.expand(*lead, *x.shape[front:]) for x in (query, key, value))


def fit_heads(query: Tensor, key: Tensor, value: Tensor) -> Iterable[Tensor]:
    """key and value with one number of heads that divides the query's."""
    if min(query.ndim, key.ndim, value.ndim) < 3:
        raise misfit("enable_gqa must have (..., heads, N, d)", query, key, value)
    heads, *fewer = (x.shape[-3] for x in (query, key, value))
    if any(not n or heads % n for n in fewer):
        message = "heads (axis -3) of key and value must divide those of query"
        raise misfit(f"with enable_gqa the {message}", query, key, value)
    if fewer[0] == fewer[1]:
        return key, value
    return (x.repeat_interleave(heads // x.shape[-3], -3) for x in (key, value))


def misfit(message: str, *tensors: Tensor) -> ValueError:
    """The error of tensors whose shapes do not fit."""
    shapes = ", ".join(str(tuple(x.shape)) for x in tensors)
    return ValueError(f"{message}, not {shapes}")
