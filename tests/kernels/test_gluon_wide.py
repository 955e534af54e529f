"""gluon_wide_backward without a GPU: bad input, what ptxas makes of it, who gets it.

What it computes is for tests/gpu.
"""

import pytest
import torch

from tilewise.attention import dispatch
from tilewise.kernels import gluon_wide_backward

from ._child import asked, told

SHARED = 227 * 1024  # bytes that a program may have
TABLE = [(d, causal) for d in (192, 256) for causal in (False, True)]
PRODUCTS = {"keys_kernel": 4, "dq_kernel": 3}  # of a tile


def given(**changes):
    made = {x: torch.zeros(1, 4, 20, 136).half() for x in ("q", "k", "v", "o", "do")}
    return made | {"lse": torch.zeros(1, 4, 20)} | changes


BAD = {
    "take fp16 and bf16, not torch.float32": {
        x: torch.zeros(1, 4, 20, 136) for x in ("q", "k", "v", "o", "do")
    },
    "must be \\(batch, heads, N, d\\)": {"k": torch.zeros(20, 136).half()},
    "differ in d": {"k": torch.zeros(1, 4, 20, 144).half()},
    "up to 256": {
        x: torch.zeros(1, 4, 20, 264).half() for x in ("q", "k", "v", "o", "do")
    },
    "lse must be": {"lse": torch.zeros(1, 4, 21)},
    "are for Hopper GPUs, not for cpu": {},
}


@pytest.mark.parametrize("message", BAD)
def test_bad_input_gets_one_sentence(message):
    with pytest.raises(ValueError, match=message):
        gluon_wide_backward.backward(**given(**BAD[message]))


@pytest.fixture(scope="module")
def compiled(request):
    """{(d, causal): {kernel: counts}} of what the tests ask for."""
    keys = [*dict.fromkeys(key for (key,) in asked(request, "key"))] or TABLE
    job = {"rung": "gluon_wide_backward", "pass": "backward", "arch": 90}
    jobs = [job | {"d": d, "causal": causal} for d, causal in keys]
    return dict(zip(keys, told("_compile.py", jobs)))


@pytest.mark.few(1)
@pytest.mark.parametrize("key", TABLE, ids=str)
def test_fits_and_takes_the_units_of_hopper(compiled, key):
    """No spills, and every product in 64 × 64 × 16 or 64 × 256 × 16, on both sides."""
    found = compiled[key]
    assert found.keys() == {"rows_kernel", *PRODUCTS}, found
    for name, products in PRODUCTS.items():
        counts = found[name]
        assert counts["shared"] <= SHARED and counts["registers"] <= 168, counts
        assert counts["spills"] == 0, counts
        assert counts["mma"] == 0 and counts["tma"] > 0, counts
        assert "overwritten" not in counts, counts
        # S or dP before the loop, in it all, after it the last sum: of two consumers
        scores, sums = 256 // 16, 64 // 16
        once = {4: 4 * (scores + sums), 3: 2 * (4 * scores + 2 * sums)}[products]
        assert counts["wgmma"] == once, counts


@pytest.mark.parametrize("d", [136, 192, 256])
def test_wide_heads_on_hopper_have_gluon_with_the_same_bits_each_time(d):
    pair = "gluon_forward", "gluon_wide_backward"
    for deterministic in (False, True):
        found = dispatch.rungs((9, 0), torch.bfloat16, d, deterministic=deterministic)
        assert found == pair
    plain = "descriptors", "backward_descriptors"
    assert dispatch.rungs((9, 0), torch.bfloat16, d, gluon=False) == plain
    assert dispatch.rungs((10, 0), torch.bfloat16, d) == plain
    assert dispatch.rungs((9, 0), torch.float32, d) == ("causal", "backward_split")
