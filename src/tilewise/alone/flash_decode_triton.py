"""Decoding in Triton: a few new tokens against a long cache of keys, in parts.

    o, lse = forward(q, k_cache, v_cache, seqlens)

computes attention of the last n_q tokens of each sequence over its keys in the cache,
which may lie in pages (block_table). The keys are shared out over the GPU, and a second
kernel merges the parts. Without a GPU, TRITON_INTERPRET=1 has Triton interpret the
kernels, slowly and with NumPy.
"""

import torch

from tilewise.kernels.decode import forward


def largest_error():
    """The largest error in fp32 against the formula in float64, with three parts."""
    torch.manual_seed(0)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    q = torch.randn(2, 4, 1, 32, device=device)
    k, v = torch.randn(2, 2, 2, 300, 32, device=device)
    n = torch.tensor([300, 77], dtype=torch.int32, device=device)
    o, _ = forward(q, k, v, n, splits=3)
    wide = [x.double().repeat_interleave(2, 1) for x in (k, v)]
    s = q.double() @ wide[0].mT / 32**0.5
    hidden = torch.arange(300, device=device) >= n[:, None, None, None]
    exact = s.masked_fill(hidden, -torch.inf).softmax(-1) @ wide[1]
    return (o - exact).abs().max().item()


if __name__ == "__main__":
    print(f"o of two sequences: the largest error is {(e := largest_error()):.0e}")
    assert e < 1e-5
