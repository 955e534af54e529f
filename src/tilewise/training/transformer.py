"""A decoder to train, small enough to read: pre-norm, residual, MLP of 4E."""

# --8<-- [start:imports]
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from tilewise.attention.module import FlashAttention, heads
from tilewise.attention.ops import attend
from tilewise.checks import check_sizes
from tilewise.training.checkpointing import run

# --8<-- [end:imports]


# --8<-- [start:attention]
def standard(q: Tensor, k: Tensor, v: Tensor, dropout_p: float = 0.0) -> Tensor:
    """Causal attention as the formula says, with S and P as matrices."""
    hidden = q.new_full((q.shape[-2], k.shape[-2]), -torch.inf)
    s = q @ k.mT * q.shape[-1] ** -0.5 + hidden.triu(1)
    return F.dropout(torch.softmax(s, -1), dropout_p) @ v


def ours(q: Tensor, k: Tensor, v: Tensor, dropout_p: float = 0.0) -> Tensor:
    """Causal attention of this package."""
    return attend(q, k, v, causal=True, dropout_p=dropout_p)


def pytorch(q: Tensor, k: Tensor, v: Tensor, dropout_p: float = 0.0) -> Tensor:
    """Causal attention of PyTorch, by the backend that it chooses."""
    return F.scaled_dot_product_attention(q, k, v, None, dropout_p, is_causal=True)


ATTENTION = {"standard": standard, "ours": ours, "pytorch": pytorch}
# --8<-- [end:attention]


# --8<-- [start:Block]
class Block(nn.Module):
    """x + attention(norm(x)), then x + mlp(norm(x)), each of (batch, N, embed_dim).

    attention is a key of ATTENTION, with num_heads heads and dropout on P in training;
    policy is one of `tilewise.training.checkpointing`: without gradients there is none.
    """

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        *,
        attention: str = "ours",
        policy: str = "none",
        dropout: float = 0.0,
        **options: Any,
    ) -> None:
        super().__init__()
        self.attention, self.policy = ATTENTION[attention], policy
        self.norm_1 = nn.LayerNorm(embed_dim, **options)
        shape: dict[str, Any] = {"dropout": dropout, "causal": True}
        self.layer = FlashAttention(embed_dim, num_heads, **shape, **options)
        self.norm_2 = nn.LayerNorm(embed_dim, **options)
        self.up = nn.Linear(embed_dim, 4 * embed_dim, **options)
        self.down = nn.Linear(4 * embed_dim, embed_dim, **options)

    def forward(self, x: Tensor) -> Tensor:
        return run(self, x, self.policy if torch.is_grad_enabled() else "none")

    def qkv(self, x: Tensor) -> list[Tensor]:
        """Three of (batch, heads, N, d)."""
        x, layer = self.norm_1(x), self.layer
        return [
            heads(f(x), layer.num_heads)
            for f in (layer.q_proj, layer.k_proj, layer.v_proj)
        ]

    def attend(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        """o (batch, heads, N, d)."""
        return self.attention(q, k, v, self.layer.dropout if self.training else 0.0)

    def join(self, x: Tensor, o: Tensor) -> Tensor:
        """What attention adds to x: (batch, N, embed_dim)."""
        return x + self.layer.o_proj(o.transpose(1, 2).flatten(2))

    def mlp(self, x: Tensor) -> Tensor:
        """x and what the MLP adds to it."""
        return x + self.down(F.gelu(self.up(self.norm_2(x))))

    def whole(self, x: Tensor) -> Tensor:
        """The block without a policy."""
        return self.mlp(self.join(x, self.attend(*self.qkv(x))))

    # --8<-- [end:Block]


class Decoder(nn.Module):
    """Tokens (batch, N) → logits (batch, N, vocabulary) of the token after each.

    vocabulary tokens, at most `longest` in a row; num_layers blocks, with embed_dim,
    num_heads and other options as in Block. every k: blocks 0, k, 2k … have the policy,
    the others none.
    Raises ValueError where every is not a whole number of at least 1.
    """

    def __init__(
        self,
        vocabulary: int,
        longest: int,
        embed_dim: int,
        num_heads: int,
        num_layers: int,
        *,
        policy: str = "none",
        every: int = 1,
        **options: Any,
    ) -> None:
        super().__init__()
        check_sizes(every=every)
        factory = {x: options[x] for x in ("device", "dtype") if x in options}
        self.tokens = nn.Embedding(vocabulary, embed_dim, **factory)
        self.places = nn.Embedding(longest, embed_dim, **factory)
        policies = [policy if n % every == 0 else "none" for n in range(num_layers)]
        self.blocks = nn.Sequential(
            *(Block(embed_dim, num_heads, policy=x, **options) for x in policies)
        )
        self.norm = nn.LayerNorm(embed_dim, **factory)
        self.head = nn.Linear(embed_dim, vocabulary, bias=False, **factory)

    def forward(self, tokens: Tensor) -> Tensor:
        places = torch.arange(tokens.shape[-1], device=tokens.device)
        x = self.tokens(tokens) + self.places(places)  # (batch, N, embed_dim)
        return self.head(self.norm(self.blocks(x)))
