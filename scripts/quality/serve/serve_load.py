"""Measure the attention service under 200 clients for 60 seconds, on this machine.

Writes benchmarks/results/cpu-<date>-serve.json, and exits with status 1 if anything
was wrong. Linux only: the kernel keeps a process's peak of memory.
"""

import argparse
import asyncio
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import time
from collections import Counter
from importlib.metadata import version
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # scripts
from measure.shared.results import ROOT, cpu, write
from quality.serve.serve_clients import ask, client, draw, wrong

from tilewise.serve.limits import LIMITS, MIB

METHOD = """A server process (python -m tilewise serve, defaults) and one process with
all clients share the machine. Each client has eight random attentions of its own (three
in ten as JSON, up to 12 rows; the others as safetensors, up to 160 rows; up to 9 heads
and batch 2, d 48; four dtypes, three kinds of causal, shared heads). It sends one,
waits for the answer, compares it and sends the next. An answer is right when its error
against standard attention in float64 is at most twice that of plain PyTorch in the same
dtype, and four rounding errors; in float64, 32 rounding errors. After 429 a client
waits for Retry-After and up to as long again. seconds: from sending to the last byte of
an answer with status 200, as the clients' process saw it, which is busy itself.
Memory: VmRSS and VmHWM of the server from the kernel. Then the server gets SIGKILL
under load, is started again on the same port and asked, and gets SIGTERM under load."""

SERVICE = ROOT.glob("src/tilewise/serve/*.py")  # another process imports it
EACH = 8  # requests that a client has prepared
PER_THREAD = 512  # MiB that the largest job may need: see bound()
PACKAGES = ("fastapi", "hypercorn", "safetensors")


def start(port=0):
    """(process, port) of a new server that listens."""
    command = [sys.executable, "-m", "tilewise", "serve", "--port", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    line = process.stdout.readline()
    return process, int(line.rsplit(":", 1)[1])


def memory(process, field):
    """VmRSS or VmHWM of a process, in bytes."""
    text = Path(f"/proc/{process.pid}/status").read_text()
    return int(text.split(f"{field}:")[1].split()[0]) * 1024


def bound(begun):
    """The most memory the server may take.

    What it had at first, the bodies and answers held, and for each thread q, k, v, o
    of 2²² numbers in float64, two copies of an answer and ten tiles of 2²² numbers.
    """
    return begun + (LIMITS["memory"] + LIMITS["threads"] * PER_THREAD) * MIB


async def crowd(port, requests, seconds, process=None):
    """(rows of all clients, samples of the server's memory); requests: its own each."""
    rows, samples, until = [], [], time.monotonic() + seconds

    async def sample():
        while process:
            samples.append(memory(process, "VmRSS"))
            await asyncio.sleep(0.5)

    watch = asyncio.ensure_future(sample())
    clients = [(own, random.Random(x)) for x, own in enumerate(requests)]
    await asyncio.gather(*(client(*about, port, until, rows) for about in clients))
    watch.cancel()
    return rows, samples


def summary(rows, seconds):
    """Counts and latencies."""
    counts = Counter(str(row["status"]) for row in rows)
    right = [row["seconds"] for row in rows if row["status"] == 200]
    found = {"requests": len(rows), "by_status": dict(sorted(counts.items()))}
    share = {"per_second": counts["200"] / seconds}
    found |= share | {"share_429": counts["429"] / len(rows)}
    found |= faults(rows) | {"broken": counts["0"]}
    cuts = statistics.quantiles(right, n=1000)
    places = {"p50": 500, "p90": 900, "p99": 990, "p999": 999}
    found["seconds"] = {name: cuts[x - 1] for name, x in places.items()}
    return found | {"slowest": max(right)}


def faults(rows):
    """Wrong answers and 5xx."""
    wrong = [row["wrong"] for row in rows if row.get("wrong")]
    errors = sum(500 <= row["status"] < 600 for row in rows)
    return {"wrong": wrong, "server_errors": errors}


async def right(port):
    """Whether a new connection gets a right answer."""
    stream = await asyncio.open_connection("127.0.0.1", port)
    body, form, exact = draw(random.Random(port))
    status, _, answer = await ask(stream, "POST", "/v1/attention", body, form)
    stream[1].close()
    return status == 200 and wrong(answer, form, exact) is None


async def ended(process, port, requests, how):
    """What clients saw, and the server's exit status, when a signal came under load."""
    crowded = asyncio.ensure_future(crowd(port, requests[:50], 3))
    await asyncio.sleep(1.5)
    begun = time.monotonic()
    process.send_signal(how)
    status = await asyncio.to_thread(process.wait, 60)
    took = time.monotonic() - begun
    rows, _ = await crowded
    done = sum(row["status"] == 200 for row in rows)
    return {"exit_status": status, "seconds": took, "answered": done} | faults(rows)


async def measure(clients, seconds):
    """All results."""
    rng = random.Random(1)
    requests = [[draw(rng) for _ in range(EACH)] for _ in range(clients)]
    process, port = start()
    begun = memory(process, "VmRSS")
    rows, samples = await crowd(port, requests, seconds, process)
    found = summary(rows, seconds)
    found["memory"] = {"at_start": begun, "peak": memory(process, "VmHWM")}
    found["memory"] |= {"after": samples[-1], "bound": bound(begun)}
    found["killed"] = await ended(process, port, requests, signal.SIGKILL)
    process, port = start(port)
    found["right_after_restart"] = await right(port)
    found["terminated"] = await ended(process, port, requests, signal.SIGTERM)
    return found


def sound(found):
    """Whether nothing was wrong."""
    parts = found, found["killed"], found["terminated"]
    clean = not any(x["wrong"] or x["server_errors"] for x in parts)
    within = found["memory"]["peak"] <= found["memory"]["bound"]
    ends = found["terminated"]["exit_status"] == 0 and found["right_after_restart"]
    return clean and within and ends and not found["broken"]


def main():
    """Measure and write the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, default in (("--clients", 200), ("--seconds", 60)):
        parser.add_argument(name, type=int, default=default)
    args = parser.parse_args()
    torch.set_num_threads(1)
    before = os.getloadavg()
    found = asyncio.run(measure(args.clients, args.seconds))
    about = cpu() | {x: version(x) for x in PACKAGES}
    load = {"load_average": {"before": before, "after": os.getloadavg()}}
    load |= {"limits": LIMITS, "clients": args.clients, "duration": args.seconds}
    print(json.dumps(found, indent=1))
    write("serve", METHOD, load | found, about, more=SERVICE)
    sys.exit(not sound(found))


if __name__ == "__main__":
    main()
