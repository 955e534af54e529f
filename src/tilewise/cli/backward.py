"""`trace --backward`: the steps of Algorithm 4, and what they are compared with."""

import math

from tilewise import trace
from tilewise.cli.errors import Bad
from tilewise.one_pass import dot

OPTIONS = ("block_rows", "block_cols", "order", "causal", "window", "softcap")


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
    dsink = None
    if problem["sink"] is not None:
        inputs = saved["o"], problem["do"], saved["m"], saved["l"]
        dsink = trace.sink_gradient(problem["sink"], *inputs, exp=how[1])
    truth = gradients(problem, how)
    gap = max(
        abs(a - b)
        for name, rows in last.items()
        for x, y in zip(rows, truth[name], strict=True)
        for a, b in zip(x, y, strict=True)
    )
    return {"steps": steps, "gap": gap, **last, "dsink": dsink}


def numbers(state):
    """Yield the numbers that a step computed, without the S of masked keys."""
    for name in ("p", "dp", "ds", "dq_new", "dk_new", "dv_new"):
        for row in state[name]:
            yield from row
    yield from state["delta"]


def weights(problem, how):
    """Yield P's row of each query: softmax(S) over the keys that it sees, and the sink.

    A key that it does not see has the weight 0, and the sink's weight is left out.
    """
    (scale, exp), cap, sink = how, problem["softcap"], problem["sink"]
    shape = len(problem["q"]), len(problem["k"])
    low, high = trace.limits(*shape, problem["causal"], problem["window"])
    for r, q in enumerate(problem["q"]):
        s = [scale * dot(q, k) for k in problem["k"]]
        s = s if cap is None else [cap * math.tanh(x / cap) for x in s]
        place = {"low": low, "high": high}
        seen = [x for c, x in enumerate(s) if trace.seen(place, r, c)]
        top = max([*seen, *([] if sink is None else [sink])], default=0)
        total = sum(exp(x - top) for x in seen)
        total += 0 if sink is None else exp(sink - top)
        yield [
            exp(x - top) / total if trace.seen(place, r, c) else 0
            for c, x in enumerate(s)
        ]


def gradients(problem, how):
    """dQ, dK, dV of ordinary attention, one row at a time, by the softmax's Jacobian.

    dS_c = P_c (dP_c − Σ_b P_b dP_b); a row without keys has no part in any of them.
    """
    scale, cap = how[0], problem["softcap"]
    grads = {f"d{x}": [[0] * len(problem[x][0]) for _ in problem[x]] for x in "qkv"}
    rows = zip(problem["q"], problem["do"], weights(problem, how), strict=True)
    for r, (q, do, p) in enumerate(rows):
        dp = [dot(do, v) for v in problem["v"]]
        mean = dot(p, dp)
        for c, (p_c, dp_c) in enumerate(zip(p, dp, strict=True)):
            ds = scale * p_c * (dp_c - mean)
            if cap is not None:
                ds /= math.cosh(scale * dot(q, problem["k"][c]) / cap) ** 2
            add(grads["dq"][r], ds, problem["k"][c])
            add(grads["dk"][c], ds, q)
            add(grads["dv"][c], p_c, do)
    return grads


def add(row, factor, other):
    """row += factor · other, in place."""
    row[:] = [x + factor * y for x, y in zip(row, other, strict=True)]
