"""One service for all tests that leave it as it was."""

import pytest

from ._service import service


@pytest.fixture(scope="package")
def served():
    with service() as found:
        yield found
