"""What each method moves between HBM and the chip on one input, tensor by tensor.

The machine shows it as three bars beside each other. Those of the two loop orders are
counted over the tiles of `tilewise.trace`; the third is Algorithm 0 (forward) or
Algorithm 3 (backward) of FlashAttention, arXiv 2205.14135, which `ledger` has as sums.
"""

from tilewise.trace import moves, moves_backward, tiles

WHY = {  # what a method moves more often than once: the reason for its sum
    "forward": {"standard": "sp", "kv-outer": "olm", "q-outer": "kv"},
    "backward": {"standard": ("p", "dp", "ds"), "kv-outer": ("dq",)},
}
WHY["backward"]["q-outer"] = ("dk", "dv")


def counts(way, matrices, blocks, mask):
    """{method: {"all": elements, "why": those of WHY, "parts": [[name, elements]]}}."""
    parts = {"standard": standard(way, *matrices)}
    for order in ("kv-outer", "q-outer"):
        parts[order] = flash(way, order, matrices, blocks, mask)
    made = {}
    for method, part in parts.items():
        why = sum([n for name, n in part if name in WHY[way][method]])
        every = sum([n for _, n in part])
        made[method] = {"all": every, "why": why, "parts": part}
    return made


def standard(way, q, k, v, _):
    """Every matrix as often as a line of the algorithm reads or writes it."""
    n, n_k, d, d_v = len(q), len(k), len(q[0]), len(v[0])
    q, k, v, o, s = n * d, n_k * d, n_k * d_v, n * d_v, n * n_k
    if way == "forward":
        return [["q", q], ["k", k], ["v", v], ["o", o], ["s", 2 * s], ["p", 2 * s]]
    part = [["q", q], ["k", k], ["v", v], ["do", 2 * o], ["dq", q], ["dk", k]]
    return part + [["dv", v], ["p", 2 * s], ["dp", 2 * s], ["ds", 3 * s]]


def flash(way, order, matrices, blocks, mask):
    """What the tiles load and store, and the start values; zeros are left out."""
    q, k, v, _ = matrices
    d, d_v = len(q[0]), len(v[0])
    wide = {"q": d, "k": d, "v": d_v, "o": d_v, "do": d_v, "l": 1, "m": 1, "lse": 1}
    wide = wide | {"dq": d, "dk": d, "dv": d_v}
    by_key, total = ("k", "v", "dk", "dv"), dict.fromkeys(wide, 0)
    traffic = moves if way == "forward" else moves_backward
    for tile in tiles(q, k, v, *blocks, order=order, traffic=traffic, **mask):
        for name in tile["load"] + stored(way, order, tile):
            first, end = tile["cols" if name in by_key else "rows"]
            total[name] += wide[name] * (end - first)
    for name in started(way, order):
        total[name] += wide[name] * (len(k) if name in by_key else len(q))
    names = ("q", "k", "v", "do", "o", "l", "m", "lse", "dq", "dk", "dv")
    return [[x, total[x]] for x in names if total[x]]


def stored(way, order, tile):
    """The names of what a tile stores: with queries outside L in place of ℓ and m."""
    if way == "forward" and order == "q-outer":
        return [x for x in tile["store"] if x == "o"] + ["lse"] * bool(tile["store"])
    return tile["store"]


def started(way, order):
    """The names of the results of which HBM holds start values."""
    if way == "backward":
        return ["dq", "dk", "dv"]
    return ["o", "l", "m"] if order == "kv-outer" else []
