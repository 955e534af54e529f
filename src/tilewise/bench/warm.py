"""Compile before anything is timed: each kernel in a process of its own, in parallel.

Triton, Inductor and the CuTe DSL keep what they compiled on disk, where the process
that measures finds it. `python -m tilewise.bench.warm WAY NAME N D CAUSAL` does one.
"""

import os
import subprocess
import sys
import tempfile
import time
from typing import Any

from tilewise.bench.cells import cell

SETTINGS = {
    "FLASH_ATTENTION_CUTE_DSL_CACHE_ENABLED": "1",
    "TORCHINDUCTOR_COMPILE_THREADS": "1",  # the processes are parallel already
}
SMALL = 1024  # whose kernels serve every length, but not FlexAttention's


def jobs(shapes, chosen):
    """(way, name, n, d, causal) of each compilation; chosen has {way: names}."""
    ordered: dict[tuple[object, ...], None] = {}  # a dict keeps the order
    for shape in sorted(shapes, key=lambda s: -s["n"]):
        for way, names in chosen.items():
            for name in names:
                n = shape["n"] if name == "flex" else SMALL
                ordered[way, name, n, shape["d"], shape["causal"]] = None
    slow_first = {"flex": 0, "fa4": 1}
    return sorted(ordered, key=lambda job: slow_first.get(job[1], 2))


def compile_one(way, name, n, d, causal):
    """Run one entry once, on the shape whose kernel is wanted."""
    import torch

    from tilewise.bench import collect, peers

    x = collect.problem(cell(n, d, causal))
    with peers.graded(way):
        peers.entries(way)[name](x)()
    torch.cuda.synchronize()


def run_all(compilations, workers, limit, show=lambda done, total: None):
    """Run the jobs, so many at a time; [(job, what it said last)] of those that failed.

    A process that outlasts the limit, in seconds, is ended: it may hang for ever.
    """
    waiting, failed = list(compilations), []
    running: list[tuple[Any, ...]] = []
    env = SETTINGS | dict(os.environ)
    while waiting or running:
        while waiting and len(running) < workers:
            job = waiting.pop(0)
            output = tempfile.TemporaryFile("w+")
            words = [sys.executable, "-m", "tilewise.bench.warm", *map(str, job)]
            child = subprocess.Popen(words, env=env, stdout=output, stderr=output)
            running.append((job, child, output, time.monotonic() + limit))
        time.sleep(0.05)
        for one in [x for x in running if ended(x)]:
            running.remove(one)
            failed += failure(one)
            show(len(compilations) - len(waiting) - len(running), len(compilations))
    return failed


def ended(one):
    """Whether a job's process has ended, or had to be."""
    _, child, _, until = one
    if child.poll() is None and time.monotonic() > until:
        child.kill()
        child.wait()
    return child.poll() is not None


def failure(one):
    """[(job, the last line it said)] if it failed, else nothing."""
    job, child, output, _ = one
    output.seek(0)
    lines = output.read().strip().splitlines()
    output.close()
    return [(job, lines[-1] if lines else "no word")] if child.returncode else []


if __name__ == "__main__":
    way, name, n, d, causal = sys.argv[1:]
    compile_one(way, name, int(n), int(d), causal == "True")
