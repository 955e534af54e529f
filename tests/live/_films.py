"""Random requests to the stepper, the trace that they mean, and the film played."""

import math
import random

import pytest

from tilewise.live import stepper
from tilewise.trace import backward, forward

SHAPES = [
    (4, 4, 2, 2, 2, 2),
    (5, 7, 3, 2, 2, 3),
    (8, 8, 4, 4, 3, 5),
    (3, 8, 1, 2, 8, 1),
]
SHAPES += [(8, 3, 2, 3, 1, 8), (1, 1, 1, 1, 1, 1)]
PASSES = ("forward", "backward")
RULES = [{}, {"softcap": "1.5", "sink": "0.5"}]
RESULTS = {"forward": ("o", "l", "m"), "backward": ("dq", "dk", "dv")}
NAMES = {"mt": "m_tilde", "pt": "p_tilde", "lt": "l_tilde", "mn": "m_new"}
NAMES |= {"ln": "l_new", "a": "alpha", "b": "beta"}


def over(**names):
    marks = [pytest.mark.parametrize(name, names[name]) for name in names]

    def mark(test):
        for one in marks:
            test = one(test)
        return test

    return mark


def asked(shape, **more):
    """A request with random numbers: (N_q, N_k, d, d_v, B_r, B_c)."""
    n, n_k, d, d_v, block_rows, block_cols = shape
    draw = random.Random(str((shape, more)))

    def some(rows, cols):
        return [
            [round(draw.uniform(-2, 2), 3) for _ in range(cols)] for _ in range(rows)
        ]

    made = {"q": some(n, d), "k": some(n_k, d), "v": some(n_k, d_v)}
    made |= {"do": some(n, d_v), "block_rows": block_rows, "block_cols": block_cols}
    return made | {"scale": "1/√d"} | more


def trace(request):
    """The states of the trace that a film is cut from, computed here once more."""
    mask = stepper.MASKS[request.get("causal", "no")]
    how = {"order": request.get("order", "kv-outer")} | mask
    cap, sink = (request.get(x) for x in ("softcap", "sink"))
    how["softcap"] = float(cap) if cap else None
    blocks = request["block_rows"], request["block_cols"]
    q, k, v = (request[x] for x in "qkv")
    sink = float(sink) if sink else None
    states = list(forward(q, k, v, *blocks, sink=sink, **how))
    if request.get("pass") != "backward":
        return states
    end = states[-1]
    saved = end["o"], request["do"], end["m"], end["l"]
    return list(backward(q, k, v, *saved, *blocks, **how))


def plain(x):
    """What a film holds as the numbers of the trace."""
    if isinstance(x, list):
        return [plain(y) for y in x]
    return -math.inf if x == "-inf" else x


def play(film):
    """(step, SRAM, HBM) after each step, as the page folds them."""
    sram, hbm = {}, dict(film["hbm"])
    for step in film["steps"]:
        for name in step.get("drop", []):
            sram.pop(name, None)
        sram |= step.get("put", {})
        for name, (first, rows) in step.get("hbm", {}).items():
            by_key = name in ("k", "v", "dk", "dv")
            old = hbm[name] or [None] * film["n_k" if by_key else "n"]
            hbm[name] = old[:first] + rows + old[first + len(rows) :]
        yield step, dict(sram), dict(hbm)
