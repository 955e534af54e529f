"""The tiles of a trace: their order, and what each of them loads, stores and sees."""

import math

from tilewise.checks import (
    check_causal,
    check_choice,
    check_sizes,
    check_softcap,
    check_window,
)
from tilewise.one_pass import dot


def moves(
    order: str, before: tuple | None, here: tuple, after: tuple | None
) -> tuple[list, list]:
    """The names of what tile `here` = (i, j) loads from HBM and stores to HBM.

    With K and V outside, K_j and V_j stay on the chip, and every tile moves O_i, ℓ_i
    and m_i. With Q outside, Q_i, O_i, ℓ_i and m_i stay there until their last tile.
    """
    if order == "kv-outer":
        kept = before is not None and before[1] == here[1]
        return ([] if kept else ["k", "v"]) + ["q", "o", "l", "m"], ["o", "l", "m"]
    kept = before is not None and before[0] == here[0]
    last = after is None or after[0] != here[0]
    return ([] if kept else ["q"]) + ["k", "v"], ["o", "l", "m"] if last else []


def blocks(n: int, size: int) -> list[list[int]]:
    """[first, end) of each block of `size` rows of n; the last may be shorter."""
    return [[first, min(first + size, n)] for first in range(0, n, size)]


def limits(
    n_q: int, n_k: int, causal: bool | str = False, window: tuple | None = None
) -> tuple[int | None, int | None]:
    """(low, high): row r sees keys r + low .. r + high, where None is no limit.

    causal limits high alone. window = (left, right) counts from the bottom-right
    diagonal, r + N_k − N_q, and each of the two may be None.
    """
    check_window(window)
    shift, (left, right) = n_k - n_q, window or (None, None)
    low = None if left is None else shift - left
    high = None if not causal else 0 if causal == "top-left" else shift
    if right is not None:
        high = shift + right if high is None else min(high, shift + right)
    return low, high


def tiles(
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
    traffic=moves,
):
    """Yield every tile (i, j) in loop order: its place, Q_i, K_j, V_j, its traffic.

    If scale is None, it is 1/√d. Row r sees the keys within `limits`, and tiles in
    which no row sees a key are left out. `traffic` says what a tile loads and stores.
    """
    scale = len(q[0]) ** -0.5 if scale is None else scale
    low, high = limits(len(q), len(k), causal, window)
    rows, cols = blocks(len(q), block_rows), blocks(len(k), block_cols)
    pairs: list = [(i, j) for j in range(len(cols)) for i in range(len(rows))]
    if order == "q-outer":
        pairs = [(i, j) for i in range(len(rows)) for j in range(len(cols))]
    if high is not None:  # a tile stays if its last row sees its first key
        pairs = [(i, j) for i, j in pairs if cols[j][0] < rows[i][1] + high]
    if low is not None:  # and if its first row sees its last key
        pairs = [(i, j) for i, j in pairs if rows[i][0] + low < cols[j][1]]
    rule = {"scale": scale, "low": low, "high": high, "softcap": softcap}
    for before, (i, j), after in zip([None] + pairs, pairs, pairs[1:] + [None]):
        load, store = traffic(order, before, (i, j), after)
        place = {"i": i, "j": j, "rows": rows[i], "cols": cols[j]}
        (r, r_end), (c, c_end) = rows[i], cols[j]
        data = {"q": q[r:r_end], "k": k[c:c_end], "v": v[c:c_end]}
        yield place | rule | data | {"load": load, "store": store}


def seen(tile: dict, r: int, c: int) -> bool:
    """Whether row r sees key c, both counted in the whole sequence."""
    low, high = tile["low"], tile["high"]
    return (low is None or r + low <= c) and (high is None or c <= r + high)


def scores(tile: dict) -> list[list[float]]:
    """S_ij = τ Q_i K_jᵀ, or c tanh(τ Q_i K_jᵀ / c) with softcap c; hidden keys: −∞."""
    scale, cap = tile["scale"], tile["softcap"]
    s = []
    for r, q_r in enumerate(tile["q"], tile["rows"][0]):
        row = [scale * dot(q_r, k_c) for k_c in tile["k"]]
        if cap is not None:
            row = [cap * math.tanh(x / cap) for x in row]
        keys = range(tile["cols"][0], tile["cols"][1])
        s.append([x if seen(tile, r, c) else -math.inf for x, c in zip(row, keys)])
    return s


ORDERS = ("kv-outer", "q-outer")


def check(
    q: list,
    k: list,
    v: list,
    block_rows: int,
    block_cols: int,
    order: str = "kv-outer",
    causal: bool | str = False,
    window: tuple | None = None,
    softcap: float | None = None,
) -> None:
    """Raise ValueError or TypeError with one sentence that says what does not fit."""
    for name, x in (("q", q), ("k", k), ("v", v)):
        if not x or not x[0] or any(len(row) != len(x[0]) for row in x):
            raise ValueError(f"{name} must be a matrix: rows of one length, not empty")
    d, d_k, n_k, n_v = len(q[0]), len(k[0]), len(k), len(v)
    if d != d_k:
        raise ValueError(f"q has d = {d} columns and k has {d_k}; they must agree")
    if n_k != n_v:
        raise ValueError(f"k has {n_k} rows and v has {n_v}; they must agree")
    check_sizes(block_rows=block_rows, block_cols=block_cols)
    check_choice("order", order, ORDERS)
    check_causal(causal)
    check_window(window)
    check_softcap(softcap)
    if window is not None and causal == "top-left":
        raise ValueError("causal must not be 'top-left' beside a window")
