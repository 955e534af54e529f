"""The loops of FlashAttention-2 and 3 with the line in question left open.

All work on the running example, one block of four rows, in float64.
"""

# --8<-- [start:imports]
import math

# --8<-- [start:torch]
import torch

from tilewise.errata.example import O, S, V

# --8<-- [end:torch]
# --8<-- [end:imports]


# --8<-- [start:algorithm_1]
def algorithm_1(rescale):
    """Algorithm 1 for one block of rows: `rescale` gives what line 10 puts before O.

    Key blocks of two, so T_c = 2; o (N, d), l and m (N, 1).
    """
    o, l = torch.zeros_like(O), torch.zeros_like(O[:, :1])  # line 5
    m = torch.full_like(l, -math.inf)
    for j in (0, 2):  # line 6
        s, v = S[:, j : j + 2], V[j : j + 2]  # lines 7 and 8
        m_new = torch.maximum(m, s.amax(1, keepdim=True))  # line 9
        p = torch.exp(s - m_new)
        l = torch.exp(m - m_new) * l + p.sum(1, keepdim=True)
        o = rescale(m, m_new) * o + p @ v  # line 10
        m = m_new
    return o / l  # line 12


def right(m, m_new):
    """e^{m − m'} ≤ 1: the old sum shrinks when the unit grows."""
    return torch.exp(m - m_new)


def as_printed(m, m_new):
    """diag(e^{m − m'})⁻¹, which is ∞ at the first block, where m = −∞."""
    return 1 / torch.exp(m - m_new)


def first_spared(m, m_new):
    """As printed, but with the first block left alone."""
    return torch.where(m == -math.inf, 0, as_printed(m, m_new))
    # --8<-- [end:algorithm_1]


# --8<-- [start:algorithm_2]
def algorithm_2(end, copied=True, divided=True):
    """Algorithm 2 for one block of rows, key blocks of one: `end` is where j stops.

    The scores of block j are made while block j − 1 is multiplied by its values.
    Lines 16 and 20 are as they must be meant; with `copied` or `divided` False, as
    printed: only S is copied, and nothing is divided by ℓ.
    """
    s = S[:, :1]  # line 4
    m, p, l = s, torch.ones_like(s), torch.ones_like(s)  # line 6
    o, p_new = torch.zeros_like(O), p
    for j in range(1, end):  # line 7
        s = S[:, j : j + 1]  # line 9
        o = o + p @ V[j - 1 : j]  # line 11
        m_new = torch.maximum(m, s)  # line 13
        alpha, p_new = torch.exp(m - m_new), torch.exp(s - m_new)
        l, o, m = alpha * l + p_new, alpha * o, m_new  # lines 13, 14
        p = p_new if copied else p  # line 16
    o = o + p_new @ V[-1:]  # line 19
    return o / l if divided else o  # line 20
    # --8<-- [end:algorithm_2]


def algorithm_4(end):
    """Algorithm 4, three stages: scores of j, softmax of j − 1, values of j − 2."""
    m = S[:, :1]  # lines 3, 4
    p, l, alpha = torch.ones_like(m), torch.ones_like(m), torch.ones_like(m)
    o, s = torch.zeros_like(O), S[:, 1:2]  # line 6
    for j in range(2, end):  # line 7
        s_next = S[:, j : j + 1]  # line 9
        o = alpha * o + p @ V[j - 2 : j - 1]  # lines 11, 12
        m, p, l, alpha = softmax_step(m, l, s)  # lines 13, 16
        s = s_next  # line 15
    o = alpha * o + p @ V[-2:-1]  # lines 19, 20
    m, p, l, alpha = softmax_step(m, l, s)  # line 21
    return (alpha * o + p @ V[-1:]) / l  # lines 23 to 25


def softmax_step(m, l, s):
    """m', P̃ and ℓ' after one more column s of scores, and the factor e^{m − m'}."""
    m_new = torch.maximum(m, s)
    alpha, p = torch.exp(m - m_new), torch.exp(s - m_new)
    return m_new, p, alpha * l + p, alpha
