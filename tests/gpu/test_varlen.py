"""Both pairs of kernels for packed documents on a GPU, and the function above them."""

import os
import random

import pytest
import torch

pytest.importorskip("triton")
if not torch.cuda.is_available():
    pytest.skip("needs a GPU", allow_module_level=True)

from tilewise import flash_attention, flash_attention_varlen

from ..kernels._varlen_pair import pair
from ..varlen._varlen import bounds, ends, gradients
from ._varlen import BF16, CAUSAL, FP16, FP32, GLUON, LENGTHS, both, draw, hold


@pytest.mark.parametrize("causal", CAUSAL)
@pytest.mark.parametrize("title", LENGTHS)
@pytest.mark.parametrize("d", [16, 64, 80, 128])
@both
def test_lengths(names, d, title, causal):
    lengths = LENGTHS[title][0], LENGTHS[title][1] or LENGTHS[title][0]
    options = {"causal": causal, "scale": None}
    dtype = (BF16, FP16)[d == 80]
    given = draw(lengths, 6, 2, d, dtype, seed=d // 16)
    hold(pair(lengths, options, names=names), lengths, *given, options)


@pytest.mark.parametrize(
    "d, dtype", [(256, BF16), (136, FP16), (64, FP32), (256, FP32)]
)
def test_what_only_plain_triton_takes(d, dtype):
    for title in ("long tail", "empty ones"):
        lengths = LENGTHS[title][0], LENGTHS[title][1] or LENGTHS[title][0]
        options = {"causal": True, "scale": 0.1}
        given = draw(lengths, 4, 1, d, dtype)
        hold(pair(lengths, options), lengths, *given, options)


@both
def test_random_documents(names):
    """Lengths around the edges of tiles, other ones in every run."""
    seed = int.from_bytes(os.urandom(4), "big")
    rng = random.Random(seed)
    edges = [0, 0, 1, 15, 63, 64, 65, 127, 128, 129, 191, 192, 193, 256, 300, 777]
    for _ in range(40):
        count = rng.randint(1, 12)
        lengths = [[rng.choice(edges) for _ in range(count)] for _ in "qk"]
        lengths = [[*n, 0 if sum(n) else 100] for n in lengths]
        group, kv_heads = rng.choice([1, 2, 3]), rng.choice([1, 2, 5])
        options = {"causal": rng.choice(CAUSAL), "scale": rng.choice([None, 0.3, -0.2])}
        d, dtype = rng.choice([8, 24, 64, 72, 96, 128]), rng.choice([BF16, FP16])
        number = rng.randrange(2**20)
        given = draw(lengths, group * kv_heads, kv_heads, d, dtype, number)
        try:
            hold(pair(lengths, options, names=names), lengths, *given, options)
        except AssertionError as error:
            case = (seed, lengths, group, kv_heads, d, dtype, options, number)
            raise AssertionError(f"{error}: {case}") from error


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("d", [64, 128])
@both
def test_twenty_times_the_same_bits(names, d, causal):
    lengths = [[1000, 24, 0, 2222, 130]] * 2
    given = draw(lengths, 8, 4, d, BF16)
    f = pair(lengths, {"causal": causal, "scale": None}, names=names)
    first = gradients(f, *given)
    for _ in range(20):
        again = gradients(f, *given)
        assert all(x.isfinite().all() for x in again)
        for name, x, y in zip(("o", "L", "dq", "dk", "dv"), first, again):
            if name == "dq" and names == GLUON:
                torch.testing.assert_close(x, y, rtol=2**-6, atol=1e-2)
            else:
                assert torch.equal(x, y), name


@both
def test_heads_take_turns(names):
    lengths = [[20480, 100]] * 2  # more than one fp32 dQ has room for
    given = draw(lengths, 16, 8, 128, BF16)
    f = pair(lengths, {"causal": True, "scale": None}, names=names)
    found = gradients(f, *given)
    for at in bounds(lengths[0]):
        one = [[x[at].transpose(0, 1)[None] for x in xs] for xs in given]
        leaves = [x.requires_grad_() for x in one[0]]
        o, lse = flash_attention(*leaves, causal=True, return_lse=True)
        grads = torch.autograd.grad((o, lse), leaves, one[1])
        for x, y in zip(found, (o, lse, *grads)):
            y = y[0].transpose(0, 1) if y.ndim == 4 else y[0].T
            torch.testing.assert_close(x[at], y, rtol=2**-6, atol=2e-2)


@pytest.mark.filterwarnings("ignore:Synchronization debug mode is a prototype")
@pytest.mark.parametrize("where", ["cpu", "cuda"])
def test_the_public_function_never_waits(where):
    """Nothing asks the GPU, and lengths on the CPU serve as well."""
    lengths = LENGTHS["long tail"][0]
    tensors, (do, _) = draw([lengths] * 2, 4, 2, 64, BF16)
    leaves = [x.requires_grad_() for x in tensors]
    cu = ends(lengths, torch.int32, where)
    flash_attention_varlen(*leaves, cu, cu, causal=True).backward(do)  # compiles
    torch.cuda.set_sync_debug_mode("error")
    try:
        flash_attention_varlen(*leaves, cu, cu, causal=True).backward(do)
    finally:
        torch.cuda.set_sync_debug_mode("default")


def test_what_no_kernel_covers():
    lengths = LENGTHS["empty ones"]
    tensors, given = draw(lengths, 4, 2, 20, torch.float64)
    given, options = [x.double() for x in given], {"causal": True, "scale": None}
    places = [ends(n, device="cuda") for n in lengths]

    def f(*x):
        return flash_attention_varlen(*x, *places, return_lse=True, **options)

    hold(f, lengths, tensors, given, options)
