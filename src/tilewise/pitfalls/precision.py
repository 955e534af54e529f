"""Wrong precision: sums in 16 bits, half a change of base, TF32, careless smoothing."""

import math

import torch

from tilewise.flash1 import weight
from tilewise.pitfalls import pieces
from tilewise.pitfalls.registry import Pitfall


def sums_in_input_dtype(x):
    """S, m, ℓ and o have the dtype of the input: in fp16, ℓ is ∞ past 65,504 equal
    keys, and with small tiles it stops growing even earlier. Right: fp32 for all four,
    whatever the input is."""
    return x


def half_in_base_2(m, l, o, s, v_j, z):
    """P is 2^{S log₂ e − m'}, but α is still e^{m − m'}. Right: 2 in both."""
    s = s * math.log2(math.e)  # so that 2^s is the old e^s
    m_new = torch.maximum(m, s.amax(-1, keepdim=True))
    p = torch.exp2(s - m_new).masked_fill(s == -torch.inf, 0)
    alpha = weight(m, m_new)
    return m_new, alpha * l + p.sum(-1, keepdim=True), alpha * o + (p * z) @ v_j


def from_base_2(m, l, o):
    """What belongs to it: L = m ln 2 + ln ℓ."""
    return pieces.finish(m * math.log(2), l, o)


def rounded_to_tf32(q_i, k_j, scale):
    """fp32 inputs lose 13 of 23 bits, as in TF32. Right: full fp32, asked for."""
    if q_i.dtype == torch.float32:
        bits = [x.contiguous().view(torch.int32) for x in (q_i, k_j)]
        q_i, k_j = ((x + 0x1000 & ~0x1FFF).view(torch.float32) for x in bits)
    return scale * (q_i @ k_j.mT)


def smoothed_tile_by_tile(q_i, k_j, scale):
    """Each tile of K subtracts the mean of its own keys, so the scores of a row shift
    by another amount in each tile. Right: no mean, or that of all keys, which FP8
    kernels subtract and softmax does not notice."""
    return scale * (q_i @ (k_j - k_j.mean(-2, keepdim=True)).mT)


def queries_rotated_alone(q_i, k_j, scale):
    """Q is multiplied by an orthogonal matrix and K is not, so the scores belong to
    other queries. Right: neither, or both: (Q M)(K M)ᵀ = Q Kᵀ."""
    m = torch.eye(q_i.shape[-1], dtype=q_i.dtype) - 2 / q_i.shape[-1]  # a reflection
    return scale * (q_i @ m @ k_j.mT)


BASE_2 = (("finish", from_base_2),)
PITFALLS = (
    Pitfall(sums_in_input_dtype, pieces.load, "many_in_half", "few_in_half"),
    Pitfall(half_in_base_2, pieces.step, "example", "falling", BASE_2),
    Pitfall(rounded_to_tf32, pieces.scores, "fine_in_single", "close_to_a_hundredth"),
    Pitfall(smoothed_tile_by_tile, pieces.scores, "odd", "one_tile_output"),
    Pitfall(queries_rotated_alone, pieces.scores, "odd", "values_one"),
)
