"""Note when each role of the Gluon kernels does what, in cycles of the SM's clock.

    python scripts/measure/timeline/timeline.py

Needs a Hopper GPU. Writes benchmarks/results/<gpu>-<date>-timeline.json.
"""

import statistics
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # scripts
from measure.shared.results import write
from measure.timeline import _stamps
from measure.timeline._apart import apart
from measure.variants._variants import check, graph, load, milliseconds

from tilewise import kernels

METHOD = """bf16, no mask, one sequence of N = 4096 and 16 heads. The kernels' text with
stamps: one thread of a role reads %clock at points of a tile and stores it. Every stamp
costs something, so each run has few of them, and slowdown is the time of the stamped
kernel over that of the kernel itself (graphs of 32 calls that take turns, medians of
15). cycles: means over the programs of the first round (one per SM) and the tiles in
the middle of a walk; each is named after the point at its end, and "again" lies between
the last point and the next tile's first, so that they add up to the period of a tile.
strip: one program, in cycles from its first stamp shown. apart: how many cycles lie
between two consumers starting the products of a tile, as a median over programs, for
each tile of the first walk of the forward pass, with turns and without."""
N, HEADS, CALLS, ROUNDS = 4096, 16, 32, 15
PROGRAM = 40  # whose strip is shown
SETS = {
    "forward": [
        (0,),
        (0, 1),
        (0, 2),
        (0, 3),
        (0, 4),
        (0, 5),
        (0, 3, 4),
        (0, 3, 4, 6, 7),
        (0, 1, 2, 3, 4, 6, 7),
        range(8),
    ],
    "backward": [
        (0,),
        (0, 1),
        (0, 2),
        (0, 3),
        (0, 4),
        (0, 5),
        (0, 6),
        (0, 7),
        (0, 8),
        (0, 9),
        (0, 10),
        (0, 3, 4, 5, 8),
        range(11),
    ],
}


def inputs(d):
    """q, k, v and do in bf16."""
    shape = 1, HEADS, N, d
    return [torch.randn(shape, device="cuda").bfloat16() for _ in range(4)]


def slowdown(runs):
    """Median time of the second over that of the first."""
    graphs = [graph(f, CALLS) for f in runs]
    times = [[milliseconds(g, CALLS) for g in graphs] for _ in range(ROUNDS)]
    base, stamped = (statistics.median(x) for x in zip(*times, strict=True))
    return {"base_ms": base, "stamped_ms": stamped, "slowdown": stamped / base}


def since(a, b):
    """Cycles from stamp a to stamp b: the counter has 32 bits."""
    return (b - a) & 0xFFFFFFFF


def intervals(times, names, points, tiles):
    """{name: mean cycles} of a role's tiles (programs, tiles, points) that go on."""
    at = times[:, tiles]
    after = times[:, [t + 1 for t in tiles], points[0]]
    pairs = zip(points, points[1:], strict=False)
    cycles = {names[b]: since(at[..., a], at[..., b]) for a, b in pairs}
    cycles["again"] = since(at[..., points[-1]], after)
    return {k: round(x.double().mean().item(), 1) for k, x in cycles.items()}


def strip(times, roles, tiles):
    """{role: [[tile, cycles at each point]]}; None is a point that a tile has not."""
    first = times[0, tiles[0], 0]

    def cycles(x):
        return int(since(first, x) + 2**31) % 2**32 - 2**31 if x else None

    return {
        name: [[t, *map(cycles, times[r, t])] for t in tiles]
        for r, name in roles.items()
    }


def roles_of(way, d):
    """{number: name} of the roles that leave stamps."""
    roles = {w: f"consumer {w}" for w in range(3 if (way, d) == ("forward", 64) else 2)}
    others = [x for x in _stamps.NAMES[way] if x != "consumer"]
    return roles | {4 - len(others) + i: name for i, name in enumerate(others)}


def result(way, d, module, base, run, points, tiles):
    """What is kept of a run: its slowdown, the cycles of each role, a strip."""
    check("stamps", run(), base())
    kept = {"points": [_stamps.NAMES[way]["consumer"][p] for p in points]}
    kept |= slowdown((base, run))
    module.TIMES.zero_()
    run()
    times = module.TIMES.cpu().long()[:128]
    roles = roles_of(way, d)
    goes_on = [p for p in points if way == "backward" or p < 6]
    kept["cycles"] = {}
    for r, role in roles.items():
        names = _stamps.NAMES[way][role.split()[0]]
        of = goes_on if role[0] == "c" else range(len(names))
        kept["cycles"][role] = intervals(times[:, r], names, of, tiles)
    shown = range(tiles[0] + 20, tiles[0] + 34) if way == "forward" else range(8, 16)
    if len(points) >= 5:
        kept["strip"] = strip(times[PROGRAM], roles, shown)
    return kept


def compiled(way, d, i):
    """Compiles a stamped kernel, so that Triton's cache has it for the next process."""
    text, x = getattr(_stamps, way)(SETS[way][i]), inputs(d)
    saved = x[:3] if way == "forward" else given(x)
    with tempfile.TemporaryDirectory() as folder:
        module = load(f"{way}_{d}_{i}", text, folder)
        module.TIMES = torch.zeros(_stamps.SHAPE, dtype=torch.int32, device="cuda")
        getattr(module, way)(*saved)
        torch.cuda.synchronize()


def compile_all():
    """All stamped kernels, each in a process of its own."""
    cells = [
        (w, d, i) for w, x in SETS.items() for d in (64, 128) for i in range(len(x))
    ]
    with ProcessPoolExecutor(14, mp_context=get_context("spawn")) as pool:
        list(pool.map(compiled, *zip(*cells)))


def given(x):
    """What the backward pass takes, of q, k, v and do."""
    q, k, v, do = x
    o, lse = kernels.gluon_forward.forward(q, k, v)
    return q, k, v, o, do, lse


def passes():
    """{pass: {d: [what is kept of each set of points]}}."""
    results = {"forward": {64: [], 128: []}, "backward": {64: [], 128: []}}
    with tempfile.TemporaryDirectory() as folder:
        for d in (64, 128):
            saved = given(inputs(d))
            taken = {"forward": saved[:3], "backward": saved}
            base = {
                "forward": partial(kernels.gluon_forward.forward, *saved[:3]),
                "backward": partial(kernels.gluon_backward.backward, *saved),
            }
            keys, rows = N // 128, N // (128 if d == 64 else 64)
            tiles = {
                "forward": [t for t in range(keys, 2 * keys - 1) if t % keys > 1],
                "backward": list(range(4, rows - 4)),
            }
            for way, sets in SETS.items():
                for i, points in enumerate(sets):
                    text = getattr(_stamps, way)(points)
                    module = load(f"{way}_{d}_{i}", text, folder)
                    shape = _stamps.SHAPE
                    module.TIMES = torch.zeros(shape, dtype=torch.int32, device="cuda")
                    run = partial(getattr(module, way), *taken[way])
                    one = result(way, d, module, base[way], run, points, tiles[way])
                    results[way][d].append(one)
                    shown = {k: x for k, x in one.items() if k != "strip"}
                    print(way, d, shown, flush=True)
    return results


if __name__ == "__main__":
    compile_all()
    write("timeline", METHOD, {"passes": passes(), "apart": apart(inputs)})
