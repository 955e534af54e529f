"""The sweep over the part FlashAttention."""

import pytest

from ._sweep import part


@pytest.mark.parametrize("file", part("flash-attention"))
def test_page(sweep, file):
    found = sweep(file)
    assert not found, found
