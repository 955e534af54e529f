"""A laboratory of attention in 8 and in 4 bits: scales, smoothing, rotation.

`quantise` returns numbers that a low-precision tensor can hold, in x's own dtype, so
every error is the format's; products and sums stay exact. Sources: OCP, 8-bit Floating
Point Specification 1.0 and Microscaling Formats 1.0, both 2023; NVIDIA's NVFP4, 2025;
FlashAttention-3, arXiv 2407.08608, section 3.3; SageAttention, arXiv 2410.02367, and
SageAttention3, arXiv 2505.11594.
"""

# --8<-- [start:imports]
import math
from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from tilewise.fits import check
from tilewise.flash1 import weight
from tilewise.tiled import blocks

ELEMENTS = {  # bits of exponent, bits of fraction, the largest number
    "e4m3": (4, 3, 448.0),
    "e5m2": (5, 2, 57344.0),
    "e2m1": (2, 1, 6.0),
}
Rule = Callable[[Tensor, int], Tensor]  # a tile and the axis that a product sums over
# --8<-- [end:imports]


# --8<-- [start:recipe]
class Recipe(NamedTuple):
    """How a tensor becomes short numbers and scales.

    element is a name in ELEMENTS. `per` numbers in a row share a scale, or all that are
    quantised together (None). The scale is kept in fp32, e4m3, or e8m0, that is, as a
    power of two. outer adds one scale in fp32 around those: for each "row" or for the
    "whole".
    """

    element: str
    per: int | None = None
    scale: str = "fp32"
    outer: str | None = None


RECIPES = {
    "e4m3": Recipe("e4m3"),
    "e5m2": Recipe("e5m2"),
    "MXFP8": Recipe("e4m3", 32, "e8m0"),
    "MXFP4": Recipe("e2m1", 32, "e8m0"),
    "NVFP4": Recipe("e2m1", 16, "e4m3", "whole"),
}
# --8<-- [end:recipe]


def values(element: str) -> list[float]:
    """All numbers ≥ 0 of an element format: 0, subnormal and normal ones, in order."""
    exponent, fraction, top = ELEMENTS[element]
    bias, unit = 2 ** (exponent - 1) - 1, 2**fraction
    found = [m / unit * 2.0 ** (1 - bias) for m in range(unit)]
    for e in range(1 - bias, 2**exponent - bias):
        found += [(1 + m / unit) * 2.0**e for m in range(unit)]
    return [x for x in found if x <= top]


# --8<-- [start:nearest]
def nearest(x: Tensor, element: str) -> Tensor:
    """x (fp32 or fp64, any shape), rounded to the nearest numbers of the element.

    The gap at |x| in [2^e, 2^{e+1}) is 2^{e − fraction}, and does not shrink below the
    smallest normal number. Ties go to even; what is too large becomes the largest.
    """
    exponent, fraction, top = ELEMENTS[element]
    e = torch.frexp(x).exponent - 1  # 2^e ≤ |x| < 2^{e+1}
    e = e.clamp(min=2 - 2 ** (exponent - 1))  # 1 − bias
    gap = torch.ldexp(torch.ones_like(x), e - fraction)
    return ((x / gap).round() * gap).clamp(-top, top)
    # --8<-- [end:nearest]


# --8<-- [start:quantise]
def scales(largest: Tensor, recipe: Recipe) -> Tensor:
    """The scales of groups, from the largest |x| of each (fp32 or fp64, any shape).

    The recipe says how a scale is kept.
    """
    top = ELEMENTS[recipe.element][2]
    if recipe.scale == "e8m0":  # the rule of OCP: floors, so that the top may saturate
        e = torch.frexp(largest).exponent - 1 - math.floor(math.log2(top))
        found = torch.ldexp(torch.ones_like(largest), e)
    else:
        found = largest / top
    if recipe.scale == "e4m3":
        found = nearest(found, "e4m3")
    return found.masked_fill(found == 0, 1)


def quantise(x: Tensor, recipe: Recipe, axis: int = -1) -> Tensor:
    """x (..., n, d), fp32 or fp64, as the recipe keeps it: scale · element.

    Groups lie along axis, -1 or -2: the one that a product sums over. The last group of
    a row may be shorter. "whole" and per = None mean the last two axes of x.
    """
    y = x.movedim(axis, -1)
    per, n, outer = recipe.per, y.shape[-1], torch.ones_like(y[..., :1, :1])
    if recipe.outer is not None:
        over = {"row": (-1,), "whole": (-2, -1)}[recipe.outer]
        inner = ELEMENTS[recipe.element][2] * ELEMENTS["e4m3"][2]
        outer = y.abs().amax(over, keepdim=True) / inner
        outer = outer.masked_fill(outer == 0, 1)
    y = y / outer
    if per is None:
        s = scales(y.abs().amax((-2, -1), keepdim=True), recipe)
        y = nearest(y / s, recipe.element) * s
    else:
        y = torch.nn.functional.pad(y, (0, -n % per)).unflatten(-1, (-1, per))
        s = scales(y.abs().amax(-1, keepdim=True), recipe)
        y = (nearest(y / s, recipe.element) * s).flatten(-2)[..., :n]
    return (y * outer).movedim(-1, axis)
    # --8<-- [end:quantise]


def as_rule(recipe: Recipe) -> Rule:
    """A rule for `low_precision_forward`: quantise by the recipe, each tile alone."""
    return lambda x, axis: quantise(x, recipe, axis)


# --8<-- [start:tricks]
def smooth(k: Tensor) -> tuple[Tensor, Tensor]:
    """k (..., N_k, d) minus its mean over all keys, and the mean (..., 1, d), as in k.

    Every score of query i falls by τ q_i · mean. O stays, and L falls by as much. The
    dtype is that of k. Source: SageAttention.
    """
    mean = k.mean(-2, keepdim=True)
    return k - mean, mean


def rotation(d: int, seed: int = 0) -> Tensor:
    """A random rotation M (d, d) in fp64: signs times Hadamard's matrix, over √d.

    seed chooses the signs. (Q M)(K M)ᵀ = Q Kᵀ since M Mᵀ = I. Raises ValueError if d is
    not a power of two.
    """
    if d < 1 or d & (d - 1):
        raise ValueError(f"d must be a power of two, not {d}")
    h = torch.ones(1, 1, dtype=torch.float64)
    while len(h) < d:
        h = torch.cat([torch.cat([h, h], 1), torch.cat([h, -h], 1)])
    signs = torch.randint(2, (d, 1), generator=torch.Generator().manual_seed(seed))
    return (2 * signs - 1) * h / math.sqrt(d)
    # --8<-- [end:tricks]


# --8<-- [start:forward]
def low_precision_forward(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    block_rows: int,
    block_cols: int,
    rule: Rule,
    p_rule: Rule | None = None,
    *,
    scale: float | None = None,
) -> tuple[Tensor, Tensor]:
    """FlashAttention-2's forward pass, where a rule rounds the operands of products.

    q (..., N_q, d), k (..., N_k, d), v (..., N_k, d_v), fp32 or fp64 → o (..., N_q,
    d_v) and lse (..., N_q). rule(tile, axis) is called for tiles of Q, K and V, and for
    tiles of P unless p_rule is given. ℓ sums P before it is rounded.
    """
    check(q, k, v, block_rows, block_cols, False)
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    p_rule = p_rule or rule
    o, lse = [], []
    for rows in blocks(q, block_rows):
        q_i = rule(q[..., rows, :], -1)  # (B_r, d)
        o_i = q_i.new_zeros(*q_i.shape[:-1], v.shape[-1])  # (B_r, d_v)
        l_i, m_i = (q_i.new_full((*q_i.shape[:-1], 1), x) for x in (0, -math.inf))
        for cols in blocks(k, block_cols):
            k_j, v_j = rule(k[..., cols, :], -1), rule(v[..., cols, :], -2)
            s = scale * (q_i @ k_j.mT)  # (B_r, B_c)
            m_old, m_i = m_i, torch.maximum(m_i, s.amax(-1, keepdim=True))
            p, alpha = weight(s, m_i), weight(m_old, m_i)
            l_i = alpha * l_i + p.sum(-1, keepdim=True)
            o_i = alpha * o_i + p_rule(p, -1) @ v_j
        o.append(o_i / l_i)
        lse.append((m_i + l_i.log())[..., 0])
    return torch.cat(o, -2), torch.cat(lse, -1)
    # --8<-- [end:forward]
