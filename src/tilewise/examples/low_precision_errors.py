from functools import partial

import torch

from tilewise.flash2 import flash2_forward
from tilewise.low_precision import (
    RECIPES,
    as_rule,
    low_precision_forward,
    rotation,
    smooth,
)


def inputs(kind):
    """Q, K and V: normal; with outliers of size 10; or keys with a common part."""
    draw = torch.Generator().manual_seed(0)
    normal = partial(torch.randn, generator=draw, dtype=torch.float64)
    q, k, v = x = normal(3, 1024, 64)
    if kind == "outliers":  # one number in a thousand, as in FlashAttention-3's test
        x += 10 * normal(x.shape) * (torch.rand(x.shape, generator=draw) < 0.001)
    if kind == "shared":  # a tenth of the channels, the same in all keys
        k += 10 * normal(64) * (torch.rand(64, generator=draw) < 0.1)
    return q, k, v


def error(rule, exact, q, k, v, whole=False):
    """Of O; if whole, the rule sees Q, K and V at once, and only P tile by tile."""
    if whole:
        q, k, v = rule(q, -1), rule(k, -1), rule(v, -2)
    o, _ = low_precision_forward(q, k, v, 128, 128, exactly if whole else rule, rule)
    return (o - exact).norm() / exact.norm()


def exactly(x, axis):
    return x


def bf16(x, axis):
    return x.bfloat16().double()


m = rotation(64)
print("                tensor    tile  smooth  rotate    both")
for kind in ("normal", "outliers", "shared"):
    q, k, v = inputs(kind)
    exact, _ = flash2_forward(q, k, v, 128, 128)
    rest, _ = smooth(k)
    ways = ((q, k, v), (q, rest, v), (q @ m, k @ m, v), (q @ m, rest @ m, v))
    print(f"{kind:8} bf16  {error(bf16, exact, q, k, v):8.4f}")
    for name, recipe in RECIPES.items():
        rule = as_rule(recipe)
        errors = [error(rule, exact, q, k, v, whole=True)]
        errors += [error(rule, exact, *way) for way in ways]
        print(f"{kind:8} {name:6}", *(f"{x:7.4f}" for x in errors))
