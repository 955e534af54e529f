"""Checkpointing that saves nothing, or gives a wrong gradient, or none."""

import warnings

import torch
from torch.utils.checkpoint import checkpoint

from tilewise.training.kept import Alive, saved
from tilewise.training.transformer import Block

N, E, HEADS, LAYERS = 512, 64, 2, 4
torch.manual_seed(0)
x = torch.randn(1, N, E, requires_grad=True)
blocks = torch.nn.Sequential(*(Block(E, HEADS) for _ in range(LAYERS)))
block, noisy = blocks[0], Block(E, HEADS, dropout=0.5)


def again(f, *inputs, **how):
    return checkpoint(f, *inputs, **{"use_reentrant": False} | how)


def units(f):
    return sum(saved(f, x, without=blocks.parameters()).values()) / x.nbytes


def peak(f):
    for p in blocks.parameters():
        p.grad = torch.zeros_like(p)
    with Alive() as alive:
        f(x).sum().backward()
    return alive.peak / x.nbytes


def attention_only(x):
    return block.mlp(block.join(x, again(block.attend, *block.qkv(x))))


def down_only(x):
    y = block.join(x, block.attend(*block.qkv(x)))
    g = torch.nn.functional.gelu(block.up(block.norm_2(y)))
    return y + again(block.down, g)


def each(x):
    for one in blocks:
        x = again(one, x)
    return x


def gradient(**how):
    torch.manual_seed(1)
    y = again(noisy, x, **how)
    return torch.autograd.grad(y.square().sum(), noisy.layer.q_proj.weight)[0]


print(f"kept: the block {units(block):.3f}, its attention checkpointed", end=" ")
print(f"{units(attention_only):.3f}, its last product {units(down_only):.3f}")
print(f"peak of a step: plain {peak(blocks):.1f}, the model as one", end=" ")
print(f"{peak(lambda x: again(blocks, x)):.1f}, each block {peak(each):.1f}")

right, wrong = gradient(), gradient(preserve_rng_state=False)
off = (wrong - right).norm() / right.norm()
print(f"dropout without its seed: gradient off by {off:.0%}")

with warnings.catch_warnings(record=True) as records:
    warnings.simplefilter("always")
    y = again(block, x.detach(), use_reentrant=True)
print(f"reentrant, input without gradient: {records[-1].message}")

h = x * 1
y = again(block, h)
h += 1  # after the block, before its backward pass
try:
    y.sum().backward()
except RuntimeError as error:
    print("input changed in place:", str(error).split(":")[0])
