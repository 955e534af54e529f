import torch

from tilewise.flash2 import flash2_forward
from tilewise.low_precision import rotation, smooth


def same(a, b):
    """Whether a and b are equal but for rounding, as yes or no."""
    return "yes" if (a - b).abs().max() < 1e-13 else "no"


torch.manual_seed(0)
q, k, v = torch.randn(3, 256, 64, dtype=torch.float64)
k += 5 * torch.randn(64, dtype=torch.float64)  # what all keys have in common
o, lse = flash2_forward(q, k, v, 64, 64)

rest, mean = smooth(k)
o_smooth, lse_smooth = flash2_forward(q, rest, v, 64, 64)
lse_again = lse_smooth + (q @ mean.mT)[:, 0] / 8  # τ q · mean
print("smoothing: the same O?", same(o, o_smooth))
off = (lse - lse_smooth).abs().max()
print(f"           the same L? {same(lse, lse_smooth)}, off by up to {off:.1f}")
print("           the same L when corrected?", same(lse, lse_again))

m = rotation(64)
o_turned, _ = flash2_forward(q @ m, k @ m, v, 64, 64)
print("rotation:  the same O?", same(o, o_turned))
one = torch.zeros(64, dtype=torch.float64)
one[7] = 8  # an outlier
print(f"           one number 8 becomes 64 of size {(one @ m).abs().max():g}")
