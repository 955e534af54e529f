"""Multi-head attention as a module, over `tilewise.attention.ops`."""

from typing import Any

import torch
from torch import Tensor, nn

from tilewise.attention.checks import check_tensors, number
from tilewise.attention.ops import attend
from tilewise.attention.passes import Window
from tilewise.checks import check_causal, check_sizes, check_softcap, check_window
from tilewise.fits import Causal
from tilewise.variants import geometric_slopes


class FlashAttention(nn.Module):
    """Multi-head self- or cross-attention: (O_1 … O_h) W_Oᵀ, one O a head.

    Q = x W_Qᵀ with num_heads heads of d = embed_dim / num_heads, K = context W_Kᵀ and
    V = context W_Vᵀ with num_kv_heads, or as many (fewer: GQA, one: MQA). The state is
    q_proj, k_proj, v_proj, o_proj, each a weight and with bias=True a bias. causal is
    that of flash_attention, as are window and softcap; alibi=True adds the bias of
    tilewise.variants.geometric_slopes, and sinks=True learns a sink for each head, a
    parameter that begins as 0. dropout, in [0, 1), works on P, in training only.
    Raises ValueError where heads do not divide, or another argument cannot be.
    """

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        *,
        num_kv_heads: int | None = None,
        bias: bool = True,
        dropout: float = 0.0,
        causal: Causal = False,
        window: Window | None = None,
        softcap: float | None = None,
        alibi: bool = False,
        sinks: bool = False,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        num_kv_heads = num_heads if num_kv_heads is None else num_kv_heads
        check(embed_dim, num_heads, num_kv_heads, dropout, causal)
        check_window(window)
        check_softcap(softcap)
        self.embed_dim, self.num_heads = embed_dim, num_heads
        self.num_kv_heads, self.dropout, self.causal = num_kv_heads, dropout, causal
        kv_dim = embed_dim // num_heads * num_kv_heads
        options: dict[str, Any] = {"bias": bias, "device": device, "dtype": dtype}
        self.q_proj = nn.Linear(embed_dim, embed_dim, **options)
        self.k_proj = nn.Linear(embed_dim, kv_dim, **options)
        self.v_proj = nn.Linear(embed_dim, kv_dim, **options)
        self.o_proj = nn.Linear(embed_dim, embed_dim, **options)
        self.window, self.softcap = window, softcap
        slopes = geometric_slopes(num_heads).to(device) if alibi else None
        self.register_buffer("alibi_slopes", slopes, persistent=False)
        own = torch.zeros(num_heads, device=device, dtype=dtype)
        self.register_parameter("sinks", nn.Parameter(own) if sinks else None)

    def forward(
        self, x: Tensor, context: Tensor | None = None, attn_mask: Tensor | None = None
    ) -> Tensor:
        """x (batch, N_q, embed_dim), context (batch, N_k, embed_dim) or x → x's shape.

        attn_mask is that of scaled_dot_product_attention, and applies beside causal:
        (batch, 1, 1, N_k) hides the padding of each sequence.
        """
        context = x if context is None else context
        check_tensors(x=x, context=context)
        for name, y in {"x": x, "context": context}.items():
            if y.ndim != 3 or y.shape[-1] != self.embed_dim or len(y) != len(x):
                expected = f"({len(x)}, N, {self.embed_dim})"
                raise ValueError(f"{name} must be {expected}, not {tuple(y.shape)}")
        q = heads(self.q_proj(x), self.num_heads)  # (batch, heads, N_q, d)
        k = heads(self.k_proj(context), self.num_kv_heads)
        v = heads(self.v_proj(context), self.num_kv_heads)
        dropout_p = self.dropout if self.training else 0.0
        how: dict[str, Any] = {"causal": self.causal, "dropout_p": dropout_p}
        how |= {"window": self.window, "softcap": self.softcap}
        how |= {"alibi_slopes": self.alibi_slopes, "sinks": self.sinks}
        o = attend(q, k, v, attn_mask, **how)
        return self.o_proj(o.transpose(1, 2).flatten(2))

    def extra_repr(self) -> str:
        parts = [f"{self.embed_dim}, {self.num_heads}"]
        parts += [f"num_kv_heads={self.num_kv_heads}, dropout={self.dropout}"]
        parts += [f"causal={self.causal!r}"]
        options = {"window": self.window, "softcap": self.softcap}
        options |= {"alibi": self.alibi_slopes is not None or None}
        options |= {"sinks": self.sinks is not None or None}
        parts += [f"{name}={x}" for name, x in options.items() if x is not None]
        return ", ".join(parts)


def heads(x: Tensor, number: int) -> Tensor:
    """(batch, N, heads · d) → (batch, heads, N, d), a view."""
    return x.unflatten(-1, (number, -1)).transpose(1, 2)


def check(
    embed_dim: int, num_heads: int, num_kv_heads: int, dropout: float, causal: Causal
) -> None:
    """Raise ValueError with one sentence that names what cannot be."""
    check_sizes(embed_dim=embed_dim, num_heads=num_heads, num_kv_heads=num_kv_heads)
    if embed_dim % num_heads:
        raise ValueError(f"num_heads must divide {embed_dim = }, not {num_heads}")
    if num_heads % num_kv_heads:
        raise ValueError(f"num_kv_heads must divide {num_heads = }, not {num_kv_heads}")
    if not 0 <= number("dropout", dropout, "a number") < 1:
        raise ValueError(f"dropout must be at least 0 and below 1, not {dropout}")
    check_causal(causal)
