"""Time attention over packed documents on this GPU, beside what else can be done.

    python scripts/measure/varlen/varlen.py

Both pairs of kernels on documents of one length, beside the best rung for a batch of
that length; then on a long tail of lengths beside padding, masks and others' kernels.
Everything is checked before it is timed. Writes benchmarks/results/<gpu>-<date>-
varlen.json. A few minutes.
"""

import itertools
import sys
import traceback
from pathlib import Path

import torch
import triton

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # scripts
from measure.shared.results import machine, write
from measure.varlen._packed import EQUAL, TAIL, documents, exact, long_tail, some

from tilewise.bench import timing

METHOD = """bf16, standard normal inputs, 2048 / d heads, fresh ones in every row; each
pass by itself. Checked first, and after every graph: first, last and longest document,
first and last head, against float64: ||x - y|| / ||y|| over these at most twice that of
PyTorch's plain formula in bf16. ms: CUDA graphs of about 10 ms, each replayed twice and
the second time taken between CUDA events; medians of rounds in which all take turns, in
another order each time. What cannot be captured is called plainly: graph false. equal:
16384 rows, all documents n long; fixed is the rung that tilewise.attention.dispatch
picks for a batch of them, in (batch, heads, n, d), and once more with the rows of all
heads side by side, as packed documents have them. ratio: ms of fixed / ms. tail: 32768
rows, lengths log-normal (median 400, sigma of ln 1.2, 16 to 8192, seed 0). padded:
flash_attention of this package on all padded to the longest, padding itself not timed;
sdpa with a mask: scaled_dot_product_attention with N x N bools; flex: FlexAttention
with a block mask, making it not timed; varlen_attn: torch.nn.attention.varlen. speedup:
ms of padded over ms. memory: bytes allocated at most in forward and backward of the
tail, causal, d 128, more than before."""
ROWS, TAIL_ROWS, SECONDS = 16384, 32768, 2.5
LENGTHS = 1024, 4096, 16384
WAYS = {"forward": ("o",), "backward": ("dq", "dk", "dv")}


def distance(found, truth):
    """The largest error over a pass's results; {name: {document: (2, N, d)}} both."""
    worst = []
    for name, parts in found.items():
        both = [(y.double(), truth[name][b]) for b, y in parts.items()]
        if not all(torch.isfinite(y).all() for y, _ in both):
            return torch.inf
        above = sum((y - right).norm() ** 2 for y, right in both)
        worst.append(
            (above / sum(right.norm() ** 2 for _, right in both)).sqrt().item()
        )
    return max(worst)


def parts(results, way, truth, x):
    """What is checked of a pass's results, (total, heads, d) each."""
    named = zip(WAYS[way], results)
    return {name: {b: some(y, x, b) for b in truth[name]} for name, y in named}


def compete(x, way, makers):
    """{name: {ms, …, error}} of all that can do it; stops where a kernel is wrong."""
    truth, plain, measures, found = exact(x), exact(x, x["q"].dtype), {}, {}
    most = 2 * distance({name: plain[name] for name in WAYS[way]}, truth)
    for name, make in makers.items():
        try:
            run, view = make(x, way)
            wrong = distance(parts(view(run()), way, truth, x), truth)
        except (ImportError, RuntimeError, ValueError) as error:
            found[name] = {"failed": f"{type(error).__name__}: {error}"[:300]}
            if "varlen" in name and "attn" not in name:
                traceback.print_exc()
            continue
        if name == "padded" and not x["causal"]:  # rows see the padding
            found[name] = {"wrong": wrong, "allowed": most}
            continue
        if not wrong <= most:
            raise SystemExit(f"wrong: {name} {way} {x['causal']}: {wrong} > {most}")

        def right(results, view=view):
            return distance(parts(view(results), way, truth, x), truth) <= most

        measures[name], how = timing.timer(run, right)
        found[name] = {"error": wrong, "allowed": most} | how
    for name, readings in timing.take_turns(measures, SECONDS).items():
        found[name] |= timing.summary(readings)
    return found


def compare(kind, x, d, way, makers, against):
    """A row of the results, with the speed of each over that of `against`."""
    with torch.no_grad() if way == "forward" else torch.enable_grad():
        found = compete(x, way, makers)
    base = found[against].get("ms")
    for name, entry in found.items():
        if base and "ms" in entry:
            entry["ratio" if kind == "equal" else "speedup"] = base / entry["ms"]
        print(kind, way, d, x["causal"], name, entry.get("ms", entry), flush=True)
    at = {"work": kind, "pass": way, "d": d, "causal": x["causal"]}
    return at | {
        "documents": len(x["lengths"]),
        "longest": max(x["lengths"]),
        "found": found,
    }


def peak(make, x):
    """Bytes allocated at most in a forward and a backward pass, more than before."""
    run, _ = make(x, "forward")
    with torch.no_grad():
        run()
    del run
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    run, _ = make(x, "backward")
    run()
    return torch.cuda.max_memory_allocated() - before


def memory(x):
    """{name: bytes} on the tail; what fails says why."""
    found = {}
    for name, make in TAIL.items():
        try:
            found[name] = peak(make, x)
        except (ImportError, RuntimeError, ValueError) as error:
            found[name] = f"{type(error).__name__}: {error}"[:300]
        torch.cuda.empty_cache()
        print("memory", name, found[name], flush=True)
    return found


def rows():
    """All rows, one after another."""
    kinds = itertools.product((64, 128), (False, True), WAYS)
    for d, causal, way in kinds:
        for n in LENGTHS:
            x = documents([n] * (ROWS // n), 2048 // d, d, causal)
            yield compare("equal", x, d, way, EQUAL, "fixed") | {"n": n}
        if causal or d == 128:
            x = documents(long_tail(TAIL_ROWS), 2048 // d, d, causal)
            yield compare("tail", x, d, way, TAIL, "padded")
        del x
        torch.cuda.empty_cache()


def main():
    """Check and time all, count memory, write."""
    print(machine())
    with torch.cuda.stream(torch.cuda.Stream()):
        found = list(rows())
        room = memory(documents(long_tail(TAIL_ROWS), 16, 128, True))
    results = {"triton": triton.__version__, "lengths": long_tail(TAIL_ROWS)}
    results |= {"rows": found, "memory": room}
    write("varlen", METHOD, results)


if __name__ == "__main__":
    main()
