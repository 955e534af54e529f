"""FlashAttention's forward pass as a fold over tiles, with a plain dict for each tile.

`forward` is the scan of `step` over `tiles`, and its last state has the result.
A matrix is a list of rows. The indices i and j count from 0, those of the paper from 1.
Source: Algorithms 1 and 2 of FlashAttention, arXiv 2205.14135.
"""

import math

from tilewise.one_pass import dot
from tilewise.softmax import weight
from tilewise.trace.grid import check, scores, tiles


# --8<-- [start:step]
def step(state: dict, tile: dict, exp=math.exp) -> dict:
    """Algorithm 1, lines 8 to 13: add tile (i, j) to the state (O, ℓ, m).

    P̃_ij = e^{S_ij − m̃_ij},  m' = max(m, m̃),  ℓ' = α ℓ + β ℓ̃,
    O' = diag(ℓ')⁻¹ (diag(α ℓ) O + diag(β) P̃ V),  α = e^{m − m'},  β = e^{m̃ − m'}
    """
    first, end = tile["rows"]
    o_i, l_i, m_i = [state[x][first:end] for x in ("o", "l", "m")]  # line 8
    s = scores(tile)  # line 9
    m_tilde = [max(row) for row in s]  # line 10
    p_tilde = [[weight(x, m, exp) for x in row] for row, m in zip(s, m_tilde)]
    l_tilde = [sum(row) for row in p_tilde]
    m_new = [max(a, b) for a, b in zip(m_i, m_tilde)]  # line 11
    alpha = [weight(a, b, exp) for a, b in zip(m_i, m_new)]
    beta = [weight(a, b, exp) for a, b in zip(m_tilde, m_new)]
    l_new = [a * x + b * y for a, x, b, y in zip(alpha, l_i, beta, l_tilde)]
    pv = [[dot(p, v_col) for v_col in zip(*tile["v"])] for p in p_tilde]  # line 12
    o_new = [
        [(a * l * x + b * y) / (n or 1) for x, y in zip(o_row, pv_row)]
        for a, l, o_row, b, pv_row, n in zip(alpha, l_i, o_i, beta, pv, l_new)
    ]
    old = {"o_old": o_i, "l_old": l_i, "m_old": m_i}
    local = {"s": s, "m_tilde": m_tilde, "p_tilde": p_tilde, "l_tilde": l_tilde}
    units = {"m_new": m_new, "l_new": l_new, "alpha": alpha, "beta": beta}
    new = {"o": o_new, "l": l_new, "m": m_new}
    whole = {x: state[x][:first] + new[x] + state[x][end:] for x in new}  # line 13
    return tile | old | local | units | {"pv": pv, "o_new": o_new} | whole
    # --8<-- [end:step]


def start(q: list, v: list, sink: float | None = None) -> dict:
    """Algorithm 1, line 2: O = 0 (N × d), ℓ = 0 (N), m = −∞ (N).

    With a sink, one more logit whose value is zeros, ℓ = 1 and m = sink.
    """
    n, d, l, m = len(q), len(v[0]), 0, -math.inf
    if sink is not None:
        l, m = 1, sink
    return {"o": [[0] * d for _ in q], "l": [l] * n, "m": [m] * n}


def forward(
    q: list,
    k: list,
    v: list,
    block_rows: int,
    block_cols: int,
    *,
    order: str = "kv-outer",
    scale: float | None = None,
    causal: bool | str = False,
    window: tuple | None = None,
    softcap: float | None = None,
    sink: float | None = None,
    exp=math.exp,
):
    """Yield the state after every tile; the last one has the result as `o`, `l`, `m`.

    q is N_q × d, k is N_k × d and v is N_k × d_v; the blocks need not divide N.
    order is "kv-outer" (Algorithm 1) or "q-outer". If scale is None, it is 1/√d.
    causal is False, True (bottom-right) or "top-left". window = (left, right) lets row
    r see keys r + N_k − N_q − left .. r + N_k − N_q + right, where None is no limit.
    softcap c makes c tanh(s / c) of each score, and sink is the logit of one more key,
    whose value is zeros. Pass another `exp` to compute in another base, for example
    exactly. Raises ValueError or TypeError, before the first step, if sizes or names
    do not fit.
    """
    check(q, k, v, block_rows, block_cols, order, causal, window, softcap)
    how: dict = {"order": order, "scale": scale, "causal": causal}
    how = how | {"window": window, "softcap": softcap}
    return scan(tiles(q, k, v, block_rows, block_cols, **how), start(q, v, sink), exp)


def scan(grid, state: dict, exp=math.exp):
    """The fold of `step` over the tiles, which yields every state on the way."""
    for tile in grid:
        state = step(state, tile, exp)
        yield state
