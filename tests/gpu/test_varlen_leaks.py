"""Packed documents on a GPU: no bit of one document changes with another."""

import pytest
import torch

pytest.importorskip("triton")
if not torch.cuda.is_available():
    pytest.skip("needs a GPU", allow_module_level=True)

from tilewise import flash_attention_varlen

from ..kernels._varlen_pair import pair
from ..varlen._varlen import bounds, changed, ends, gradients, leaks
from ._varlen import BF16, PLAIN, both, draw


@pytest.mark.parametrize("value", [None, torch.nan, torch.inf])
@pytest.mark.parametrize("d", [64, 128])
@both
def test_no_leak(names, d, value):
    """No bit of another document changes; dQ of Gluon may, since sums may."""
    lengths = [[100, 0, 333, 65, 128]] * 2
    given = draw(lengths, 4, 2, d, BF16)
    for causal, b in ((True, 0), (False, 2), (True, 4)):
        f = pair(lengths, {"causal": causal, "scale": None}, names=names)
        found = leaks(f, *given, *lengths, b, value)
        assert [x for x in found if names == PLAIN or "dq" not in x] == []
        if found:  # the same to rounding, and no NaN
            places = [bounds(n) for n in lengths]
            dq, right = (
                gradients(f, *x)[2] for x in (changed(*given, places, b, value), given)
            )
            for other, at in enumerate(places[0]):
                if other != b:
                    torch.testing.assert_close(dq[at], right[at], rtol=2**-6, atol=1e-2)


def test_no_leak_by_the_public_function():
    """With deterministic algorithms no bit of dQ changes either."""
    lengths = [[100, 0, 333, 65, 128]] * 2
    given, cu = draw(lengths, 4, 2, 64, BF16), ends(lengths[0], device="cuda")

    def f(*x):
        return flash_attention_varlen(*x, cu, cu, causal=True, return_lse=True)

    torch.use_deterministic_algorithms(True)
    try:
        assert leaks(f, *given, *lengths, 2, torch.nan) == []
    finally:
        torch.use_deterministic_algorithms(False)
