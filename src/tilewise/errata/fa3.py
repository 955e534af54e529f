"""FlashAttention-3 (J. Shah et al., arXiv 2407.08608v2, July 2024; NeurIPS 2024)."""

from tilewise.errata import fa2, loops
from tilewise.errata.example import S, error
from tilewise.errata.registry import register

ENTRIES = []
erratum = register(ENTRIES, "FlashAttention-3, arXiv 2407.08608v2")


@erratum(
    "fa3-line-21", "Algorithm 1, line 21", reported=(1303,),
    printed="O ← diag(e^{m_old − m})⁻¹ O + P̃ V", mended="NeurIPS 2024",
    right="O ← diag(e^{m_old − m}) O + P̃ V", unit="NaN rows",
    test="any input: the first block gives ∞ · 0",
)
def line_21():
    return fa2.line_10()  # the same line of the same loop


@erratum(
    "fa3-loop", "Algorithm 2, line 7", printed="for 1 ≤ j < T_c − 1",
    right="for 1 ≤ j < T_c", test="T_c ≥ 2 blocks; count how often each V_j is used",
    mended="not mended",
)
def loop():
    t_c = S.shape[1]
    return error(loops.algorithm_2(t_c - 1)), error(loops.algorithm_2(t_c))


@erratum(
    "fa3-copy", "Algorithm 2, line 16", printed="copy S_next to S_cur",
    right="copy P̃_next to P̃_cur", mended="not mended",
    test="T_c ≥ 3 blocks with different scores; count how often each P̃_j is used",
)
def copy():
    t_c = S.shape[1]
    return error(loops.algorithm_2(t_c, copied=False)), error(loops.algorithm_2(t_c))


@erratum(
    "fa3-epilogue", "Algorithm 2, line 20", printed="rescale O based on m",
    right="rescale O based on ℓ: O ← diag(ℓ)⁻¹ O", mended="not mended",
    test="ℓ ≠ 1, which is any row of two keys or more",
)
def epilogue():
    t_c = S.shape[1]
    return error(loops.algorithm_2(t_c, divided=False)), error(loops.algorithm_2(t_c))


@erratum(
    "fa3-loop-3", "Algorithm 4, line 7", printed="for 2 ≤ j < T_c − 2",
    right="for 2 ≤ j < T_c", test="T_c ≥ 3 blocks; count how often each V_j is used",
    mended="not mended",
)
def loop_3():
    t_c = S.shape[1]
    return error(loops.algorithm_4(t_c - 2)), error(loops.algorithm_4(t_c))
