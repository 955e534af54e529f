"""One service and one server process for all tests that leave them as they were."""

import pytest

from ._process import server
from ._service import service


@pytest.fixture(scope="package")
def served():
    with service() as found:
        yield found


@pytest.fixture(scope="package")
def port():
    """A server with a deadline of two seconds and room for eight connections."""
    with server("--deadline", "2", "--connections", "8") as (_, found):
        yield found
