"""The sweep over the door, the pages for a wrong address, and three first parts."""

import pytest

from ._sweep import part


@pytest.mark.parametrize("file", part("", "start", "why", "softmax"))
def test_page(sweep, file):
    found = sweep(file)
    assert not found, found
