"""The sweep over the parts GPU and Reference."""

import pytest

from ._sweep import part


@pytest.mark.parametrize("file", part("gpu", "reference"))
def test_page(sweep, file):
    found = sweep(file)
    assert not found, found
