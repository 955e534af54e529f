"""How long a call takes on the GPU: CUDA graphs, rounds in turn, medians.

A graph of several calls is replayed twice and the second time is taken between CUDA
events, so that no cost of the host counts and the clock is what this kernel's own power
makes it. The kernels take turns, in another order every round, so that what drifts
drifts for all. Slow kernels stop after a few rounds.
"""

import random
import statistics
import time
from typing import Any

import torch

BURST = 10.0  # ms that one replay should last
LONG = 25.0  # ms from which a call needs no graph: the host is far ahead
LEAST, MOST = 3, 30  # rounds
CALLS = 64  # at most in one graph


def timer(run, right, *, graph=True, flush=None, power=dict):
    """(measure, how) for run(): measure() is {"ms": of one call, …}, how a dict.

    right(results) says whether what the graph computes is right; if not, plain calls
    are timed. flush: None, or a function that empties the L2; then a replay is one call
    and is preceded by it. power: read while the GPU works. A current stream that is not
    the default one is needed for the graph.
    """
    run()
    once = between(run)
    calls = 1 if flush else max(1, min(CALLS, round(BURST / max(once, 1e-3))))
    replay = capture(run, calls, right) if graph and once < LONG else None
    one_by_one = repeated(run, calls)

    def measure():
        """Holds run by one_by_one, and so the tensors that a graph reads."""
        burst = replay or one_by_one
        burst()
        if flush:
            flush()
        return between(burst, calls, power, {})

    return measure, {"calls": calls, "graph": replay is not None}


def repeated(run, calls):
    """run, called so many times."""

    def replay():
        for _ in range(calls):
            run()

    return replay


def capture(run, calls, right):
    """The replay of a graph of so many calls, or None where none is made that is right.

    What the last call wrote is filled with NaN, and must be right after a replay.
    """
    graph = torch.cuda.CUDAGraph()
    torch.cuda.synchronize()
    torch.cuda.empty_cache()  # a graph's memory is its own and cannot come from there
    try:
        graph.capture_begin()
        try:
            for _ in range(calls):
                results = run()
        finally:
            graph.capture_end()
    except torch.OutOfMemoryError:
        raise
    except RuntimeError:  # something in it waits for the host
        return None
    for tensor in results:
        tensor.fill_(torch.nan)
    graph.replay()
    return graph.replay if right(results) else None


def between(replay, calls=1, power=None, extra=None):
    """ms of one call between two events; with extra, a dict that has power()'s too."""
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    replay()
    end.record()
    reading = power() if power else {}  # the GPU is at work
    end.synchronize()
    ms = start.elapsed_time(end) / calls
    return ms if extra is None else {"ms": ms} | reading


def take_turns(measures, seconds, *, now=time.perf_counter, seed=0):
    """{name: [readings]} of measures {name: measure}, in rounds, in changing order.

    Each has the same share of the seconds; all have LEAST rounds and at most MOST.
    """
    shuffle, share = random.Random(seed).shuffle, seconds / max(1, len(measures))
    readings: dict[str, list[Any]] = {name: [] for name in measures}
    spent = dict.fromkeys(measures, 0.0)
    for turn in range(MOST):
        names = [n for n in measures if turn < LEAST or spent[n] < share]
        shuffle(names)
        for name in names:
            before = now()
            readings[name].append(measures[name]())
            spent[name] += now() - before
    return readings


def summary(readings):
    """Median, least and most ms, rounds, and medians of whatever else was read."""
    times = [reading["ms"] for reading in readings]
    out = {"ms": statistics.median(times), "min": min(times), "max": max(times)}
    out["rounds"] = len(times)
    for key in readings[0].keys() - {"ms"}:
        out[key] = statistics.median(reading[key] for reading in readings)
    return out


def power_and_clock():
    """A function that reads W and the SMs' MHz, or nothing where NVML is not there."""
    try:
        torch.cuda.power_draw(), torch.cuda.clock_rate()
    except (ImportError, RuntimeError, OSError):
        return dict
    return lambda: {
        "watts": torch.cuda.power_draw() / 1e3,
        "sm_clock_mhz": torch.cuda.clock_rate(),
    }


def flusher():
    """A function that empties the L2 by reading 512 MiB."""
    full = torch.ones(2**27, device="cuda")
    return lambda: full.sum()
