import torch

from tilewise.flash2 import flash2_forward
from tilewise.low_precision import rotation, smooth

torch.manual_seed(0)
q, k, v = torch.randn(3, 256, 64, dtype=torch.float64)
k += 5 * torch.randn(64, dtype=torch.float64)  # what all keys have in common
o, lse = flash2_forward(q, k, v, 64, 64)

rest, mean = smooth(k)
o_smooth, lse_smooth = flash2_forward(q, rest, v, 64, 64)
lse_again = lse_smooth + (q @ mean.mT)[:, 0] / 8  # τ q · mean
print(f"smoothing: O differs by {(o - o_smooth).abs().max():.0e}")
print(f"           L differs by {(lse - lse_smooth).abs().max():.1f}")
print(f"           and, corrected, by {(lse - lse_again).abs().max():.0e}")

m = rotation(64)
o_turned, _ = flash2_forward(q @ m, k @ m, v, 64, 64)
print(f"rotation:  O differs by {(o - o_turned).abs().max():.0e}")
one = torch.zeros(64, dtype=torch.float64)
one[7] = 8  # an outlier
print(f"           one number 8 becomes 64 of size {(one @ m).abs().max():g}")
