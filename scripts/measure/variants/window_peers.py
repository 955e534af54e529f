"""Measure what a sliding window saves here, in FlexAttention and in FlashAttention-4.

    python scripts/measure/variants/window_peers.py

Writes benchmarks/results/<gpu>-<date>-window-peers.json. FlashAttention-4 takes part
where flash-attn-4 is installed.
"""

import importlib.util
import sys
from functools import partial
from pathlib import Path

import torch
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # scripts
from measure.shared.results import write
from measure.variants._variants import check

from tilewise import kernels
from tilewise.bench.peers import entry
from tilewise.bench.timing import summary, take_turns, timer
from tilewise.ledger.tiles import visits

N, WIDTH, TILE = 16384, 2048, 64
WINDOWS = N, 4096, 2048, 1024, 512, 256, 128  # the first is the causal mask alone
SECONDS = 30  # for all of a head dimension
METHOD = f"""bf16, batch 1, {N} tokens, heads × d = {WIDTH}, causal: each row sees
itself and the window − 1 keys before it. ours: gluon_windows and its backward pass,
which flash_attention takes on Hopper. triton: scores and scores_backward. fa4:
flash_attn_func with window_size. flex: compiled flex_attention with a BlockMask of its
usual size, for some of the windows; backward passes of both by autograd. Outputs and
gradients, also those of a CUDA graph, are compared with triton's first. sinks: ours
with a random sink for each head. tiles: those of {TILE} × {TILE} that hold a pair of
the window, of a head. ms: medians of rounds, in which all of a d take their turn in an
order drawn anew. A CUDA graph of as many calls as take 10 ms is replayed twice, and the
second time is taken, so that no cost of the host counts."""


def rung(name, x, window, sinks=None):
    """{pass: a function of nothing} of a pair of our kernels that takes windows."""
    seen = (window - 1, 0) if window < N else None
    how = {"causal": True, "window": seen, "sinks": sinks}
    forward = getattr(kernels, name).forward
    backward = getattr(kernels, f"{name}_backward").backward
    given = x["q"], x["k"], x["v"]
    o, lse = forward(*given, **how)
    saved = *given, o, x["do"], lse
    return {
        "forward": lambda: forward(*given, **how)[:1],
        "backward": lambda: backward(*saved, **how)[:3],
    }


def peer(attention, x, turned):
    """{pass: a function of nothing} of an attention with gradients."""
    ways = "forward", "backward"
    return {way: entry(lambda _: attention, way, turned)(x) for way in ways}


def fa4(x, window):
    """FlashAttention-4: (batch, N, heads, d)."""
    from flash_attn.cute import flash_attn_func

    how = {"window_size": (window - 1, 0)} if window < N else {}
    return peer(lambda *qkv: flash_attn_func(*qkv, causal=True, **how)[0], x, True)


def flex(x, window):
    """FlexAttention, compiled anew for this window."""
    torch._dynamo.reset()
    made = torch.compile(flex_attention, dynamic=False)
    seen = lambda b, h, i, j: (i >= j) & (i - j < window)  # noqa: E731
    mask = create_block_mask(seen, None, None, N, N, device="cuda")
    return peer(partial(made, block_mask=mask), x, False)


def pairs(x, window):
    """(name, its passes, those whose results it must have) for a window."""
    right = rung("scores", x, window)
    yield "triton", right, right
    yield "ours", rung("gluon_windows", x, window), right
    sinks = torch.randn(x["q"].shape[1], device="cuda")
    with_sinks = rung("gluon_windows", x, window, sinks)
    yield "sinks", with_sinks, rung("scores", x, window, sinks)
    if window in (N, 1024, 256):
        yield "flex", flex(x, window), right
    if importlib.util.find_spec("flash_attn"):
        yield "fa4", fa4(x, window), right


def timed(d):
    """{(pass, name, window): a function that measures it once}."""
    shape, found = (1, WIDTH // d, N, d), {}
    x = {y: torch.randn(shape, device="cuda").bfloat16() for y in ("q", "k", "v", "do")}
    for window in WINDOWS:
        for name, ways, right in pairs(x, window):
            for way, f in ways.items():
                agrees = partial(check, name, right=right[way]())
                agrees(f())
                found[way, name, window], how = timer(
                    f, lambda results, agrees=agrees: agrees(results) is None
                )
                assert how["graph"], (way, name, window)
    return found


def rows():
    """A row {pass, name, window, d, tiles, ms, …} for each."""
    for d in (64, 128):
        for (way, name, window), readings in take_turns(timed(d), SECONDS).items():
            seen = (window - 1, 0) if window < N else None
            tiles = visits(N, N, TILE, TILE, True, window=seen)[2] // TILE**2
            row = {"pass": way, "name": name, "window": window, "d": d, "tiles": tiles}
            yield row | summary(readings)
            print(row, summary(readings), flush=True)


if __name__ == "__main__":
    with torch.cuda.stream(torch.cuda.Stream()):  # a graph needs one of its own
        write("window-peers", METHOD, {"rows": list(rows())})
