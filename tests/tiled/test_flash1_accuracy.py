"""FlashAttention-1's forward is as close to float64 as plain PyTorch is."""

import math
import random

import pytest
import torch

from tilewise.flash1 import flash1_forward

from .._oracle import CAUSALS, plain, reference

ENDS = (  # N_q, N_k, d, d_v, block_rows, block_cols
    (1, 1, 1, 1, 1, 1),
    (97, 97, 128, 128, 1, 97),
    (97, 97, 1, 1, 97, 1),
    (97, 1, 128, 1, 16, 200),
    (1, 97, 64, 64, 200, 16),
    (96, 96, 64, 64, 32, 32),
    (40, 40, 8, 8, 1, 1),
)


def shapes(seed, count):
    """N from 1 to 97, d from 1 to 128, blocks from 1 to beyond N; once the ends."""
    yield from ENDS if seed == 0 else ()
    rng = random.Random(seed)
    for _ in range(count - len(ENDS) * (seed == 0)):
        n_q, d = rng.randint(1, 97), rng.randint(1, 128)
        n_k, d_v = rng.choice([n_q, rng.randint(1, 97)]), rng.choice([d, 1, 48])
        blocks = [rng.randint(1, rng.choice([20, 110])) for _ in ("rows", "cols")]
        yield n_q, n_k, d, d_v, *blocks


def check(dtype, seed, count):
    """Assert error ≤ 2 × plain PyTorch's in the same dtype, both against float64.

    Plus one unit in the last place of the largest value that went in, since the plain
    result may happen to be exact (one key: o = v) and storing any result costs half.
    """
    rng = random.Random(seed)
    torch.manual_seed(seed)
    ulp = torch.finfo(dtype).eps
    for n_q, n_k, d, d_v, block_rows, block_cols in shapes(seed, count):
        q, k, v = (torch.randn(*s) for s in ((n_q, d), (n_k, d), (n_k, d_v)))
        q, k, v = q.to(dtype), k.to(dtype), v.to(dtype)
        scale = rng.choice([None, 0.3, -0.2])
        options = {"causal": rng.choice(CAUSALS), "scale": scale}
        o, m, l = flash1_forward(q, k, v, block_rows, block_cols, **options)
        exact, exact_lse = reference(q, k, v, **options)
        with_torch, _ = plain(q, k, v, **options)
        _, lse_with_torch = plain(q.float(), k.float(), v.float(), **options)
        assert o.dtype == dtype and o.shape == with_torch.shape
        assert m.dtype == l.dtype == torch.float32 and m.shape == l.shape == (n_q,)
        seen = exact_lse > -math.inf
        assert ((m > -math.inf) == seen).all() and ((l >= 1) == seen).all()
        assert (l[~seen] == 0).all() and (o[~seen] == 0).all()
        error, allowed = (abs(x.double() - exact).max() for x in (o, with_torch))
        assert error <= 2 * allowed + ulp * v.abs().max(), (n_q, n_k, d, options)
        lse = (m + l.log())[seen].double()
        error = abs(lse - exact_lse[seen]).max()
        allowed = abs(lse_with_torch.double() - exact_lse)[seen].max()
        floor = torch.finfo(m.dtype).eps * exact_lse[seen].abs().max().clamp(min=1)
        assert error <= 2 * allowed + floor, (n_q, n_k, d, options)


@pytest.mark.few(1)
@pytest.mark.parametrize("seed", range(3))
def test_float32_is_as_close_to_float64_as_plain_pytorch(seed):
    check(torch.float32, seed, 100)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16], ids=str)
def test_half_precision_is_as_close_to_float64_as_plain_pytorch(dtype):
    check(dtype, 3, 40)
