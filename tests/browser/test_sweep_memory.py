"""The sweep over the parts Memory and Pitfalls."""

import pytest

from ._sweep import part


@pytest.mark.parametrize("file", part("memory", "pitfalls"))
def test_page(sweep, file):
    found = sweep(file)
    assert not found, found
