"""FlashAttention's backward pass as a fold over tiles, with a plain dict for each tile.

`backward` is the scan of `step_backward` over the tiles, and its last state has the
gradients. P_ij is computed again from Q_i, K_j and the saved m_i and ℓ_i, so no N × N
matrix is kept, and the forward pass does not run again.
Source: Algorithm 4 of FlashAttention, arXiv 2205.14135.
"""

import math

from tilewise.one_pass import dot
from tilewise.softmax import weight
from tilewise.trace.grid import check, scores, tiles


def moves_backward(
    order: str, before: tuple | None, here: tuple, after: tuple | None
) -> tuple[list, list]:
    """The names of what tile `here` = (i, j) loads from HBM and stores to HBM.

    With K and V outside, K_j, V_j and the sums dK_j and dV_j stay on the chip, and
    every tile moves dQ_i. With Q outside, everything of block i stays, dQ_i included,
    and every tile moves dK_j and dV_j. A sum that stays on the chip starts as 0.
    """
    loop = 1 if order == "kv-outer" else 0
    first = before is None or before[loop] != here[loop]
    last = after is None or after[loop] != here[loop]
    mine = ["q", "o", "do", "l", "m"]
    if order == "kv-outer":
        load = (["k", "v"] if first else []) + mine + ["dq"]
        return load, ["dq"] + (["dk", "dv"] if last else [])
    load = (mine if first else []) + ["k", "v", "dk", "dv"]
    return load, ["dk", "dv"] + (["dq"] if last else [])


def tiles_backward(
    q: list,
    k: list,
    v: list,
    o: list,
    do: list,
    m: list,
    l: list,
    block_rows: int,
    block_cols: int,
    **options,
):
    """Every tile of trace.tiles, with O_i, dO_i, m_i, ℓ_i and the backward's traffic.

    options are those of trace.tiles: order, scale, causal, window, softcap.
    """
    whole = {"o": o, "do": do, "m": m, "l": l}
    options = options | {"traffic": moves_backward}
    for tile in tiles(q, k, v, block_rows, block_cols, **options):
        r, r_end = tile["rows"]
        yield tile | {name: x[r:r_end] for name, x in whole.items()}


def product(a: list, b: list, scale: float = 1) -> list[list[float]]:
    """scale · a b of two matrices as lists of rows."""
    return [[scale * dot(row, col) for col in zip(*b)] for row in a]


def columns(a: list) -> list[list[float]]:
    """aᵀ."""
    return [list(col) for col in zip(*a)]


def plus(a: list, b: list) -> list[list[float]]:
    """a + b, entry by entry."""
    return [[x + y for x, y in zip(*rows)] for rows in zip(a, b)]


def slope(tile: dict, s: float) -> float:
    """The derivative of softcap's c tanh(x / c) where its value is s; 1 without it."""
    return 1 if tile["softcap"] is None else 1 - (s / tile["softcap"]) ** 2


def step_backward(state: dict, tile: dict, exp=math.exp) -> dict:
    """Algorithm 4, lines 11 to 22: add the part of tile (i, j) to (dQ, dK, dV).

    P_ij = diag(ℓ_i)⁻¹ e^{S_ij − m_i},  dP_ij = dO_i V_jᵀ,  δ_i = rowsum(dO_i ∘ O_i),
    dS_ij = P_ij ∘ (dP_ij − δ_i),
    dV_j += P_ijᵀ dO_i,  dQ_i += τ dS_ij K_j,  dK_j += τ dS_ijᵀ Q_i
    With softcap c, dS_ij is also multiplied by 1 − (S_ij / c)².
    """
    q, k, v, do, tau = [tile[x] for x in ("q", "k", "v", "do", "scale")]
    place = {"dq": tile["rows"], "dk": tile["cols"], "dv": tile["cols"]}
    old = {x: state[x][place[x][0] : place[x][1]] for x in place}
    s = scores(tile)  # line 11
    p = [  # line 13; a row that sees no key has ℓ = 0, and weights 0
        [weight(x, m, exp) / l if l else 0 for x in row]
        for row, m, l in zip(s, tile["m"], tile["l"])
    ]
    dp = product(do, columns(v))  # line 17
    delta = [dot(x, y) for x, y in zip(do, tile["o"])]  # line 19
    ds = [
        [x and x * (y - z) * slope(tile, a) for x, y, a in zip(*rows)]  # line 20
        for rows, z in zip(zip(p, dp, s), delta)  # where P is 0, so is dS
    ]
    add = {"dv": product(columns(p), do)}  # line 16
    add = add | {"dq": product(ds, k, tau), "dk": product(columns(ds), q, tau)}
    new = {x: plus(old[x], add[x]) for x in place}  # lines 16, 21 and 22
    local = {"s": s, "p": p, "dp": dp, "delta": delta, "ds": ds}
    for x in ("dv", "dq", "dk"):
        local = local | {x + "_old": old[x], x + "_add": add[x], x + "_new": new[x]}
    whole = {x: state[x][:a] + new[x] + state[x][b:] for x, (a, b) in place.items()}
    return tile | local | whole


def start_backward(q: list, k: list, v: list) -> dict:
    """Algorithm 4, line 5: dQ = 0 (N_q × d), dK = 0 (N_k × d), dV = 0 (N_k × d_v)."""
    named = {"dq": q, "dk": k, "dv": v}
    return {name: [[0] * len(x[0]) for _ in x] for name, x in named.items()}


def backward(
    q: list,
    k: list,
    v: list,
    o: list,
    do: list,
    m: list,
    l: list,
    block_rows: int,
    block_cols: int,
    *,
    order: str = "kv-outer",
    scale: float | None = None,
    causal: bool | str = False,
    window: tuple | None = None,
    softcap: float | None = None,
    exp=math.exp,
):
    """Yield the state after every tile; the last one has `dq`, `dk` and `dv`.

    q is N_q × d, k is N_k × d and v is N_k × d_v. o and do, the gradient that reaches
    O, are N_q × d_v, and m and l have N_q numbers. o, m and l come from trace.forward
    with the same scale, causal, window, softcap and exp; block sizes and order may
    differ from there. m and l contain the sink, whose gradient is sink_gradient's.
    With scale 1 and exp = 2^x, which means τ = ln 2, S and m are in units of τ. So are
    dQ and dK, whose formulas have one factor τ; P, dP, δ, dS and dV are plain numbers.
    Raises ValueError, before the first step, if sizes or names do not fit.
    """
    check(q, k, v, block_rows, block_cols, order, causal, window, softcap)
    check_backward(q, v, {"o": o, "do": do}, {"m": m, "l": l})
    how: dict = {"order": order, "scale": scale, "causal": causal}
    how = how | {"window": window, "softcap": softcap}
    grid = tiles_backward(q, k, v, o, do, m, l, block_rows, block_cols, **how)
    return scan_backward(grid, start_backward(q, k, v), exp)


def scan_backward(grid, state: dict, exp=math.exp):
    """The fold of `step_backward` over the tiles, which yields every state."""
    for tile in grid:
        state = step_backward(state, tile, exp)
        yield state


def sink_gradient(
    sink: float, o: list, do: list, m: list, l: list, exp=math.exp
) -> float:
    """The gradient of a sink, −Σ_r p_r δ_r with p_r = e^{sink − m_r} / ℓ_r.

    o, do (N_q × d_v), m and l (N_q) are as in `backward`, and m and l contain the sink.
    p is its weight in each row. Its value is zeros, so that dP = 0 in dS = P (dP − δ).
    """
    rows = zip(o, do, m, l)
    return -sum([weight(sink, m_r, exp) / l_r * dot(x, y) for x, y, m_r, l_r in rows])


def check_backward(q: list, v: list, matrices: dict, vectors: dict) -> None:
    """Raise ValueError with one sentence that says what does not fit."""
    n, d_v = len(q), len(v[0])
    for name, x in sorted(matrices.items()):
        if len(x) != n or any(len(row) != d_v for row in x):
            raise ValueError(f"{name} must have the shape of the output, {n} × {d_v}")
    for name, x in sorted(vectors.items()):
        if len(x) != n:
            raise ValueError(f"{name} has {len(x)} numbers, not {n}, one for each row")
