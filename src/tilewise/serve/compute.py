"""Attention by tiles that looks up, before each tile, whether it is still wanted."""

import torch

from tilewise.flash2 import flash2_forward
from tilewise.serve.checks import blocks


class Unwanted(Exception):
    """Nobody waits for this result any more."""


# --8<-- [start:attend]
def attend(tensors, options, unwanted):
    """{"o"} or {"o", "lse"}, by flash2_forward; unwanted() is asked before each tile.

    q (batch, heads, N_q, d), k, v as for tilewise.flash_attention. The result equals
    its result bit for bit wherever checks.blocks gives the same tiles. Raises Unwanted
    once unwanted() is true.
    """

    def mask(rows, cols):
        if unwanted():
            raise Unwanted
        return everything

    q, k, v = (tensors[x] for x in "qkv")
    everything = torch.ones((), dtype=torch.bool)  # hides no key
    how = {"causal": options.causal, "scale": options.scale, "mask": mask}
    o, lse = flash2_forward(q, k, v, *blocks(q, v), **how)
    return {"o": o, "lse": lse} if options.return_lse else {"o": o}
    # --8<-- [end:attend]
