"""What one rank of scripts/measure/ring/ring.py does: check, time, count memory."""

import datetime
import json
import os
import statistics
import time
from pathlib import Path

import torch
import torch.distributed as dist
from measure.ring._ring_ways import SHAPES, attention, draw

from tilewise import flash_attention
from tilewise.bench import oracle
from tilewise.ledger.ring import at_once
from tilewise.ring.zigzag import unzigzag, zigzag

PEERS = 2**18  # the other ways are timed up to this N


def start(rank, world, folder, asked):
    """Join the others, do what is asked, write found.json (rank 0), leave."""
    os.environ |= {"RANK": str(rank), "WORLD_SIZE": str(world)}
    cuda, more = asked["device"] == "cuda", {}
    if cuda:
        torch.cuda.set_device(rank)
        more = {"device_id": torch.device("cuda", rank)}
    dist.init_process_group(
        "cpu:gloo,cuda:nccl" if cuda else "gloo",
        init_method=f"file://{folder}/meet",
        rank=rank,
        world_size=world,
        timeout=datetime.timedelta(seconds=300),
        **more,
    )
    found = everything(world, asked, torch.device(asked["device"]))
    if rank == 0:
        Path(folder, "found.json").write_text(json.dumps(found), "utf-8")
    dist.barrier()
    dist.destroy_process_group()


def everything(world, asked, device):
    """{"checks": …, "rows": …} of one number of GPUs."""
    checks, rows = [], []
    for shape in asked["shapes"]:
        right = []
        for way in asked["ways"]:
            if world == 1 and way not in ("ring", "torch_allgather"):
                continue
            row = {"world": world, "way": way, "shape": shape}
            checks.append(row | check(way, shape, asked["check"], device))
            say(checks[-1])
            right += [way] if checks[-1].get("right") else []
        todo = [
            (n, way)
            for n in asked["sizes"]
            for way in right
            if way == "ring" or n <= PEERS
        ]
        if "ring" in right and world > 1:  # beyond the sizes that one GPU is timed at
            todo += [(n, "ring") for n in asked["long"]]
        for n, way in todo:
            row = {"world": world, "way": way, "shape": shape, "n": n}
            rows.append(row | timed(way, shape, n, device, asked["seconds"]))
            say(rows[-1])
    return {"checks": checks, "rows": rows}


def say(row):
    if dist.get_rank() == 0:
        print(json.dumps(row), flush=True)


def gathered(x):
    """The whole of all ranks' shares, in the order of the sequence."""
    shares = [torch.empty_like(x) for _ in range(dist.get_world_size())]
    dist.all_gather(shares, x.contiguous())
    return unzigzag(shares)


def check(way, shape, n, device):
    """{"right": whether it is, "error", "allowed", "apart"}, or why it is refused."""
    rank, world = dist.get_rank(), dist.get_world_size()
    whole = draw(shape, n, device, 0)
    q, k, v, do = (zigzag(x, rank, world) for x in whole)
    try:
        with attention(way, n, device) as f:
            made = results(f, q, k, v, do)
    except Exception as error:  # an experimental function, whatever it raises
        return {"refused": str(error).splitlines()[0][:200]}
    found = {name: gathered(x) for name, x in made.items()}
    x = dict(zip(("q", "k", "v", "do"), whole, strict=True))
    truth, plain = oracle.exact(x, True), oracle.exact(x, True, torch.bfloat16)
    errors = oracle.errors(x, found, truth)
    allowed = {name: 2 * oracle.error(plain[name], truth[name]) for name in truth}
    apart = oracle.apart(found, results(single, *whole))
    told = torch.tensor(int(all(errors[name] <= allowed[name] for name in truth)))
    dist.all_reduce(told, dist.ReduceOp.MIN)
    row = {"n": n, "error": errors, "allowed": allowed, "apart": apart}
    return row | {"right": bool(told)}


def single(q, k, v):
    """One GPU with the whole sequence."""
    return flash_attention(q, k, v, causal=True)


def results(f, q, k, v, do):
    """{"o", "dq", "dk", "dv"} of f, by autograd."""
    inputs = [x.detach().requires_grad_() for x in (q, k, v)]
    o = f(*inputs)
    made = o.detach(), *torch.autograd.grad(o, inputs, do)
    return dict(zip(("o", "dq", "dk", "dv"), made, strict=True))


def clock(device):
    """A mark in time: an event on the GPU, or the host's seconds."""
    if device.type == "cpu":
        return time.perf_counter()
    event = torch.cuda.Event(enable_timing=True)
    event.record()
    return event


def run(f, inputs, do, device):
    """[forward, backward] of one run in ms, the slowest rank's."""
    dist.barrier()
    marks = [clock(device)]
    o = f(*inputs)
    marks.append(clock(device))
    torch.autograd.grad(o, inputs, do)
    marks.append(clock(device))
    if device.type == "cuda":
        torch.cuda.synchronize()
        times = [a.elapsed_time(b) for a, b in zip(marks, marks[1:])]
    else:
        times = [1e3 * (b - a) for a, b in zip(marks, marks[1:])]
    slowest = torch.tensor(times)
    dist.all_reduce(slowest, dist.ReduceOp.MAX)
    return slowest.tolist()


def timed(way, shape, n, device, seconds):
    """Times and memory of one row, each rank with a share of its own."""
    rank, world = dist.get_rank(), dist.get_world_size()
    cuda = device.type == "cuda"
    if cuda:
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
    q, k, v, do = draw(shape, n // world, device, 1 + rank)
    inputs = [x.requires_grad_() for x in (q, k, v)]
    row = {"input_bytes": sum(x.numel() * x.element_size() for x in (*inputs, do))}
    if way.startswith("ring") and world > 1:
        row["at_once"] = turns(shape, n // world)
    with attention(way, n, device) as f:
        run(f, inputs, do, device)  # compiles
        first = sum(run(f, inputs, do, device))
        repeats = max(2, min(20, int(1e3 * seconds / first)))
        times = [run(f, inputs, do, device) for _ in range(repeats)]
    if cuda:
        peak = torch.tensor(torch.cuda.max_memory_allocated())
        dist.all_reduce(peak, dist.ReduceOp.MAX)
        row["peak_bytes"] = peak.item()
    return row | summary(times, SHAPES[shape], n)


def turns(shape, share):
    """How many heads of keys go round at once, [forward, backward]."""
    heads, kv_heads, d = SHAPES[shape]
    sizes = share, share, heads, kv_heads, d, d
    return [at_once(*sizes, backward=backward) for backward in (False, True)]


def summary(times, shape, n):
    """Medians of [forward, backward] in ms, and the speed that they mean."""
    heads, _, d = shape
    forward, backward = map(statistics.median, zip(*times, strict=True))
    totals = [sum(x) for x in times]
    ms = statistics.median(totals)
    return {
        "forward_ms": forward,
        "backward_ms": backward,
        "ms": ms,
        "min": min(totals),
        "max": max(totals),
        "repeats": len(times),
        "tflops": 7 * n * (n + 1) * heads * d / ms / 1e9,
    }
