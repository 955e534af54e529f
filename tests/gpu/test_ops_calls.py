"""The public functions on a GPU: bits, torch.compile, graphs, waiting and memory."""

import math
import threading

import pytest
import torch

from tilewise import FlashAttention, flash_attention
from tilewise import scaled_dot_product_attention as sdpa
from tilewise.attention import dispatch, passes

from ._draw import draw, run

if not torch.cuda.is_available():
    pytest.skip("needs a GPU", allow_module_level=True)
BF16, FP32 = torch.bfloat16, torch.float32
CASES = [  # dtype, batch, heads, key heads, N_q, N_k, d, causal
    (BF16, 2, 4, 2, 512, 512, 128, True),
    (BF16, 1, 6, 2, 333, 470, 64, True),
    (BF16, 1, 2, 1, 130, 260, 256, True),
    (FP32, 1, 4, 2, 200, 257, 64, True),
]


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("d", [64, 128])
def test_the_same_bits_twenty_times(d, causal):
    q, k, v, do, dlse = draw((BF16, 2, 8, 4, 1024, 1024, d))

    def f(*x):
        return flash_attention(*x, causal=causal, return_lse=True)

    first = None
    for _ in range(20):
        again = run(f, (q, k, v), (do, dlse), deterministic=True)
        first = first or again
        assert all(torch.equal(*pair) for pair in zip(first, again))


@pytest.mark.parametrize("case", CASES[:3], ids=str)
def test_later_calls_are_as_the_rung_makes_them(case):
    """They are replayed: other tensors each time, with the bits of the first call."""
    replay = dispatch.kernel("host.replay")
    replay.PLANS.clear()
    for i, seed in enumerate((0, 2, 4, 6, 1, 3, 5, 7) * 3):  # odd: other strides
        q, k, v, do, dlse = draw(case, seed + 8 * i)
        given = (do, dlse) if seed % 4 < 2 else (do[..., :1].expand_as(do), dlse)
        rungs = dispatch.rungs((9, 0), BF16, q.shape[-1], deterministic=True)
        if torch.cuda.get_device_capability()[0] != 9:
            pytest.skip("these are Hopper's rungs")
        f = [dispatch.kernel(name) for name in rungs]
        o, lse = f[0].forward(q, k, v, causal=True)
        options = {"dlse": given[1], "causal": True}
        torch.use_deterministic_algorithms(True)
        expected = o, lse, *f[1].backward(q, k, v, o, given[0], lse, **options)
        torch.use_deterministic_algorithms(False)

        def ours(*x):
            return flash_attention(*x, causal=True, return_lse=True)

        found = run(ours, (q, k, v), given, deterministic=True)
        assert all(torch.equal(*pair) for pair in zip(found, expected))
        o, lse, *grads = run(ours, (q, k, v), given)
        assert torch.equal(o, expected[0]) and torch.equal(lse, expected[1])
        for x, y in zip(grads, expected[2:]):
            assert (x - y).abs().max() <= 2**-6 * y.abs().max()
    replayed = {key[0] for key, plan in replay.PLANS.items() if plan}
    parts = [vars(dispatch.kernel(name)) for name in rungs]
    assert all({x.get("forward"), x.get("backward")} & replayed for x in parts), rungs


def test_a_hopper_card_has_its_own_kernels():
    capability = torch.cuda.get_device_capability()
    if capability[0] == 9:
        known = dispatch.kernel("host.launch").KNOWN
        assert dispatch.card(torch.device("cuda", 0)) == (capability, known)


@pytest.mark.filterwarnings("ignore")  # inductor's own
@pytest.mark.parametrize("case", CASES, ids=str)
def test_compiled_in_one_piece(case):
    torch._dynamo.reset()
    *tensors, do, _ = draw(case, seed=1)

    def f(q, k, v):
        return [flash_attention(q * 2, k, v, causal=True) * 0.5]

    expected = run(f, tensors, [do], deterministic=True)
    compiled = torch.compile(f, fullgraph=True)
    found = run(compiled, tensors, [do], deterministic=True)
    for x, y in zip(found, expected):
        torch.testing.assert_close(x, y, rtol=2**-6, atol=2**-8)


@pytest.mark.filterwarnings("ignore")  # inductor's own
def test_the_module_compiled_for_all_lengths():
    torch._dynamo.reset()
    layer = FlashAttention(256, 4, causal=True, device="cuda", dtype=BF16)
    compiled = torch.compile(layer, fullgraph=True, dynamic=True)
    for n in (64, 100, 333):
        x = torch.randn(2, n, 256, device="cuda", dtype=BF16)
        torch.testing.assert_close(compiled(x), layer(x), rtol=2**-6, atol=2**-8)
        compiled(x).sum().backward()


@pytest.mark.filterwarnings("ignore:The AccumulateGrad node's stream")
def test_a_cuda_graph_holds_both_passes():
    q, k, v, do, _ = draw((BF16, 2, 4, 4, 512, 512, 64))
    x = [y.detach().requires_grad_() for y in (q, k, v)]

    def step():
        o = flash_attention(*x, causal=True)
        return o, *torch.autograd.grad(o, x, do)

    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        for _ in range(3):
            step()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        held = step()
    with torch.no_grad():
        for y in (*x, do):
            y.copy_(torch.randn_like(y))
    graph.replay()
    for a, b in zip(held, step()):
        torch.testing.assert_close(a, b, rtol=2**-6, atol=2**-6)


@pytest.mark.filterwarnings("ignore:Synchronization debug mode is a prototype")
@pytest.mark.parametrize("dtype, d", [(BF16, 64), (BF16, 128), (BF16, 256), (FP32, 64)])
def test_the_host_waits_for_nothing(dtype, d):
    x = torch.randn(2, 4, 200, d, device="cuda", dtype=dtype, requires_grad=True)
    for _ in range(2):
        flash_attention(x, x, x, causal=True).sum().backward()
    torch.cuda.set_sync_debug_mode("error")
    try:
        flash_attention(x, x, x, causal=True).sum().backward()
    finally:
        torch.cuda.set_sync_debug_mode("default")


def test_a_thread_that_has_not_used_the_card_yet():
    """It has no context of CUDA's, and the first thing it does is a replayed call."""
    case = BF16, 1, 2, 2, 256, 256, 64
    q, k, v, do, _ = draw(case)
    options, found = passes.Options(causal=True), []

    def step():
        o, lse = passes.forward(q, k, v, None, options)
        given = q, k, v, o, do, lse, None, None, False, options
        return o, lse, *passes.backward(*given)[:3]

    torch.use_deterministic_algorithms(True)
    try:
        for _ in range(6):
            expected = step()
        thread = threading.Thread(target=lambda: found.extend(step()))
        thread.start()
        thread.join()
    finally:
        torch.use_deterministic_algorithms(False)
    assert len(found) == 5 and all(map(torch.equal, found, expected))


@pytest.mark.parametrize("deterministic", [False, True])
@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize("d", [64, 128])
def test_memory_beyond_the_results_is_small(d, backward, deterministic):
    """At N = 16,384 at most 1% of S in bf16, for one batch entry of 2048 / d heads.

    In the first call of a kind, in the fourth, which is watched, and from the fifth on.
    """
    n, heads = 16384, 2048 // d
    q, k, v, do, _ = draw((BF16, 1, heads, heads, n, n, d))
    x = [y.detach().requires_grad_() for y in (q, k, v)]
    for _ in range(6):
        torch.use_deterministic_algorithms(deterministic)
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
        try:
            out = [flash_attention(*x, causal=True)]
            out += torch.autograd.grad(out, x, do) if backward else []
        finally:
            torch.use_deterministic_algorithms(False)
        used = torch.cuda.max_memory_allocated() - before
        used -= sum(y.numel() * y.itemsize for y in out)
        assert used <= 0.01 * heads * n * n * 2
        out.clear()


def test_batches_and_lengths_of_nothing():
    x = torch.empty(2, 3, 0, 64, device="cuda", dtype=BF16)
    y = torch.randn(2, 3, 7, 64, device="cuda", dtype=BF16)
    assert sdpa(x, y, y).shape == x.shape
    assert torch.equal(sdpa(y, x, x), torch.zeros_like(y))
    assert math.prod(sdpa(y[:0], y[:0], y[:0]).shape) == 0
