import torch

from tilewise.flash2 import flash2_forward
from tilewise.low_precision import (
    RECIPES,
    Recipe,
    low_precision_forward,
    nearest,
    quantise,
)

torch.manual_seed(0)
q, k, v = torch.randn(3, 1024, 64, dtype=torch.float64)
q, k[:4], v[:4] = q + 0.5, k[:4] + 1.5, v[:4] / 100  # four sinks, seen by all queries
exact, _ = flash2_forward(q, k, v, 128, 128)


def report(name, p_rule):
    """Print the error of O, and the share of the weights that became 0."""
    seen = []

    def rule(p, axis):
        seen.append(p_rule(p))
        return seen[-1]

    o, _ = low_precision_forward(q, k, v, 128, 128, lambda x, axis: x, rule)
    error, lost = (o - exact).norm() / exact.norm(), torch.cat(seen, -1).eq(0)
    print(f"{name:21} error of O {error:.3f}   weights lost {lost.double().mean():.0%}")


blocks = Recipe("e2m1", 16, "e4m3")
report("e4m3: P", lambda p: nearest(p, "e4m3"))
report("e4m3: 256 P", lambda p: nearest(256 * p, "e4m3") / 256)
report("e4m3: scale per tile", lambda p: quantise(p, RECIPES["e4m3"]))
report("NVFP4: blocks alone", lambda p: quantise(p, blocks))
report("NVFP4: two levels", lambda p: quantise(p, blocks._replace(outer="row")))
