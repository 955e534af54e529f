"""`trace --backward`: the steps of Algorithm 4, and what they are compared with."""

import math

from tilewise import trace
from tilewise.cli.errors import Bad
from tilewise.one_pass import dot

OPTIONS = ("block_rows", "block_cols", "order", "causal")


def states(problem, saved, how):
    """The backward trace of a problem, one state a tile.

    saved has the o, m, l of the forward pass; how is its (scale, exp).
    """
    scale, exp = how
    inputs = {x: problem[x] for x in ("q", "k", "v", "do", *OPTIONS)}
    state = {x: saved[x] for x in ("o", "m", "l")}
    return trace.backward(**inputs, **state, scale=scale, exp=exp)


def ended(states, numbers):
    """(how many states, the last of them); numbers(state) are what a step computed.

    Raises Bad where one of these leaves the range of a float, before any is shown.
    """
    t = 1
    try:
        for state in states:
            if not all(map(math.isfinite, numbers(state))):
                raise OverflowError
            t += 1
    except OverflowError:
        raise Bad("overflow", t=t) from None
    return t - 1, state


def settle(problem, saved, how):
    """How the trace ends: steps, dq, dk, dv, and their gap to ordinary attention's."""
    steps, state = ended(states(problem, saved, how), numbers)
    last = {x: state[x] for x in ("dq", "dk", "dv")}
    truth = gradients(problem, how)
    gap = max(
        abs(a - b)
        for name, rows in last.items()
        for x, y in zip(rows, truth[name], strict=True)
        for a, b in zip(x, y, strict=True)
    )
    return {"steps": steps, "gap": gap, **last}


def numbers(state):
    """Yield the numbers that a step computed, without the S of masked keys."""
    for name in ("p", "dp", "ds", "dq_new", "dk_new", "dv_new"):
        for row in state[name]:
            yield from row
    yield from state["delta"]


def weights(problem, how):
    """Yield P's row of each query, softmax(τ q Kᵀ) over the keys that it sees."""
    (scale, exp), shift = how, len(problem["k"]) - len(problem["q"])
    for r, q in enumerate(problem["q"]):
        seen = max(0, r + shift + 1) if problem["causal"] else len(problem["k"])
        s = [scale * dot(q, k) for k in problem["k"][:seen]]
        exps = [exp(x - max(s)) for x in s]
        yield [x / sum(exps) for x in exps]


def gradients(problem, how):
    """dQ, dK, dV of ordinary attention, one row at a time, by the softmax's Jacobian.

    dS_c = P_c (dP_c − Σ_b P_b dP_b); a row without keys has no part in any of them.
    """
    scale = how[0]
    grads = {f"d{x}": [[0] * len(problem[x][0]) for _ in problem[x]] for x in "qkv"}
    rows = zip(problem["q"], problem["do"], weights(problem, how), strict=True)
    for r, (q, do, p) in enumerate(rows):
        dp = [dot(do, v) for v in problem["v"][: len(p)]]
        mean = dot(p, dp)
        for c, (p_c, dp_c) in enumerate(zip(p, dp, strict=True)):
            ds = scale * p_c * (dp_c - mean)
            add(grads["dq"][r], ds, problem["k"][c])
            add(grads["dk"][c], ds, q)
            add(grads["dv"][c], p_c, do)
    return grads


def add(row, factor, other):
    """row += factor · other, in place."""
    row[:] = [x + factor * y for x, y in zip(row, other, strict=True)]
