"""A pair of kernels for packed documents as one function with gradients."""

import importlib

import torch

from tests.kernels._backward import poisoned
from tests.varlen._varlen import ends

SMALL = {"block_rows": 32, "block_cols": 16}, (16, 32, 4, 1), (32, 32, 4, 1)
TALL = {"block_rows": 16, "block_cols": 32}, (32, 16, 4, 1), (16, 32, 4, 1)
USUAL = {}, None, None
TILES = "dkdv_tile", "dq_tile"


class Kernels(torch.autograd.Function):
    """The pair as a function of q, k, v → o, L, in fresh memory that is NaN."""

    @staticmethod
    def forward(ctx, q, k, v, names, places, options, tiles):
        ctx.names, ctx.places, ctx.options, ctx.tiles = names, places, options, tiles
        with poisoned():
            o, lse = rung(names[0]).forward(q, k, v, *places, **options, **tiles[0])
        ctx.save_for_backward(q, k, v, o, lse)
        return o, lse

    @staticmethod
    def backward(ctx, do, dlse):
        *saved, lse = ctx.saved_tensors
        options = ctx.options | {"dlse": dlse}
        options |= {} if ctx.tiles[1] is None else dict(zip(TILES, ctx.tiles[1:]))
        with poisoned():
            grads = rung(ctx.names[1]).backward(*saved, do, lse, *ctx.places, **options)
        return *grads, None, None, None, None


def rung(name):
    return importlib.import_module(f"tilewise.kernels.{name}")


def pair(lengths, options, tiles=USUAL, names=("varlen", "varlen_backward")):
    """f(q, k, v) → o, L of documents with these lengths, by the kernels of names."""

    def f(q, k, v):
        places = [ends(n, device=q.device) for n in lengths]
        return Kernels.apply(q, k, v, names, places, options, tiles)

    return f
