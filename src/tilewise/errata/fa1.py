"""FlashAttention (T. Dao et al., arXiv 2205.14135v2, June 2022)."""

import torch

from tilewise.errata import square as sq
from tilewise.errata.example import S, V, error, state
from tilewise.errata.registry import register
from tilewise.ledger import block_sizes, flash1_forward, standard_forward

ENTRIES = []
erratum = register(ENTRIES, "FlashAttention, arXiv 2205.14135v2")


@erratum(
    "fa1-proof", "appendix C, proof of Theorem 1, p. 23, third line of O⁽ʲ⁺¹⁾",
    printed="P V = diag(ℓ) exp(S − m) V", right="P V = diag(ℓ)⁻¹ exp(S − m) V",
    reported=(273, 301, 439, 627), mended="not mended: v2 of 2022 is the newest",
    test="put numbers into two successive lines of the proof",
)
def proof():
    (m_1, l_1, _), (m, l, _) = state(S[:, :2], V[:2]), state(S, V)
    sums = torch.exp(S[:, :2] - m_1) @ V[:2]  # exp(S − m) V of the first block
    pv = torch.exp(S[:, 2:] - m) @ V[2:]
    return tuple(
        error((l_1 * torch.exp(m_1 - m) * x * sums + pv) / l) for x in (l_1, 1 / l_1)
    )


@erratum(
    "fa1-columns", "appendix B.1: q, k, v and o are called columns of Q, K, V, O",
    printed="o_i = Σ_j P_ij v_j with v_j a column of V", right="v_j a row of V",
    reported=(786, 884), mended="not mended", test="N ≠ d: V has d columns, P has N",
)
def columns():
    printed = sum(sq.P[:, j, None] * sq.V[:, j] for j in range(len(sq.K)))
    right = sum(sq.P[:, j, None] * sq.V[j] for j in range(len(sq.K)))
    return error(printed, sq.O), error(right, sq.O)


def moved(n, d, sram):
    """Elements through HBM of Algorithm 1 with the block sizes of its line 1."""
    bill = flash1_forward(n, d, *block_sizes(sram, d))
    return bill["reads"] + bill["writes"]


def times_standard(n, d, sram):
    """The traffic of Algorithm 1 in units of standard attention's."""
    bill = standard_forward(n, d)
    return moved(n, d, sram) / (bill["reads"] + bill["writes"])


@erratum(
    "fa1-fewer", "abstract and section 3.2", unit="of standard attention's traffic",
    printed="fewer HBM accesses", right="fewer where M > 3d² elements, about",
    test="count both for M = 100 KB in fp32, d = 128", mended="not mended",
)
def fewer():
    return times_standard(4096, 128, 25_600), times_standard(4096, 64, 25_600)


@erratum(
    "fa1-sub-quadratic", "section 3.1, twice", unit="times the traffic for twice N",
    printed="sub-quadratic HBM accesses", right="Θ(N²d²/M): quadratic in N for fixed M",
    test="double N and count again", mended="not mended",
)
def sub_quadratic():
    n, d, sram = 2**16, 64, 2**16
    return moved(2 * n, d, sram) / moved(n, d, sram), 2**2
