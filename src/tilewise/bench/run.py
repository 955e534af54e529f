"""The whole of `bench`, part by part, saved after every cell."""

import itertools
import os

import torch

from tilewise.bench import collect, extras, host, machine, peers, timing, warm
from tilewise.bench.cells import PEERS, PUBLIC, RUNGS, cells, odd

METHOD = """bf16, random normal inputs, drawn afresh for every cell; B N = 16384, H d =
2048. Checked first, on the inputs that are timed: the first and the last head against
float64, in slabs of rows, error at most twice that of plain PyTorch in bf16; all heads
against those of the first kernel that passed, by the same bound; freed memory that the
results may get holds NaN. What fails is not timed. FLOPs: 4 B H N^2 d forward, half of
it if causal, backward 2.5 times that. Times: a CUDA graph of as many calls as take 10
ms is replayed twice and the second time taken between two CUDA events, so the host's
cost is not in it; what the graph computes is checked as before (graph false: plain
calls, for calls of 25 ms and more and for flash_attention, whose host cost counts).
{flush} The kernels of a cell and pass take turns, in another order every round; slow
ones stop after 3 rounds; ms is the median. sm_clock_mhz and watts: NVML, while the
timed replay runs, medians. Clocks and power limit as found. backward: from saved o and
lse; those of PyTorch, FlexAttention and FlashAttention-4 through autograd, in a graph
all the same. flex: torch.compile of this one shape, block mask if causal. fa3 and fa4
get (batch, N, heads, d), their own layout; fa3 is the wheel fa3-fwd, forward only.
memory: allocated at the peak on top of q, k, v and do. unaligned: two shapes in turn,
ratio of medians; next has whole tiles, d = 128, as many key heads as query heads. host:
median over 15 rounds of 50 calls on (1, 2, 256, 64), the GPU not waited for, 15 rounds
before them; lengths new: one row of queries over 256 keys, then over one key more each
time, views of one long K and V; layers: so many calls over each length, each layer with
its own tensors, the time of one of them; sdpa: PyTorch's function, the backend it
picks."""
KEPT_IN_L2 = """The L2 is not emptied between calls: inputs and output of a cell are 268
MB, several times any L2."""
EMPTIED = "A graph has one call, and the L2 is emptied before it by reading 512 MiB."


def about(options, passes):
    """What stands above the rows: where, how, who."""
    described = machine.machine() | machine.packages()
    names = {
        way: {
            "rungs": [x for x in RUNGS[way] if wanted(x, options)],
            "peers": [x for x in PEERS[way] if wanted(x, options)],
        }
        for way in passes
    }
    method = METHOD.format(flush=EMPTIED if options["flush"] else KEPT_IN_L2)
    return {
        "gpu": described["gpu"],
        "date": machine.today(),
        "command": options["command"],
        "commit": machine.commit(),
        "complete": False,
        "finished": [],
        "method": " ".join(method.split()),
        "machine": described,
        "source_sha256": machine.fingerprints(),
        "names": names,
        "rows": [],
        "cells": [],
        "memory": [],
        "unaligned": [],
        "host": [],
    }


def wanted(name, options):
    return options["only"] is None or name in options["only"]


def compiled(shapes, options, show):
    """Compile beforehand; what fails is seen again when it is checked."""
    if options["parts"] == ("host",):
        return
    chosen = {way: [*RUNGS[way], "flex", "fa4"] for way in options["passes"]}
    if "speed" not in options["parts"]:  # memory and odd sizes: the best rungs
        chosen = {way: [*RUNGS[way][-2:]] for way in options["passes"]}
    chosen = {way: [n for n in x if wanted(n, options)] for way, x in chosen.items()}
    os.environ.update({k: v for k, v in warm.SETTINGS.items() if k not in os.environ})
    warm.run_all(warm.jobs(shapes, chosen), os.cpu_count() or 1, 240, show)


def speed(shapes, options, results, step):
    """The rows and cells of every shape and pass, into results."""
    flush = timing.flusher() if options["flush"] else None
    power = timing.power_and_clock()

    def timer(name, run, right):
        how = {"graph": name != PUBLIC, "flush": flush, "power": power}
        return timing.timer(run, right, **how)

    for shape in shapes:
        x = collect.problem(shape)
        collect.saved(x)
        for way in options["passes"]:
            entries = peers.entries(way, options["only"])
            arguments = way, shape, x, entries, timer, options["seconds"]
            with peers.graded(way):
                rows, cell = collect.rows(*arguments, say=options["say"])
            results["rows"] += rows
            results["cells"].append(cell)
            torch.cuda.empty_cache()
            step(f"{way}, N {shape['n']}, d {shape['d']}")


def beside(part, options, results, step):
    """Memory, shapes that are no whole tiles, or the host's time, into results."""
    if part == "memory":
        for shape in cells(options["n"], options["d"], (False,)):
            results[part] += extras.memory(shape["n"], shape["d"], False)
            step(f"memory, N {shape['n']}, d {shape['d']}")
    elif part == "unaligned":
        for what, shape, after in odd():
            arguments = what, shape, after, options["seconds"] / 8
            results[part] += extras.unaligned(*arguments, options["only"])
            torch.cuda.empty_cache()
            step(what)
    else:
        results[part] += host.rows(options["only"])
        step("host")


def run(options, progress=lambda done, total, text: None):
    """Measure everything asked for; return (path, results).

    options: n, d, masks, passes, parts (tuples), only (names or None), seconds (for a
    cell and pass), flush, out, command, say. KeyboardInterrupt leaves what was measured
    in the file, complete false.
    """
    results = about(options, options["passes"])
    path = machine.place(options["out"], results["gpu"], results["date"])
    path.parent.mkdir(parents=True, exist_ok=True)
    machine.keep(path, results, options["parts"])
    shapes = cells(options["n"], options["d"], options["masks"])
    total, done = work(shapes, options), itertools.count(1)

    def step(text):
        machine.save(path, results)
        progress(next(done), total, text)

    compiled(shapes, options, lambda n, of: progress(n, of, "compile"))
    with torch.cuda.stream(torch.cuda.Stream()):  # the default one makes no graphs
        if "speed" in options["parts"]:
            speed(shapes, options, results, step)
            results["finished"].append("speed")
        for part in ("memory", "unaligned", "host"):
            if part in options["parts"]:
                beside(part, options, results, step)
                results["finished"].append(part)
    results["complete"] = machine.complete(results)
    machine.save(path, results)
    return path, results


def work(shapes, options):
    """How many steps there will be."""
    count = len(shapes) * len(options["passes"]) * ("speed" in options["parts"])
    count += ("memory" in options["parts"]) * len(options["n"]) * len(options["d"])
    count += ("unaligned" in options["parts"]) * sum(1 for _ in odd())
    return count + ("host" in options["parts"])
