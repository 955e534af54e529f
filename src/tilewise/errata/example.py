"""The running example as float64 tensors, with what every erratum compares with."""

import torch

from tilewise.worked_example import DO, SCALE, K, Q, V

Q, K, V, DO = (torch.tensor(x, dtype=torch.float64) for x in (Q, K, V, DO))
S = SCALE * Q @ K.T  # (N, N): N = 4, d = 2, and e^S is a power of two
P = torch.softmax(S, dim=1)
O = P @ V


def gradients(q, k, v, do, scale=SCALE):
    """(dS, dQ, dK, dV) by autograd; S = τ Q Kᵀ."""
    q, k, v = (x.clone().requires_grad_() for x in (q, k, v))
    s = scale * q @ k.T
    return torch.autograd.grad(torch.softmax(s, 1) @ v, (s, q, k, v), do)


def error(x, truth=O):
    """max |x − truth| over all entries, NaN where any entry is."""
    return (x - truth).abs().max().item()


def nan_rows(x):
    """In how many rows something is NaN."""
    return int(x.isnan().any(1).sum())


def state(s, v):
    """m (N, 1), ℓ (N, 1) and the normalised o (N, d) of the scores s of some keys."""
    m = s.amax(1, keepdim=True)
    p = torch.exp(s - m)
    l = p.sum(1, keepdim=True)
    return m, l, p @ v / l
