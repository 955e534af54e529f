"""Measure at what clock the SMs run during attention, at rest before and at work.

    python scripts/measure/hardware/clocks.py

Needs a Hopper GPU. Writes benchmarks/results/<gpu>-<date>-clocks.json.
"""

import statistics
import sys
import tempfile
import threading
import time
from functools import partial
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # scripts
from measure.shared.results import write
from measure.variants._variants import BACKWARD, changed, check, load

from tilewise.kernels import gluon_backward, gluon_forward

METHOD = """One layer of bf16 attention, 16 heads, normally distributed input. The Gluon
kernels' text with two stamps a program, where its work begins and where it ends:
%clock64, the cycle counter of the SM, and %globaltimer, in nanoseconds. sm_mhz: cycles
over time, both summed over the programs of a call's last main launch; longest: the time
of its longest program over the mean. rested: one call after 0.5 s without work, medians
of 7. at work: calls one after the other for 1.5 s, and the last of them; ms, of a whole
call, is the mean over the last 0.5 s, as are watts and nvml_mhz, which NVML was asked
for every 50 ms."""
N, HEADS, D, PROGRAMS = 16_384, 16, 128, 132
READ = '"mov.u64 $0, %clock64; mov.u64 $1, %globaltimer;", "=l,=l", []'
STAMP = f'''
@gluon.jit
def stamp(times, end):
    """The SM's cycles and the nanoseconds, now, where a program begins or ends."""
    kinds: gl.constexpr = (gl.int64, gl.int64)
    cycles, ns = gl.inline_asm_elementwise({READ}, kinds, False, 1)
    at = times + 4 * gl.program_id(0) + 2 * end
    gl.store(at, cycles)
    gl.store(at + 1, ns)

'''
BEGIN, END = "    stamp(TIMES, 0)\n", "    stamp(TIMES, 1)\n"
CHANGES = {
    "forward": [
        ("# --8<-- [start:produce]\n", STAMP),
        ("    Q, K, V, O, LSE, n_q", "    Q, K, V, O, LSE, TIMES, n_q"),
        ("describe(o, 64, dims), lse, n_q", "describe(o, 64, dims), lse, TIMES, n_q"),
        ("    one = (Consumer", BEGIN + "    one = (Consumer"),
        ("\n\ndef choose(", END + "\n\ndef choose("),
    ],
    "backward": [
        ("# --8<-- [start:reduce]\n", STAMP),
        ("SUMS, TURNS, FIRST", "SUMS, TIMES, TURNS, FIRST"),
        ("  sums, turns, head", "  sums, TIMES, turns, head"),
        ("    gl.warp_specialize(\n", BEGIN + "    gl.warp_specialize(\n"),
        ("\n\ndef backward(", END + "\n\ndef backward("),
    ],
}
FILES = {"forward": ("gluon_forward",), "backward": BACKWARD}


def called(call, times):
    """Milliseconds of a call, of so many in a row."""
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    for _ in range(times):
        call()
    end.record()
    end.synchronize()
    return start.elapsed_time(end) / times


def stamps(times):
    """sm_mhz and longest, by what the programs left of the last launch."""
    begin, end = times.view(PROGRAMS, 2, 2).double().unbind(1)
    cycles, ns = (end - begin).unbind(1)
    longest = (ns.max() / ns.mean()).item()
    return {"sm_mhz": (1e3 * cycles.sum() / ns.sum()).item(), "longest": longest}


def rested(call, times):
    """A single call on a card that had nothing to do."""
    rows = []
    for _ in range(7):
        time.sleep(0.5)
        called(call, 1)
        rows.append(stamps(times))
    return {key: statistics.median(row[key] for row in rows) for key in rows[0]}


def at_work(call, times):
    """Calls on a card that has been at work, and what the driver says meanwhile."""
    many = max(1, round(500 / called(call, 3)))
    called(call, 2 * many)
    said, done = [], threading.Event()

    def ask():
        while not done.wait(0.05):
            said.append((torch.cuda.power_draw() / 1e3, torch.cuda.clock_rate()))

    asking = threading.Thread(target=ask)
    asking.start()
    ms = called(call, many)
    done.set()
    asking.join()
    watts, nvml = map(statistics.mean, zip(*said, strict=True))
    return {"ms": ms} | stamps(times) | {"watts": watts, "nvml_mhz": nvml}


def rows(modules):
    """What is measured: both passes, full and causal, in both states."""
    for causal in (False, True):
        q, k, v, do = (
            torch.randn(1, HEADS, N, D, device="cuda").bfloat16() for _ in range(4)
        )
        o, lse = gluon_forward.forward(q, k, v, causal=causal)
        given = {"forward": (q, k, v), "backward": (q, k, v, o, do, lse)}
        plain = {"forward": gluon_forward.forward, "backward": gluon_backward.backward}
        for way, x in given.items():
            call = partial(getattr(modules[way], way), *x, causal=causal)
            check(way, call(), plain[way](*x, causal=causal))
            cell = {"pass": way, "n": N, "d": D, "causal": causal}
            for state in (rested, at_work):
                said = state(call, modules[way].TIMES)
                row = cell | {"state": state.__name__.replace("_", " ")} | said
                print(row, flush=True)
                yield row


def main():
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as folder:
        modules = {}
        for way, changes in CHANGES.items():
            text = changed("clocks", FILES[way], changes)
            modules[way] = load(f"clocks_{way}", text, folder)
            times = torch.zeros(4 * PROGRAMS, dtype=torch.int64, device="cuda")
            modules[way].TIMES = times
        write("clocks", METHOD, {"rows": list(rows(modules))})


if __name__ == "__main__":
    main()
