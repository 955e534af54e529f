from functools import partial

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.checkpoint import (
    CheckpointPolicy,
    checkpoint,
    create_selective_checkpoint_contexts,
)

from tilewise import FlashAttention

OURS = torch.ops.tilewise.attention.default


class Calls(TorchDispatchMode):
    """Counts how often attention's forward pass runs."""

    number = 0

    def __torch_dispatch__(self, operator, types, args=(), kwargs=None):
        self.number += operator is OURS
        return operator(*args, **kwargs or {})


def keep_attention(context, operator, *args, **kwargs):
    if operator is OURS:
        return CheckpointPolicy.MUST_SAVE  # o and L
    return CheckpointPolicy.PREFER_RECOMPUTE


torch.manual_seed(0)
layer = FlashAttention(64, num_heads=4, causal=True)
x = torch.randn(2, 100, 64, requires_grad=True)
whole = partial(checkpoint, layer, use_reentrant=False)
contexts = partial(create_selective_checkpoint_contexts, keep_attention)
ways = {"no checkpoint": partial(layer), "all again": whole}
ways["all but attention"] = partial(whole, context_fn=contexts)
first = torch.autograd.grad(layer(x).sum(), x)[0]
for name, run in ways.items():
    with Calls() as calls:
        dx = torch.autograd.grad(run(x).sum(), x)[0]
    same = torch.equal(dx, first)
    print(f"{name:17}  forward passes: {calls.number}, the same gradient: {same}")
