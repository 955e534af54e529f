"""An attention out of pieces, so that one piece at a time can be a wrong one.

A case is a plain dict: q, k, v (..., N, d), do, and what differs from DEFAULTS. `run`
gives o, lse, dq, dk, dv of a case, whatever the pieces make of it.
"""

import inspect
import math
from functools import partial

import torch

from tilewise.pitfalls import pieces, pieces_backward, pieces_variants
from tilewise.pitfalls.seen import hidden, seen_in


def functions(module):
    """{name: function} of what a module defines itself."""
    members = inspect.getmembers(module, inspect.isfunction)
    return {name: x for name, x in members if x.__module__ == module.__name__}


RIGHT = functions(pieces) | functions(pieces_backward) | functions(pieces_variants)
DEFAULTS = {
    "scale": None,
    "causal": False,
    "window": None,
    "cap": None,
    "slope": None,
    "sink": None,
    "length": None,
    "documents": None,
    "tiles": None,
    "dropout": (0.0, 0),
    "splits": 1,
    "block_rows": 4,
    "block_cols": 4,
    "calls": ({},),
}


def assemble(wrong, right, also=()):
    """The pieces with `wrong` where `right` was, and the forward pass that uses it."""
    use = RIGHT | {"forward": tiled, right.__name__: wrong} | dict(also)
    if right is pieces.weights:  # softmax of whole rows
        use["forward"] = dense
    if right is pieces.update:
        use["step"] = partial(step_by_update, use["update"])
        use["finish"] = finish_normalised
    return use


def step_by_update(update, m, l, o, s, v_j, z):
    """FlashAttention-1: the tile's own state (m̃, ℓ̃, P̃ V), which `update` merges."""
    m_tilde = s.amax(-1, keepdim=True)
    p = pieces.weight(s, m_tilde)
    return update(m, l, o, m_tilde, p.sum(-1, keepdim=True), (p * z) @ v_j)


def finish_normalised(m, l, o):
    """FlashAttention-1: o is divided by ℓ at every tile already."""
    return o, m + l.log()


def inputs(use, case):
    """q, k, v with as many heads, τ, and query heads a key head."""
    q, k, v = (use["load"](case[x]) for x in "qkv")
    group = q.shape[-3] // k.shape[-3] if q.ndim > 2 else 1
    k, v = (use["spread"](x, group) if group > 1 else x for x in (k, v))
    scale = use["scale"](q, k) if case["scale"] is None else case["scale"]
    return q, k, v, scale, group


def dense(use, case, keys):
    """(o, lse, m) with S and P of all rows and keys at once."""
    q, k, v, scale, _ = inputs(use, case)
    n_q, n_k, drop = q.shape[-2], k.shape[-2], case["dropout"]
    rows = torch.arange(n_q)
    seen = seen_in(use, case, rows, keys, keys[0])
    x = use["scores"](q, k[..., keys, :], scale)
    s = hidden(use, case, x, seen, rows, keys)
    if case["cap"] is not None or case["slope"] is not None:
        x = s.masked_fill(~seen, 0)  # softmax masks it again
    lse = s.logsumexp(-1, keepdim=True)
    kept = use["keep"](*drop, n_q, n_k)(rows, keys)
    z = use["factor"](kept, drop[0]) if drop[0] else 1
    o = (use["weights"](x, seen) * z) @ v[..., keys, :]
    if case["sink"] is not None:
        all_of_it = lse.exp() + math.exp(case["sink"])
        o, lse = o * lse.exp() / all_of_it, all_of_it.log()
    return o, lse, s.amax(-1, keepdim=True)


def tiled(use, case, keys):
    """(o, lse, m) in FlashAttention-2's order, over the keys with these indices."""
    q, k, v, scale, _ = inputs(use, case)
    n_q, n_k = q.shape[-2], k.shape[-2]
    drop, block_rows, first = (*case["dropout"], n_q, n_k), case["block_rows"], keys[0]
    k, v = use["pad"](k[..., keys, :], v[..., keys, :], case["block_cols"])
    kept, o = use["keep"](*drop), use["buffer"](q, v.shape[-1])
    lse, m_all = (q.new_empty(*q.shape[:-1], 1) for _ in range(2))
    key_blocks = use["blocks"](k.shape[-2], case["block_cols"])
    for rows in torch.arange(n_q).split(block_rows):
        at = slice(rows[0], rows[-1] + 1)
        tiles = key_blocks
        if case["causal"]:
            tiles = use["visit"](key_blocks, rows, block_rows, n_k - n_q - first)
        m, l, state = use["start"](o.new_zeros(o[..., at, :].shape))
        for t, cols in enumerate(tiles):
            if case["sink"] is not None and use["sink_tiles"](t):
                m, l, state = use["merge_sink"](m, l, state, case["sink"])
            seen = seen_in(use, case, rows, cols + first, first)
            z = use["factor"](kept(rows, cols + first), drop[0]) if drop[0] else 1
            s = use["scores"](q[..., at, :], k[..., cols, :], scale)
            v_j = use["values"](v, rows, cols)
            s = hidden(use, case, s, seen, rows, cols + first)
            m, l, state = use["step"](m, l, state, s, v_j, z)
        o[..., at, :], lse[..., at, :] = use["finish"](m, l, state)
        m_all[..., at, :] = m
    return o, lse, m_all


def attend(use, case):
    """(o, lse, m): one forward pass, or several over parts of the keys, merged."""
    parts = torch.arange(case["k"].shape[-2]).tensor_split(case["splits"])
    states = [use["forward"](use, case, part) for part in parts]
    if len(parts) == 1:
        return states[0]
    o, lse, m = (torch.stack(x) for x in zip(*states))
    return *use["merge"](o, lse), m.amax(0)


def tile_pairs(use, case, n_q, n_k):
    """(rows, cols) of every tile, keys outside, as the backward pass goes."""
    for cols in use["blocks"](n_k, case["block_cols"]):
        for rows in torch.arange(n_q).split(case["block_rows"]):
            yield rows, cols


def by_column(use, listed):
    """The list of tiles as a backward pass with keys outside goes through it."""
    return listed and (use["by_column"](listed[0]).mT, listed[1])


def backward(use, case, o, lse, m):
    """dq, dk, dv from what the forward pass saved, keys outside."""
    q, k, v, scale, group = inputs(use, case)
    do, o = (use["load"](x) for x in (case["do"], o))
    sizes = q.shape[-2], k.shape[-2]
    kept = use["keep"](*case["dropout"], *sizes)
    dq, dk, dv = (torch.zeros_like(x) for x in (q, k, v))
    case = case | {"tiles": by_column(use, case["tiles"])}
    for rows, cols in tile_pairs(use, case, *sizes):
        seen = use["seen_again"](seen_in(use, case, rows, cols))
        p_drop = case["dropout"][0]
        z = use["factor"](kept(rows, cols), p_drop) if p_drop else 1
        q_i, o_i, do_i, lse_i, m_i = (x[..., rows, :] for x in (q, o, do, lse, m))
        k_j, v_j = (x[..., cols, :] for x in (k, v))
        x = use["scores"](q_i, k_j, scale)
        s = hidden(use, case, x, seen, rows, cols)
        p, delta = use["again"](s, lse_i, m_i), use["delta"](do_i, o_i)
        parts = use["gradients"](p, z, q_i, do_i, delta, k_j, v_j, scale)
        if case["cap"] is not None:  # dS = P ∘ (dP − δ), so P may take the slope
            p = p * use["slope"](pieces_variants.softcap(x, case["cap"]), case["cap"])
            capped = use["gradients"](p, z, q_i, do_i, delta, k_j, v_j, scale)
            parts = *capped[:2], parts[2]
        for total, at, part in zip((dq, dk, dv), (rows, cols, cols), parts):
            use["add"](total, at, part)
    if group > 1:
        dk, dv = (use["gather"](x, group) for x in (dk, dv))
    return dq, dk, dv


def once(use, case):
    """One call, forward and backward."""
    o, lse, m = attend(use, case)
    grads = backward(use, case, o, lse, m)
    kept = o if o.dtype == case["q"].dtype else o.to(case["q"].dtype)
    return {"o": kept, "lse": lse, **dict(zip(("dq", "dk", "dv"), grads))}


def run(use, case):
    """What the assembled attention gives: o, lse, dq, dk, dv, stacked over the calls.

    A case with `result` and `expected` asks for the verdict of a comparison instead, as
    o: 1 where it says that they agree.
    """
    case = DEFAULTS | {
        name: x.clone() if isinstance(x, torch.Tensor) else x
        for name, x in case.items()
    }
    if "result" in case:
        verdict = use["agree"](case["result"], case["expected"], case["tolerance"])
        return {"o": torch.tensor(float(verdict))}
    results = [once(use, case | call) for call in case["calls"]]
    return {name: torch.stack([x[name] for x in results]) for name in results[0]}
