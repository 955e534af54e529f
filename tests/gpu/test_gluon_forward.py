"""gluon_forward on a Hopper GPU: its tiles, random shapes, errors, the same bits."""

import os
import random

import pytest
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention as sdpa

pytest.importorskip("triton")
if not torch.cuda.is_available() or torch.cuda.get_device_capability()[0] != 9:
    pytest.skip("needs a Hopper GPU", allow_module_level=True)

from tilewise.kernels.gluon_forward import forward
from tilewise.standard import standard_forward

from ..kernels._cases import faults, relative, tensors

BF16, FP16 = torch.bfloat16, torch.float16
TILES = [  # d, block_rows, block_cols, num_stages
    (64, 128, 128, 4),
    (64, 192, 128, 4),
    (64, 128, 64, 4),
    (64, 192, 64, 2),
    (128, 128, 128, 2),
    (128, 128, 64, 3),
    (256, 128, 64, 2),
]
CAUSAL = False, True, "top-left"
pytestmark = pytest.mark.usefixtures("new_memory_is_nan")


@pytest.mark.parametrize("causal", CAUSAL)
@pytest.mark.parametrize("d, block_rows, block_cols, num_stages", TILES)
def test_every_tile_is_right(d, block_rows, block_cols, num_stages, causal):
    tile = {"block_rows": block_rows, "block_cols": block_cols}
    for i, (n_q, n_k) in enumerate([(512, 512), (1000, 777), (130, 900), (2304, 2304)]):
        case = (BF16, 2, 6, 3, n_q, n_k, d, causal, None)
        found = faults(
            "gluon_forward", case, i, device="cuda", num_stages=num_stages, **tile
        )
        assert list(found) == [], (n_q, n_k)


def test_random_shapes():
    """Lengths around the edges of tiles; other ones in every run."""
    seed = int.from_bytes(os.urandom(4), "big")
    draw = random.Random(seed)
    for _ in range(60):
        group = draw.choice([1, 2, 3])
        heads = group * draw.choice([1, 2, 5])
        n_q = draw.choice([1, 17, 63, 64, 65, 127, 128, 191, 192, 193, 256, 500, 777])
        n_k = draw.choice([1, 15, 64, 127, 128, 129, 255, 256, 300, 640, 1000])
        case = (
            draw.choice([BF16, FP16]),
            draw.choice([1, 2, 3]),
            heads,
            heads // group,
            n_q,
            n_k,
            draw.choice([8, 16, 24, 40, 64, 72, 96, 128, 136, 192, 256]),
            draw.choice(CAUSAL),
            draw.choice([None, None, 0.3, -0.2, 0.0]),
        )
        number = draw.randrange(2**20)
        found = list(faults("gluon_forward", case, number, device="cuda"))
        assert found == [], (seed, number, case)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("d, n", [(64, 2048), (128, 1024), (128, 4096), (256, 1024)])
def test_error_is_that_of_flash_attention_2(d, n, causal):
    q, k, v = tensors((BF16, 1, 3, 3, n, n, d), 7, "cuda")
    q, k = 3 * q, 3 * k
    exact, _ = standard_forward(q.double(), k.double(), v.double(), causal=causal)
    with sdpa_kernel([SDPBackend.FLASH_ATTENTION]):
        peer = sdpa(q, k, v, is_causal=causal)
    o, _ = forward(q, k, v, causal=causal)
    assert relative(o, exact) <= 1.1 * relative(peer, exact)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("d, n", [(64, 1024), (64, 2222), (128, 2222), (256, 2222)])
def test_twenty_times_the_same_bits(d, n, causal):
    q, k, v = tensors((BF16, 4, 16, 4, n, n, d), 8, "cuda")
    first = forward(q, k, v, causal=causal)
    assert first[0].isfinite().all() and first[1].isfinite().all()
    for _ in range(20):
        again = forward(q, k, v, causal=causal)
        assert all(torch.equal(*pair) for pair in zip(first, again))


def test_keys_past_two_to_the_31_elements():
    """Rows of K and V lie 2²¹ elements apart: the last ones begin past 2³¹."""
    n, d = 1100, 64
    if torch.cuda.mem_get_info()[0] < 6 * 2**30:
        pytest.skip("needs 6 GiB of GPU memory")
    wide = torch.empty(n * 2**21, dtype=BF16, device="cuda")
    q, k, v = tensors((BF16, 1, 1, 1, n, n, d), 9, "cuda")
    apart = [wide[i * d :].as_strided(k.shape, (1, 1, 2**21, 1)) for i in (0, 1)]
    apart[0].copy_(k), apart[1].copy_(v)
    one, two = forward(q, k, v, causal=True), forward(q, *apart, causal=True)
    assert all(torch.equal(*pair) for pair in zip(one, two))


def test_what_the_engine_cannot_walk_is_copied():
    """Rows of 2 bytes more than 16 divide, and one head for all by stride 0."""
    q, k, v = tensors((BF16, 1, 4, 4, 200, 300, 64), 10, "cuda")
    odd = torch.empty(1, 4, 300, 65, dtype=BF16, device="cuda")[..., :64].copy_(k)
    one = forward(q, k, v[:, :1].expand_as(v).contiguous(), causal=True)
    two = forward(q, odd, v[:, :1].expand_as(v), causal=True)
    assert all(torch.equal(*pair) for pair in zip(one, two))
