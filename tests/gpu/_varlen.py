"""What the GPU tests of packed documents share: pairs of kernels, lengths, input."""

import pytest
import torch

from ..varlen._varlen import assert_right, gradients

BF16, FP16, FP32 = torch.bfloat16, torch.float16, torch.float32
PLAIN = "varlen", "varlen_backward"
GLUON = "gluon_varlen", "gluon_varlen_backward"
HOPPER = torch.cuda.get_device_capability()[0] == 9
PAIRS = [PLAIN, pytest.param(GLUON, marks=pytest.mark.skipif(not HOPPER, reason="9.x"))]
CAUSAL = False, True, "top-left"
LENGTHS = {  # of q, of k
    "aligned": ([512, 512, 1024], [512, 512, 1024]),
    "long tail": ([1, 2000, 17, 130, 64, 65, 3, 300], None),
    "empty ones": ([0, 200, 0, 0, 333, 50, 0], [70, 100, 0, 5, 400, 0, 9]),
    "more keys": ([1, 33, 129], [900, 700, 1000]),
    "more rows": ([900, 700, 1000], [1, 33, 129]),
    "many": ([37] * 60, [41] * 60),
}
both = pytest.mark.parametrize("names", PAIRS, ids=lambda x: x[0])


def draw(lengths, heads, kv_heads, d, dtype, seed=0):
    """(q, k, v), (do, dlse), side by side in memory for odd seeds."""
    torch.manual_seed(seed)
    n_q, n_k = map(sum, lengths)
    shapes = (n_q, heads, d), (n_k, kv_heads, d), (n_k, kv_heads, d), (n_q, heads, d)
    made = [torch.randn(shape, device="cuda").to(dtype) for shape in shapes]
    made = [torch.cat([x, x], -1)[..., d:] for x in made] if seed % 2 else made
    return made[:3], (made[3], torch.randn(n_q, heads, device="cuda"))


def hold(f, lengths, tensors, given, options):
    """f, with NaN in what it does not write, as good as the formula."""
    assert_right(gradients(f, tensors, given), tensors, given, lengths, options, few=4)
