"""The stacks of blocks that checkpointing is measured on, and what is counted."""

import statistics

import torch

from tilewise.ledger import activations
from tilewise.training.transformer import Block


def pairs():
    """Every attention with every policy that can be."""
    for attention in activations.ATTENTION:
        for policy in activations.POLICIES:
            if (attention, policy) != ("standard", "o"):
                yield attention, policy


def stack(attention, policy, sizes, **options):
    """Blocks whose weights' gradients are there already."""
    torch.manual_seed(0)
    embed_dim, num_heads, layers = sizes
    how = {"attention": attention, "policy": policy, **options}
    blocks = [Block(embed_dim, num_heads, **how) for _ in range(layers)]
    for parameter in (p for block in blocks for p in block.parameters()):
        parameter.grad = torch.zeros_like(parameter)
    return torch.nn.Sequential(*blocks)


def counted(n, attention, policy, sizes, dtype):
    """What tilewise.ledger.activations says of one step."""
    embed_dim, num_heads, layers = sizes
    how = {"attention": attention, "policy": policy}
    whole = {"attention": attention, "policy": "none"}
    sized = n, embed_dim, num_heads, dtype
    ways = activations.step(n, embed_dim, **how)
    return {
        "kept_bytes": layers * activations.kept_bytes(*sized, **how),
        "inside_bytes": activations.kept_bytes(*sized, **whole),
        "flops": {way: layers * n * x for way, x in ways.items()},
    }


def spread(values):
    """Median, least and most."""
    return {"median": statistics.median(values), "min": min(values), "max": max(values)}
