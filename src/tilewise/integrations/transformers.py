"""`attn_implementation="tilewise"` for the models of Hugging Face Transformers.

A library of models asks twice: once per model for a mask, and once per layer for
attention. A causal mask without padding stays a rule here, so that the kernels apply;
with padding, packed sequences or a static cache it is a tensor of bools.
"""

from typing import Any, NamedTuple

import torch
from torch import Tensor

from tilewise.attention.ops import attend


class Window(NamedTuple):
    """In place of a mask: a causal layer whose rows see so many keys, and no more."""

    keys: int


def register(name: str = "tilewise") -> None:
    """Make the name an attn_implementation of Transformers, for masks and for layers.

    After it, `from_pretrained(…, attn_implementation="tilewise")`, `from_config` and
    `set_attn_implementation` take the name, in training and in generation. Padding,
    sliding windows, softcap, sinks (GPT-OSS), shared heads and dropout are followed.
    Raises ModuleNotFoundError without Transformers, RuntimeError where it is older than
    version 5.
    """
    try:
        from transformers import AttentionInterface, AttentionMaskInterface, __version__
    except ModuleNotFoundError as error:
        needed = "transformers: python -m pip install transformers"
        message = f"tilewise.integrations.transformers needs {needed}"
        raise ModuleNotFoundError(message, name=error.name) from error
    if int(__version__.partition(".")[0]) < 5:
        message = f"transformers must be of version 5 or newer, not {__version__}"
        raise RuntimeError(message)
    AttentionInterface.register(name, attention)
    AttentionMaskInterface.register(name, mask)


def mask(
    batch_size: int,
    q_length: int,
    kv_length: int,
    q_offset: int | Tensor = 0,
    kv_offset: int = 0,
    *,
    attention_mask: Tensor | None = None,
    local_size: int | None = None,
    allow_is_causal_skip: bool = True,
    config: Any = None,
    **more: Any,
) -> Tensor | Window | None:
    """None for a plain mask, a Window, or bools (batch, 1, N_q, N_k) for all others.

    attention_mask (batch, N) is False at padding. local_size is that of a window, or of
    chunks, if the config has some; allow_is_causal_skip is False for special masks.
    """
    from transformers.masking_utils import sdpa_mask

    chunks = getattr(config, "attention_chunk_size", None) is not None
    ends_together = isinstance(q_offset, int) and (
        q_offset + q_length == kv_offset + kv_length
    )
    known = attention_mask is None or (
        not torch.compiler.is_compiling()
        and attention_mask.shape[-1] == kv_offset + kv_length
        and bool(attention_mask[:, kv_offset:].all())
    )
    if allow_is_causal_skip and ends_together and known:
        if local_size is None or kv_length < local_size:
            return None
        if not chunks:
            return Window(local_size)
    more |= {"attention_mask": attention_mask, "local_size": local_size}
    more |= {"q_offset": q_offset, "kv_offset": kv_offset, "config": config}
    return sdpa_mask(
        batch_size, q_length, kv_length, allow_is_causal_skip=False, **more
    )


def attention(
    module: torch.nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | Window | None,
    dropout: float = 0.0,
    scaling: float | None = None,
    is_causal: bool | None = None,
    sliding_window: int | None = None,
    softcap: float | None = None,
    s_aux: Tensor | None = None,
    **more: Any,
) -> tuple[Tensor, None]:
    """o (batch, N_q, heads, d_v) and no weights, which this function never has.

    query (batch, heads, N_q, d), key and value (batch, kv_heads, N_k, …); s_aux are the
    sinks (heads,). Raises NotImplementedError for a bias that depends on positions.
    """
    if more.get("position_bias") is not None:
        raise NotImplementedError(
            "attn_implementation='tilewise' has no position_bias: use 'sdpa'"
        )
    how: dict[str, Any] = {"scale": scaling, "dropout_p": dropout}
    how |= {"softcap": softcap, "sinks": s_aux}
    if isinstance(attention_mask, Tensor):  # contains all that is hidden
        o = attend(query, key, value, attention_mask[..., : key.shape[2]], **how)
        return o.transpose(1, 2), None
    causal = getattr(module, "is_causal", True) if is_causal is None else is_causal
    if isinstance(attention_mask, Window):
        sliding_window = attention_mask.keys
    if causal and sliding_window is not None:
        how["window"] = sliding_window - 1, 0
    return attend(query, key, value, None, causal, **how).transpose(1, 2), None
