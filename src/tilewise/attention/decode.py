"""Attention of new tokens to a KV cache: one kernel for the parts, one for the merge.

On NVIDIA GPUs from compute capability 8.0 on, `tilewise.kernels.decode` computes fp16,
bf16 and fp32 with d and d_v multiples of 8 up to 256. Anything else runs by tiles in
PyTorch, in `tilewise.decoding`.
"""

import functools
from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypedDict, Unpack, overload

import torch
from torch import Tensor

from tilewise.attention.cache_checks import check_places, check_shapes, check_tensors
from tilewise.attention.calls import guarded, kernel
from tilewise.attention.checks import as_numbers, check_heads
from tilewise.attention.dispatch import FULL, HALF, card
from tilewise.attention.passes import Window, tile_sizes
from tilewise.checks import check_sizes, check_softcap, check_window
from tilewise.decoding import decode_forward
from tilewise.tiled import AS_IS
from tilewise.variants import softcap as softcap_rule


class How(TypedDict, total=False):
    """The options of flash_decode but return_lse."""

    block_table: Tensor | None
    scale: float | None
    window: Window | None
    softcap: float | None
    sinks: Tensor | None
    splits: int | None


class Cached(NamedTuple):
    """The same options, as they are checked and handed on."""

    block_table: Tensor | None
    scale: float | None
    window: Window | None
    softcap: float | None
    sinks: Tensor | None
    splits: int | None


@overload
def flash_decode(
    q: Tensor,
    k_cache: Tensor,
    v_cache: Tensor,
    seqlens: Tensor,
    *,
    return_lse: Literal[False] = ...,
    **options: Unpack[How],
) -> Tensor: ...
@overload
def flash_decode(
    q: Tensor,
    k_cache: Tensor,
    v_cache: Tensor,
    seqlens: Tensor,
    *,
    return_lse: Literal[True],
    **options: Unpack[How],
) -> tuple[Tensor, Tensor]: ...
def flash_decode(
    q: Tensor,
    k_cache: Tensor,
    v_cache: Tensor,
    seqlens: Tensor,
    *,
    block_table: Tensor | None = None,
    scale: float | None = None,
    window: Window | None = None,
    softcap: float | None = None,
    sinks: Tensor | None = None,
    splits: int | None = None,
    return_lse: bool = False,
) -> Tensor | tuple[Tensor, Tensor]:
    """o = softmax(τ q kᵀ) v for the newest n_q tokens of each sequence, for inference.

    q (batch, heads, n_q, d), k_cache and v_cache (batch, heads_k, max_len, d or d_v),
    fp16, bf16, fp32 or fp64 → o (batch, heads, n_q, d_v) in q's dtype, with return_lse
    also L (batch, heads, n_q), fp32 or wider; heads_k divides heads. With block_table
    (batch, max_pages) the caches are pages (pages, heads_k, page_size, …): key j of
    sequence b is row j mod page_size of page block_table[b, ⌊j / page_size⌋].

    seqlens (batch,), int32 or int64 as block_table, are the keys of each sequence, of
    which the new tokens are the last n_q: token i sees the keys up to seqlens[b] − n_q
    + i, and with window (left, right) no more than `left` before that. Nothing past
    seqlens is read. A token that sees no key has o = 0, L = −∞, or with sinks (heads,)
    its sink. softcap and scale are as in flash_attention. splits is the most parts of a
    cache; None is the choice of `choose_splits` in `tilewise.trace.split_kv`, for the
    room of the cache. There is no gradient: ValueError where one is asked for, and
    ValueError or TypeError for what does not fit. On a GPU the host reads no length:
    one past the room is the room.
    """
    given = q, k_cache, v_cache, seqlens
    scale, _ = as_numbers(scale, 0.0)
    options = Cached(block_table, scale, window, softcap, sinks, splits)
    check(*given, options)
    run = fast() if has_kernel(q, v_cache) else by_tiles
    o, lse = run(*given, **options._asdict())
    return (o, lse) if return_lse else o


def check(q: Tensor, k: Tensor, v: Tensor, seqlens: Tensor, options: Cached) -> None:
    """Raise TypeError or ValueError with one sentence that says what does not fit."""
    tensors = {"q": q, "k_cache": k, "v_cache": v, "seqlens": seqlens}
    check_tensors(tensors, options.block_table, options.sinks)
    check_shapes(q, k, v)
    check_places(q, k, seqlens, options.block_table)
    check_window(options.window)
    check_softcap(options.softcap)
    check_heads("sinks", options.sinks, q, (q.shape[1],))
    if options.splits is not None:
        check_sizes(splits=options.splits)


def has_kernel(q: Tensor, v: Tensor) -> bool:
    """Whether the Triton kernel takes these: the card, the dtype, d and d_v."""
    gpu = card(q.device)
    if gpu is None or gpu[0] < (8, 0) or q.dtype not in HALF + FULL:
        return False
    return all(d % 8 == 0 and d <= 256 for d in (q.shape[-1], v.shape[-1]))


@functools.cache
def fast() -> Callable[..., Any]:
    """The kernel's host function, on the device of its tensors."""
    return guarded(kernel("decode").forward)


def by_tiles(
    q: Tensor,
    k_cache: Tensor,
    v_cache: Tensor,
    seqlens: Tensor,
    *,
    block_table: Tensor | None,
    scale: float | None,
    window: Window | None,
    softcap: float | None,
    sinks: Tensor | None,
    splits: int | None,
) -> tuple[Tensor, Tensor]:
    """The same in PyTorch, in tiles as wide as those of other attention."""
    kv_heads, page = k_cache.shape[1:3]
    room = page if block_table is None else page * block_table.shape[1]
    splits = splits or 1
    _, cols = tile_sizes(q[0].reshape(kv_heads, -1, q.shape[-1]))
    cols = min(cols, -(-room // splits))
    with torch.autocast(q.device.type, enabled=False):  # sums stay in fp32
        return decode_forward(
            q,
            k_cache,
            v_cache,
            seqlens,
            splits,
            cols,
            block_table=block_table,
            scale=scale,
            left=None if window is None else window[0],
            rule=AS_IS if softcap is None else softcap_rule(softcap),
            sinks=sinks,
        )
