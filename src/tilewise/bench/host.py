"""How long a call keeps the host, and how much of that is PyTorch's autograd."""

import statistics
import time
from functools import partial

import torch

from tilewise.bench import collect, peers
from tilewise.bench.cells import PUBLIC

CALLS, REPEATS = 50, 15
LENGTHS = 10  # new ones a round: for each, cuDNN takes 35 ms to make a plan
SHORT, LAYERS = 256, 8  # the first length; calls in a chain, or over each length


class Empty(torch.autograd.Function):
    """An attention that computes nothing: what autograd takes for itself."""

    @staticmethod
    def forward(ctx, q, k, v):
        ctx.save_for_backward(q, k, v)
        return q.detach()

    @staticmethod
    def backward(ctx, do):
        return ctx.saved_tensors  # dq, dk, dv


HOSTED = {  # whose time is measured
    PUBLIC: peers.public,
    "sdpa": peers.usual,
    "empty": lambda x: Empty.apply,
}


def rows(only=None, now=time.perf_counter):
    """Rows of the time that a call keeps the host, in µs, on a small problem.

    lengths: "same", or "new" at every call, as when a model writes a text. layers: how
    many calls there are over each length, and in a backward pass how many in a chain;
    the time is that of one of them. engine True: all of torch.autograd.grad, handed to
    a thread of its own; False: only what that thread calls, from here.
    """
    rows = []
    for name in (n for n in HOSTED if only is None or n in only):
        for way, grad in (("forward", False), ("forward", True)):
            calls = [forward(name, grad) for _ in range(CALLS)]
            row = {"kernel": name, "pass": way, "grad": grad}
            row |= {"lengths": "same", "layers": 1}
            rows.append(row | middle([calls] * 2 * REPEATS, now))
        for layers, engine in ((1, True), (LAYERS, True), (1, False)):
            calls = [backward(name, layers, engine) for _ in range(CALLS)]
            row = {"kernel": name, "pass": "backward", "grad": True, "engine": engine}
            row |= {"lengths": "same", "layers": layers}
            rows.append(row | middle([calls] * 2 * REPEATS, now, layers))
        for first, layers in ((SHORT, 1), (SHORT + 2 * REPEATS * LENGTHS, LAYERS)):
            row = {"kernel": name, "pass": "forward", "grad": False}
            row |= {"lengths": "new", "layers": layers}
            rows.append(row | middle(growing(name, layers, first), now, layers))
    return rows


def middle(rounds, now, layers=1):
    """{"microseconds": the median over the later half of the rounds}."""
    times = [busy(calls, now) / layers for calls in rounds]
    return {"microseconds": statistics.median(times[REPEATS:])}


def forward(name, grad):
    """A function of nothing: one forward pass over (1, 2, SHORT, 64)."""
    x = small(SHORT, SHORT)
    if grad:
        x |= {key: x[key].requires_grad_() for key in "qkv"}
    return partial(under, grad, peers.entry(HOSTED[name], "forward")(x))


def backward(name, layers, engine):
    """A function of nothing: a backward pass through as many layers.

    What a layer makes is the next one's q; k and v are its own.
    """
    x = small(SHORT, SHORT)
    attention, leaves = HOSTED[name](x), [x["q"].requires_grad_()]
    with torch.enable_grad():
        o = leaves[0]
        for _ in range(layers):
            leaves += (x[key].clone().requires_grad_() for key in "kv")
            o = attention(o, *leaves[-2:])
    if engine:
        return partial(torch.autograd.grad, o, leaves, x["do"], retain_graph=True)
    return partial(under, False, partial(alone, o, x["do"]))


def alone(o, do):
    """What autograd calls for o, in C++ or in Python."""
    node = o.grad_fn
    return getattr(node, "apply", node)(do)


def growing(name, layers, shortest):
    """Rounds of calls; each is one row of queries, in all layers, over one key more.

    A length that the process has seen is not new: cuDNN has made a plan for it.
    """
    longest = shortest + 2 * REPEATS * LENGTHS
    caches = [small(1, longest) for _ in range(layers)]
    attention = HOSTED[name](caches[0])
    for first in range(shortest, longest, LENGTHS):
        calls = []
        for n in range(first, first + LENGTHS):
            inputs = [(x["q"], x["k"][:, :, :n], x["v"][:, :, :n]) for x in caches]
            calls.append(partial(under, False, partial(through, attention, inputs)))
        yield calls


def small(n, n_k):
    """Input of (1, 2, n, 64) over n_k keys."""
    shape = {"batch": 1, "heads": 2, "heads_k": 2, "n": n, "n_k": n_k, "d": 64}
    return collect.problem(shape | {"causal": False})


def through(attention, inputs):
    """The attention of each layer."""
    for q, k, v in inputs:
        attention(q, k, v)


def under(grad, run):
    """run() with gradients recorded or not."""
    with torch.set_grad_enabled(grad):
        return run()


def busy(calls, now):
    """Median µs that a call keeps the host; the GPU is not waited for."""
    torch.cuda.synchronize()
    times = []
    for call in calls:
        before = now()
        call()
        times.append(now() - before)
    torch.cuda.synchronize()
    return statistics.median(times) * 1e6
