"""Measure what a sliding window saves here, in FlexAttention and in FlashAttention-4.

    python scripts/measure/variants/window_peers.py

Writes benchmarks/results/<gpu>-<date>-window-peers.json. FlashAttention-4 takes part
where flash-attn-4 is installed.
"""

import importlib.util
import random
import statistics
import sys
from functools import partial
from pathlib import Path

import torch
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # scripts
from measure.shared.results import write
from measure.variants._variants import check, milliseconds
from measure.variants.block_masks import CALLS, Calls

from tilewise import kernels
from tilewise.bench.peers import entry
from tilewise.ledger.tiles import visits

N, WIDTH, TILE = 16384, 2048, 64
WINDOWS = N, 4096, 2048, 1024, 512, 256  # the first is the causal mask alone
METHOD = f"""bf16, batch 1, {N} tokens, heads × d = {WIDTH}, causal: each row sees
itself and the window − 1 keys before it. ours: gluon_windows and its backward pass,
which flash_attention takes on Hopper. triton: scores and scores_backward. fa4:
flash_attn_func with window_size. flex: compiled flex_attention with a BlockMask of its
usual size, for some of the windows; backward passes of both by autograd. Outputs and
gradients are compared with triton's first. tiles: those of {TILE} × {TILE} that hold a
pair of the window, of a head. ms: medians of 9 rounds of {CALLS} calls, in which all of
a d take their turn in an order drawn anew; not in CUDA graphs."""


def rung(name, x, window):
    """{pass: a function of nothing} of a pair of our kernels that takes windows."""
    how = {"causal": True, "window": (window - 1, 0) if window < N else None}
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


def runs(d):
    """{(pass, name, window): a function of nothing}, whose results agree."""
    shape, made = (1, WIDTH // d, N, d), {}
    x = {y: torch.randn(shape, device="cuda").bfloat16() for y in ("q", "k", "v", "do")}
    there = importlib.util.find_spec("flash_attn") is not None
    for window in WINDOWS:
        all_of = {"triton": rung("scores", x, window)}
        all_of["ours"] = rung("gluon_windows", x, window)
        if window in (N, 1024, 256):
            all_of["flex"] = flex(x, window)
        if there:
            all_of["fa4"] = fa4(x, window)
        for name, ways in all_of.items():
            for way, f in ways.items():
                check(name, f(), all_of["triton"][way]())
                made[way, name, window] = f
    return made


def rows():
    """A row {pass, name, window, d, tiles, ms} for each."""
    for d in (64, 128):
        made = runs(d)
        graphs = {x: Calls(f) for x, f in made.items()}
        times = {x: [] for x in graphs}
        for _ in range(9):
            for x in random.sample(list(graphs), len(graphs)):
                times[x].append(milliseconds(graphs[x], CALLS))
        for (way, name, window), ms in times.items():
            seen = (window - 1, 0) if window < N else None
            tiles = visits(N, N, TILE, TILE, True, window=seen)[2] // TILE**2
            row = {"pass": way, "name": name, "window": window, "d": d, "tiles": tiles}
            yield row | {"ms": statistics.median(ms)}
            print(row, round(statistics.median(ms), 4), flush=True)


if __name__ == "__main__":
    write("window-peers", METHOD, {"rows": list(rows())})
