"""Beside speed: memory against N, and shapes that are no whole tiles."""

from functools import partial
from typing import Any

import torch

from tilewise.bench import collect, peers, timing
from tilewise.bench.cells import PASSES, PUBLIC, RESULTS, RUNGS, cell, named

KEPT = (PUBLIC, "flash", "math")  # whose memory is measured
STEP = ("forward", "step")  # a forward pass without gradients; forward and backward
SIZES = ("batch", "heads", "heads_k", "n", "n_k", "d")


def memory(n, d, causal):
    """Rows of the peak memory on top of q, k, v and do, for one cell.

    peak_bytes has the results, result_bytes of them, in it: o, and in a step the three
    gradients. scores_bytes is one N × N matrix a head in 16 bits.
    """
    shape, rows = cell(n, d, causal), []
    scores = 2 * shape["batch"] * shape["heads"] * n * n
    for name in KEPT:
        for part in STEP:
            row = {"kernel": name, "pass": part, **named(shape), "scores_bytes": scores}
            x = collect.problem(shape)
            row["result_bytes"] = x["q"].nbytes * (1 if part == "forward" else 4)
            call = step(name, part, x)
            try:
                for _ in range(5):  # what is allocated once, or noted for later calls
                    call()
                row["peak_bytes"] = peak(call)
            except torch.OutOfMemoryError:
                row["missing"] = "out of memory"
            del x, call
            torch.cuda.empty_cache()
            rows.append(row)
    return rows


def step(name, part, x):
    """A function of nothing: one forward pass, or a whole training step."""
    way = "forward" if part == "forward" else "backward"
    make = peers.entries(way)[name]
    if name in peers.SDPA:  # whatever it takes
        make = peers.entry(peers.sdpa(peers.SDPA[name], limited=False), way)
    if part != "forward":
        return lambda: make(x)()  # makes o, then the gradients
    run = make(x)

    def forward():
        with torch.no_grad():
            return run()

    return forward


def peak(call):
    """Bytes allocated at the peak of call(), its results included."""
    torch.cuda.synchronize()
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    results = call()
    torch.cuda.synchronize()
    del results
    return torch.cuda.max_memory_allocated() - before


def unaligned(what, shape, after, seconds, only=None):
    """Rows of the two best rungs of each pass: shape's time over that of `after`."""
    inputs, rows = [case(shape), case(after)], []
    sizes = {key: shape[key] for key in SIZES}
    for way in PASSES:
        for name in (n for n in RUNGS[way][-2:] if only is None or n in only):
            row = {"kernel": name, "pass": way, "what": what, "causal": shape["causal"]}
            row |= sizes | {"next": {key: after[key] for key in SIZES}}
            rows.append(row | compared(way, name, inputs, seconds))
    return rows


def case(shape):
    """(input, exact results, what error is allowed) of a shape."""
    x = collect.problem(shape)
    collect.saved(x)
    exact, plain = collect.truth(x)
    return x, exact, {name: collect.ALLOWED * size for name, size in plain.items()}


def compared(way, name, inputs, seconds):
    """Errors on the first input; times on both, in turn, and their ratio."""
    measures, make = {}, peers.rung(name, way)
    errors: dict[str, Any] = {}
    for key, (x, exact, allowed) in zip(("ms", "next_ms"), inputs, strict=True):
        run, verdict = collect.attempt(way, name, x, make, exact, allowed, {})
        if run is None:
            return verdict
        right = partial(correct, way, x, exact, allowed)
        measures[key] = timing.timer(run, right)[0]
        errors = errors or verdict
    read = timing.take_turns(measures, seconds)
    times = {key: timing.summary(read[key])["ms"] for key in measures}
    return errors | times | {"ratio": times["ms"] / times["next_ms"]}


def correct(way, x, exact, allowed, results):
    """Whether the results of a pass are right on the checked heads."""
    named_results = dict(zip(RESULTS[way], results, strict=True))
    return collect.judge(x, named_results, exact, allowed, {})[1] is None
