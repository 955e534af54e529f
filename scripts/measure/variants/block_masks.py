"""Measure block-sparse masks of fewer and fewer tiles beside FlexAttention, on a GPU.

    python scripts/measure/variants/block_masks.py

Writes benchmarks/results/<gpu>-<date>-block-masks.json.
"""

import itertools
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

from tilewise import kernels
from tilewise.block_sparse import tiles_mask

N, HEADS, SIZE, CALLS = 16384, 16, 128, 5  # SIZE: rows and keys of a tile of the mask
METHOD = f"""bf16, batch 1, {HEADS} heads, {N} tokens. A mask has tiles of {SIZE} ×
{SIZE}, the same for all heads: those of the diagonal, and of the others one in `step`,
drawn anew for each step; step 1 is every tile. No causal mask. ours: kernels.scores and
scores_backward. flex: compiled flex_attention with its BlockMask of the same tiles; its
backward pass by autograd. The first of its outputs and gradients are compared with ours
before. ms: medians of 9 rounds of {CALLS} calls, in which all take their turn in an
order drawn anew; not in CUDA graphs."""


class Calls:
    """So many calls of f, with the replay of a graph."""

    def __init__(self, f):
        self.f = f

    def replay(self):
        for _ in range(CALLS):
            self.f()


def tiles_of(step):
    """Which tiles are in the mask, and which share of all of them."""
    number = N // SIZE
    tiles = torch.rand(number, number, device="cuda") < 1 / step
    tiles |= torch.eye(number, dtype=torch.bool, device="cuda")
    return tiles, tiles.double().mean().item()


def runs(tiles, d):
    """{(pass, name): a function of nothing}, whose results agree."""
    q, k, v, do = (
        torch.randn(1, HEADS, N, d, device="cuda").bfloat16().requires_grad_(i < 3)
        for i in range(4)
    )
    mask = tiles_mask(tiles, SIZE, SIZE, N, N)
    o, lse = kernels.scores.forward(q, k, v, block_mask=mask)
    saved = [x.detach() for x in (q, k, v, o, do, lse)]
    flex = torch.compile(flex_attention, dynamic=False)
    blocks = create_block_mask(
        lambda b, h, i, j: tiles[i // SIZE, j // SIZE],
        None,
        None,
        N,
        N,
        BLOCK_SIZE=SIZE,
    )
    theirs = flex(q, k, v, block_mask=blocks)
    grad = partial(torch.autograd.grad, theirs, (q, k, v), do, retain_graph=True)
    back = partial(kernels.scores_backward.backward, *saved, block_mask=mask)
    check("flex", [theirs.detach(), *grad()], [o.detach(), *back()[:3]])
    x = [x.detach() for x in (q, k, v)]
    return {
        ("forward", "ours"): partial(kernels.scores.forward, *x, block_mask=mask),
        ("forward", "flex"): partial(flex, *x, block_mask=blocks),
        ("backward", "ours"): back,
        ("backward", "flex"): grad,
    }


def rows():
    """A row {pass, name, d, step, share, ms} for each."""
    for d, step in itertools.product((64, 128), (1, 2, 4, 8, 16)):
        tiles, share = tiles_of(step)
        made = {x: Calls(f) for x, f in runs(tiles, d).items()}
        times = {x: [] for x in made}
        for _ in range(9):
            for x in random.sample(list(made), len(made)):
                times[x].append(milliseconds(made[x], CALLS))
        for way, name in made:
            ms = statistics.median(times[way, name])
            row = {"pass": way, "name": name, "d": d, "step": step, "share": share}
            print(row, ms, flush=True)
            yield row | {"ms": ms}


if __name__ == "__main__":
    write("block-masks", METHOD, {"rows": list(rows())})
