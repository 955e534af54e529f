"""Numbers in the prose of the page on backward kernels: what was tried, and gained."""

from draw.figures import _bench as bench
from draw.figures._plot import results

from tilewise.bench.cells import DIMS, geometric

TOP, CELL = bench.TOP["backward"], (16384, 128, False)
TILE = 64 * 128  # rows and keys of a program's tile at d = 128


def speed(variant, run, **cells):
    """The geometric mean of a variant's speed beside the kernel's, in these cells."""
    wanted = {"variant": variant, **cells}
    rows = results(bench.newest(f"backward-{run}").stem)["rows"]
    chosen = [row for row in rows if wanted.items() <= row.items()]
    return geometric([row["base_ms"] / row["ms"] for row in chosen])


def tried():
    """The bounds, and what came of them."""
    for d in DIMS:
        yield f"no_add_{d}", f"{speed('no_add', 'bounds', d=d):.2f}"
        yield f"main_only_{d}", f"{speed('main_only', 'bounds', d=d):.2f}"
        short = speed("main_only", "bounds", d=d, n=1024)
        yield f"main_only_1k_{d}", f"{short:.2f}"
        yield f"window_{d}", f"{speed('window', 'window', d=d):.3f}"
        yield f"window_1k_{d}", f"{speed('window', 'window', d=d, n=1024):.2f}"
    poll = max(speed("no_pin", "variants", d=d) for d in DIMS)
    yield "poll_percent", f"{100 * poll - 100:.0f}"
    for name in ("early_lse_128", "window_early"):
        yield name, f"{100 * speed(name, 'window', d=128) - 100:.1f}"
    lost = [1 - speed("window_early_soon", "window", d=d) for d in DIMS]
    yield "soon_percent", f"{100 * max(lost):.0f}"


def gains():
    """From rung to rung, and over cuDNN and FlashAttention-4, at each d."""
    rungs = "backward_split", "backward_descriptors", TOP, "fa4"
    names = "sideways", "gluon", "fa4"
    for name, one, other in zip(names, rungs[:3], rungs[1:], strict=True):
        pair = (one, other) if name == "fa4" else (other, one)
        for d in DIMS:
            ratios = bench.ratios("backward", *pair, d)
            yield f"{name}_{d}", f"{geometric(ratios.values()):.2f}"
    cudnn = bench.ratios("backward", TOP, "cudnn").values()
    yield "cudnn", f"{geometric(cudnn):.2f}"
    keys, told = ("pass", "kernel", "n", "d", "causal"), ("backward", TOP, *CELL)
    rows = bench.bench()["rows"]
    (row,) = (x for x in rows if tuple(x[k] for k in keys) == told)
    products = 10 * TILE * 128  # operations of a tile
    cycles = products * 132 * row["sm_clock_mhz"] * 1e6 / row["tflops"] / 1e12
    yield "tflops", f"{row['tflops']:.0f}"
    yield "mhz", f"{row['sm_clock_mhz']:.0f}"
    yield "cycles", f"{round(cycles, -2):.0f}"


def numbers():
    """{name: text} of every number that this page takes."""
    return dict([*tried(), *gains()])
