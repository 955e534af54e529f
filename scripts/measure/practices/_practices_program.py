"""The parts of practices.py about programs: first calls, clocks, an emptied cache."""

import json
import os
import subprocess
import sys
import tempfile
import time
from functools import partial

import torch
from measure.practices._practices import CUDA, DEVICE, backend, shape
from torch import nn

from tilewise import FlashAttention
from tilewise.bench import collect, peers
from tilewise.bench.cells import flops

CALLS, STEPS = 6, 20


def wait():
    """Wait for the GPU, if there is one."""
    if CUDA:
        torch.cuda.synchronize()


def seconds(call):
    """Seconds until call() has been computed, and until it has returned."""
    wait()
    before = time.perf_counter()
    result = call()
    returned = time.perf_counter() - before
    wait()
    return time.perf_counter() - before, returned, result


def child(name):
    """In a process of its own: print the seconds of the first calls, both passes."""
    x = collect.problem(shape(1024, 128), DEVICE)
    prepare = {"ours": peers.public, "sdpa": peers.usual, "flex": peers.flex}[name]
    rows = []
    attention = prepare(x)
    leaves = [x[key].requires_grad_() for key in ("q", "k", "v")]
    for _ in range(CALLS):
        forward, _, o = seconds(lambda: attention(*leaves))
        backward, *_ = seconds(lambda o=o: torch.autograd.grad(o, leaves, x["do"]))
        rows.append([forward, backward])
    print(json.dumps(rows))


def first_calls():
    """Seconds of the first calls in a new process: nothing kept on disk, then kept."""
    for name in ("ours", "sdpa", "flex") if CUDA else ("ours", "sdpa"):
        with tempfile.TemporaryDirectory() as folder:
            places = {"TRITON_CACHE_DIR": folder, "TORCHINDUCTOR_CACHE_DIR": folder}
            for kept in (False, True):
                command = [sys.executable, __file__, name]
                done = subprocess.run(
                    command, capture_output=True, text=True, env=os.environ | places
                )
                row = {"part": "first_calls", "what": name, "kept_on_disk": kept}
                if done.returncode:
                    yield row | {"failed": done.stderr[-200:]}
                    continue
                row["seconds"] = json.loads(done.stdout.splitlines()[-1])
                print(row["part"], name, kept, row["seconds"][:2])
                yield row


def clocks():
    """What a clock on the host shows for one call, stopped early and stopped late."""
    for n in (1024, 16384):
        sizes = shape(n, 128)
        x = collect.problem(sizes, DEVICE)
        for name, prepare in (("ours", peers.public), ("flash", backend("flash"))):
            attention = prepare(x)
            call = partial(attention, *(x[key] for key in ("q", "k", "v")))
            with torch.no_grad():
                found = [seconds(call) for _ in range(2 * CALLS)][CALLS:]
            waited, returned, _ = min(found, key=lambda row: row[0])
            row = {"part": "clocks", "what": name, "n": x["q"].shape[2], "d": 128}
            row |= {"seconds": waited, "seconds_returned": returned}
            row["tflops"] = flops(sizes, "forward") / waited / 1e12
            row["tflops_returned"] = flops(sizes, "forward") / returned / 1e12
            print(*row.values())
            yield row


class Block(nn.Module):
    """Attention and a feed-forward layer, each added to its input."""

    def __init__(self, width):
        super().__init__()
        options = {"device": DEVICE, "dtype": torch.bfloat16}
        self.attention = FlashAttention(width, width // 128, causal=True, **options)
        wide, narrow = (width, 4 * width), (4 * width, width)
        first, second = (nn.Linear(*sizes, **options) for sizes in (wide, narrow))
        self.rest = nn.Sequential(first, nn.GELU(), second)

    def forward(self, x):
        x = x + self.attention(x)
        return x + self.rest(x)


def steps(emptied, sizes):
    """A row of training steps: ms a step, peaks, the cache emptied as often as said."""
    width, layers = (2048, 8) if CUDA else (256, 2)
    model = nn.Sequential(*(Block(width) for _ in range(layers)))
    found = []
    for number in range(2 * STEPS if CUDA else 2):
        x = torch.randn(*sizes[number % len(sizes)], width, device=DEVICE).bfloat16()
        found.append(seconds(lambda x=x: train(model, x, emptied))[0])
    late = sorted(found[len(found) // 2 :])
    row = {"part": "empty_cache", "what": emptied, "sizes": [*sizes], "layers": layers}
    row |= {
        "ms": 1e3 * late[len(late) // 2],
        "min": 1e3 * late[0],
        "max": 1e3 * late[-1],
    }
    if CUDA:
        row["peak_allocated"] = torch.cuda.max_memory_allocated()
        row["peak_reserved"] = torch.cuda.max_memory_reserved()
        row["retries"] = torch.cuda.memory_stats()["num_alloc_retries"]
    return row


def train(model, x, emptied):
    """Forward and backward, gradients dropped; the cache emptied as often as said."""
    for block in model:
        x = block(x)
        if emptied == "every layer":
            torch.cuda.empty_cache()
    x.square().mean().backward()
    model.zero_grad(set_to_none=True)
    if emptied == "every step":
        torch.cuda.empty_cache()


def empty_cache():
    """Training with one length and with four, the cache never emptied, or often."""
    one = ((4, 4096),) if CUDA else ((1, 64),)
    four = ((4, 4096), (4, 3000), (4, 3600), (4, 2500)) if CUDA else ((1, 64), (1, 48))
    for sizes in (one, four):
        for emptied in ("never", "every step", "every layer"):
            if CUDA:
                torch.cuda.empty_cache()
                torch.cuda.reset_peak_memory_stats()
            row = steps(emptied, sizes)
            print(*row.values())
            yield row


PARTS = (first_calls, clocks, empty_cache)

if __name__ == "__main__":
    child(sys.argv[1])
