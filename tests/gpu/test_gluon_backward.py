"""The Gluon backward pass on a Hopper GPU: every case it covers, against float64."""

import pytest
import torch

from ..kernels._backward import CASES, exact, hold, poisoned, rung, tensors
from .test_backward import MORE

HOPPER = torch.cuda.is_available() and torch.cuda.get_device_capability()[0] == 9
pytestmark = pytest.mark.skipif(not HOPPER, reason="needs a Hopper GPU")
HALF = torch.bfloat16, torch.float16
SHAPES = [  # batch, heads, key heads, N_q, N_k, d, causal
    (1, 8, 1, 333, 129, 128, "top-left"),
    (3, 4, 2, 129, 1000, 72, True),
    (1, 2, 2, 1000, 200, 64, True),
    (1, 2, 1, 200, 1000, 128, "top-left"),
    (2, 40_000, 40_000, 16, 16, 16, True),  # more heads than a grid axis has
    (1, 70_000, 35_000, 20, 33, 24, False),
]
SHAPES += [case for case in CASES + MORE if case[5] <= 128]
SHAPES += [  # every kernel: with masks or without, B_r 64 or 128, shared heads
    (2, 4, 4 // group, 512, n_k, d, causal)
    for group in (1, 4)
    for d in (64, 128)
    for n_k in (512, 500)
    for causal in (False, True)
]


def backward(*args, **options):
    return rung("gluon_backward").backward(*args, **options)


@pytest.mark.parametrize("case", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", HALF, ids=lambda x: str(x)[6:])
def test_against_float64(dtype, case):
    """Fresh numbers each time; with dL and without; a scale of its own now and then."""
    seed = torch.seed() % 2**31
    given = tensors(case, dtype, "cuda", seed)
    scale = {} if seed % 3 else {"scale": (-0.3, 0.0)[seed % 2]}
    hold(backward, case, dtype, device="cuda", dlse=seed % 2 == 0, given=given, **scale)


@pytest.mark.parametrize(
    "case",
    [
        (3, 8, 8, 300, 400, 128, True),
        (2, 8, 2, 512, 512, 64, True),
        (2, 12, 2, 200, 700, 128, False),
        (1, 8, 1, 600, 200, 64, "top-left"),
    ],
    ids=str,
)
def test_heads_in_turns_and_in_parts(case, monkeypatch):
    """Few heads at once in the one fp32 dQ, in uneven turns; dK and dV of parts."""
    group = case[1] // case[2]
    for most, parts in ((1, 1), (3, group), (2, max(1, group // 2))):
        most = min(most, case[0] * case[2])
        found = most, parts
        monkeypatch.setattr(rung("gluon_backward"), "share_out", lambda *_, x=found: x)
        for crew in (1, 2):
            even = {1: lambda *_: 1, 2: lambda units, *_: 2 - units % 2}[crew]
            monkeypatch.setattr(rung("gluon_backward"), "crew_of", even)
            given = tensors(case, torch.bfloat16, "cuda", torch.seed() % 2**31)
            hold(backward, case, torch.bfloat16, device="cuda", given=given)


def test_parts_give_the_same_bits_every_time():
    """One head of K for 16 query heads, causal: read by several programs."""
    q, k, v, do, lse = tensors((1, 16, 1, 2048, 2048, 128, 0), torch.bfloat16, "cuda")
    first = None
    for _ in range(10):
        with poisoned():
            found = backward(q, k, v, q, do, lse + 9, causal=True)
        first = first or found
        assert torch.equal(first[1], found[1]) and torch.equal(first[2], found[2])


@pytest.mark.parametrize("transposed", [False, True])
def test_strides(transposed):
    """(batch, N, heads, d) in memory, slices, every second number, one dO for all."""
    case = 2, 4, 2, 200, 300, 64, True
    q, k, v, do, row = tensors(case, torch.bfloat16, "cuda")
    if transposed:
        q, k, do = (x.transpose(1, 2).contiguous().transpose(1, 2) for x in (q, k, do))
        v = torch.cat([v, v], -1)[..., 64:]
    else:
        q = torch.stack([q, q], -1).flatten(-2)[..., ::2]
        v = torch.cat([v, v[..., :4]], -1)[..., 4:]  # begins at no multiple of 16 bytes
        do = do[:1, :1, :1, :1].expand_as(do)
    hold(backward, case, torch.bfloat16, device="cuda", given=(q, k, v, do, row))


def test_scores_far_from_zero():
    """L far below and above 0: what is past the end must not become ∞ · 0."""
    for sign in (1, -1):
        case = 1, 2, 1, 200, 203, 128, False
        q, k, v, do, row = tensors(case, torch.bfloat16, "cuda")
        q, k = q.abs() + 2, sign * (k.abs() + 2)
        hold(backward, case, torch.bfloat16, device="cuda", given=(q, k, v, do, row))


def test_rows_without_keys():
    q, k, v, do, row = tensors((1, 2, 2, 200, 100, 64, 0), torch.float16, "cuda")
    with poisoned():
        found = backward(q, k, v, q * 0, do, torch.full_like(row, -torch.inf), dlse=row)
    assert all((x == 0).all() for x in found)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("d", [64, 128])
def test_twenty_times_dk_and_dv_the_same_bits(d, causal):
    """dQ is added up in an order that changes: its last bits may, dK's and dV's not."""
    q, k, v, do, lse = tensors((2, 8, 4, 1024, 1024, d, 0), torch.bfloat16, "cuda")
    first = None
    for _ in range(20):
        with poisoned():
            found = backward(q, k, v, q, do, lse + 9, causal=causal)
        assert all(x.isfinite().all() for x in found)
        first = first or found
        assert torch.equal(first[1], found[1]) and torch.equal(first[2], found[2])
        torch.testing.assert_close(first[0], found[0], rtol=2**-6, atol=1e-3)


@pytest.mark.parametrize("same", [False, True])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("d", [64, 128])
@pytest.mark.parametrize("n", [1024, 4096])
def test_errors_beside_pytorch(n, d, causal, same):
    """At most 1.1 times the error of SDPA's flash backend, in the Euclidean norm."""
    case = 1, 3, 3, n, n, d, causal
    q, k, v, do, _ = tensors(case, torch.bfloat16, "cuda", torch.seed() % 2**31)
    true = exact(q, k, v, do, None, causal)[2:]
    peer = torch.nn.attention.SDPBackend.FLASH_ATTENTION
    leaves = [x.clone().requires_grad_() for x in (q, k, v)]
    with torch.nn.attention.sdpa_kernel(peer):
        sdpa = torch.nn.functional.scaled_dot_product_attention
        o = sdpa(*leaves, is_causal=causal)
    theirs = torch.autograd.grad(o, leaves, do)
    lse = exact(q, k, v, do, None, causal)[1].float()
    torch.use_deterministic_algorithms(same, warn_only=True)
    ours = backward(q, k, v, o.detach(), do, lse, causal=causal)
    torch.use_deterministic_algorithms(False)
    for x, y, z in zip(ours, theirs, true):
        assert (x - z).norm() <= 1.1 * (y - z).norm()


def test_past_two_to_the_31_elements():
    """A head's rows lie 2²¹ elements apart: the last one begins past 2³¹."""
    n, d = 1100, 64
    if torch.cuda.mem_get_info()[0] < n * 2**22 + 2**30:
        pytest.skip("needs 6 GB")
    wide = torch.empty(n * 2**21, dtype=torch.bfloat16, device="cuda")
    q, k, v, do, row = tensors((1, 1, 1, n, n, d, True), torch.bfloat16, "cuda")
    apart = [
        wide[i * d :].as_strided(x.shape, (1, 1, 2**21, 1))
        for i, x in enumerate((q, k, v, do))
    ]
    for x, y in zip(apart, (q, k, v, do)):
        x.copy_(y)
    one = backward(q, k, v, q, do, row + 9, causal=True)
    two = backward(*apart[:3], q, apart[3], row + 9, causal=True)
    assert torch.equal(one[1], two[1]) and torch.equal(one[2], two[2])
    torch.testing.assert_close(one[0], two[0], rtol=2**-6, atol=1e-3)


def test_many_elements():
    """Tensors of more than 2³¹ elements: the last head's gradients are its own."""
    heads, n, d = 270, 125_000, 64
    if torch.cuda.mem_get_info()[0] < heads * n * d * 22 + 2**30:
        pytest.skip("needs 50 GB")
    q = torch.randn(1, heads, n, d, device="cuda", dtype=torch.bfloat16)
    lse = torch.full((1, heads, n), 14.0, device="cuda")
    all_heads = backward(q, q, q, q, q, lse, causal="top-left")
    last = q[:, -1:]
    one = backward(last, last, last, last, last, lse[:, -1:], causal="top-left")
    assert torch.equal(all_heads[1][:, -1:], one[1])
    assert torch.equal(all_heads[2][:, -1:], one[2])
