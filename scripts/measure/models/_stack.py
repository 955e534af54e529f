"""A decoder layer in the shapes of Llama 3 8B and Qwen 3 8B, its attention given."""

from typing import NamedTuple

import torch
from torch import nn
from torch.nn import functional as F


class Shape(NamedTuple):
    """Sizes from the models' config.json."""

    width: int
    heads: int
    key_heads: int
    d: int
    hidden: int
    norms: bool  # of q and k, before the rotation


SHAPES = {
    "Llama 3 8B": Shape(4096, 32, 8, 128, 14336, False),
    "Qwen 3 8B": Shape(4096, 32, 8, 128, 12288, True),
}


def angles(batch, n, d, base=500000.0):
    """cos and sin of the rotary embedding, (batch · n, 1, d / 2) each."""
    speeds = base ** (-torch.arange(0, d, 2, device="cuda") / d)
    turns = torch.outer(torch.arange(n, device="cuda"), speeds)[:, None]
    return turns.cos().repeat(batch, 1, 1), turns.sin().repeat(batch, 1, 1)


def rotate(x, cos, sin):
    """x (tokens, heads, d) with its two halves turned by the angles."""
    a, b = x.float().chunk(2, -1)
    return torch.cat([a * cos - b * sin, a * sin + b * cos], -1).to(x.dtype)


@torch.compile
def before(x, cos, sin, norm, weight, norms, shape):
    """q (tokens, heads, d), k and v (tokens, key heads, d) of x (tokens, width)."""
    x = F.rms_norm(x, x.shape[-1:], norm) @ weight.T
    sizes = [h * shape.d for h in (shape.heads, shape.key_heads, shape.key_heads)]
    q, k, v = (y.unflatten(-1, (-1, shape.d)) for y in x.split(sizes, -1))
    if shape.norms:
        q, k = (F.rms_norm(y, y.shape[-1:], w) for y, w in zip((q, k), norms))
    return rotate(q, cos, sin), rotate(k, cos, sin), v


@torch.compile
def after(x, o, norm, out, up, down):
    """x + o W, and to it the gated MLP of its norm: (tokens, width)."""
    x = x + o @ out.T
    gate, value = (F.rms_norm(x, x.shape[-1:], norm) @ up.T).chunk(2, -1)
    return x + (F.silu(gate) * value) @ down.T


class Layer(nn.Module):
    """x (batch, n, width) → the same shape."""

    def __init__(self, shape):
        super().__init__()
        self.shape, width, d = shape, shape.width, shape.d

        def random(rows, cols):
            return nn.Parameter(torch.randn(rows, cols) * cols**-0.5)

        self.w_qkv = random((shape.heads + 2 * shape.key_heads) * d, width)
        self.w_out, self.w_up = (
            random(width, shape.heads * d),
            random(2 * shape.hidden, width),
        )
        self.w_down = random(width, shape.hidden)
        self.norm_1, self.norm_2 = (nn.Parameter(torch.ones(width)) for _ in "12")
        self.norms = nn.ParameterList([torch.ones(d), torch.ones(d)])

    def qkv(self, x, turns):
        """q (batch, heads, n, d), k and v (batch, key heads, n, d)."""
        flat = x.flatten(0, 1)
        for y in (flat, *turns):
            torch._dynamo.mark_dynamic(y, 0)
        made = before(
            flat, *turns, self.norm_1, self.w_qkv, tuple(self.norms), self.shape
        )
        return [y.unflatten(0, x.shape[:2]).transpose(1, 2) for y in made]

    def forward(self, x, turns, attention):
        o = attention(*self.qkv(x, turns))  # (batch, heads, n, d)
        flat, o = x.flatten(0, 1), o.transpose(1, 2).flatten(0, 1).flatten(1)
        torch._dynamo.mark_dynamic(flat, 0), torch._dynamo.mark_dynamic(o, 0)
        y = after(flat, o, self.norm_2, self.w_out, self.w_up, self.w_down)
        return y.view_as(x)
