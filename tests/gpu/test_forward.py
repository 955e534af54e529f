"""Every forward rung on the card, against float64: pytest tests/gpu."""

import pytest
import torch

pytest.importorskip("triton")
if not torch.cuda.is_available():
    pytest.skip("needs a GPU", allow_module_level=True)

from tilewise import kernels
from tilewise.standard import standard_forward

from ..kernels._cases import CASES, FP32, faults, relative

BF16, FP16 = torch.bfloat16, torch.float16
MORE = {  # dtype, batch, heads, key heads, N_q, N_k, d, causal, scale
    "bf16, d 80": (BF16, 2, 4, 2, 300, 411, 80, True, None),
    "bf16, d 96": (BF16, 1, 6, 1, 411, 300, 96, True, None),
    "bf16, ragged": (BF16, 2, 2, 2, 333, 333, 64, False, None),
    "bf16, top-left": (BF16, 1, 4, 4, 200, 500, 128, "top-left", None),
    "bf16, d 256": (BF16, 1, 2, 1, 130, 259, 256, True, None),
    "bf16, aligned": (BF16, 2, 4, 4, 1024, 1024, 128, False, None),
    "bf16, aligned causal": (BF16, 2, 4, 4, 1024, 1024, 64, True, None),
    "fp16, decoding": (FP16, 2, 8, 2, 1, 1000, 128, True, None),
    "fp32, long": (FP32, 1, 2, 2, 257, 515, 64, True, None),
    "many heads": (FP16, 70_000, 1, 1, 16, 16, 16, True, None),
}
CASES = CASES | MORE


def rungs_here():
    """The rungs that this card has; those in Gluon are for Hopper alone."""
    hopper = torch.cuda.get_device_capability()[0] == 9
    return [name for name in kernels.FORWARD if hopper or not name.startswith("gluon")]


RUNGS = rungs_here()
pytestmark = pytest.mark.usefixtures("new_memory_is_nan")


@pytest.mark.parametrize("title", CASES)
@pytest.mark.parametrize("rung", RUNGS)
def test_rung_is_right(rung, title):
    seed, case = list(CASES).index(title), CASES[title]
    if rung.startswith("gluon"):  # the shapes of the fp32 cases too
        case = (BF16 if case[0] == FP32 else case[0], *case[1:])
    assert list(faults(rung, case, seed, device="cuda")) == []


@pytest.mark.parametrize("rung", RUNGS)
def test_a_run_is_like_the_next(rung):
    torch.manual_seed(0)
    q, k, v = (torch.randn(2, 4, 777, 64, dtype=BF16, device="cuda") for _ in range(3))
    forward = getattr(kernels, rung).forward
    o, lse = forward(q, k, v, causal=True)
    for _ in range(20):
        again = forward(q, k, v, causal=True)
        assert torch.equal(o, again[0]) and torch.equal(lse, again[1])


@pytest.mark.parametrize("rung", RUNGS[2:])
def test_more_than_2_31_elements(rung):
    """The last head and the last rows of tensors whose offsets need 64 bits."""
    shape = (1, 9, 2**21, 128)  # 2.4e9 elements, 4.5 GiB each
    if torch.cuda.mem_get_info()[0] < 20 * 2**30:
        pytest.skip("needs 20 GiB of GPU memory")
    k = torch.empty(1, 9, 64, 128, dtype=BF16, device="cuda").normal_()
    q = torch.empty(shape, dtype=BF16, device="cuda").normal_()
    o, _ = getattr(kernels, rung).forward(q, k, k)
    tail = [x[:, -1:, -100:].double() for x in (q, o)]
    exact, _ = standard_forward(tail[0], *2 * [k[:, -1:].double()])
    assert relative(tail[1], exact) < 1e-2
