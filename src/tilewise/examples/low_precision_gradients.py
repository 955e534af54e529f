import torch

from tilewise.low_precision import RECIPES, nearest, quantise

torch.manual_seed(0)
q, k, v, do = torch.randn(4, 1024, 64, dtype=torch.float64)
do /= 1024 * 64  # about the gradient of a mean


def gradients(v, place="", rule=None):
    """dQ, dK, dV and dS in float64, where the operands named by place are rounded."""

    def at(name, x):
        return rule(x) if name in place.split() else x

    p = torch.softmax(q @ k.T / 8, -1)
    delta = (at("δ", do) * (p @ v)).sum(-1, keepdim=True)
    ds = p * (at("dO", do) @ at("V", v).T - delta)
    dq, dk = at("dS", ds) @ k / 8, at("dS", ds).T @ q / 8
    return dq, dk, at("P", p).T @ at("dO", do), ds


def report(name, v, rule):
    """Print the relative errors of dQ, dK and dV, one rounding at a time."""
    print(name)
    exact = gradients(v)
    for place in ("P", "V", "dO", "dO δ", "dS"):
        pairs = zip(gradients(v, place, rule)[:3], exact)
        print(f"  {place:4}", *(f"{(x - y).norm() / y.norm():6.3f}" for x, y in pairs))


print(f"typical size: dO {do.std():.0e}, dS {gradients(v)[3].std():.0e}")
print("rounded  dQ     dK     dV")
report("e4m3, no scale", v, lambda x: nearest(x, "e4m3"))
report("e5m2, no scale", v, lambda x: nearest(x, "e5m2"))
report("e4m3, one scale", v, lambda x: quantise(x, RECIPES["e4m3"]))
v_shared = v + 3 * torch.randn(64, dtype=torch.float64)
report("the same, V with a mean", v_shared, lambda x: quantise(x, RECIPES["e4m3"]))
