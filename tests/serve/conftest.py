"""One service and one server process for all tests that leave them as they were."""

import pytest

from ._service import Service, server


@pytest.fixture(scope="package")
def served():
    with Service() as service:
        yield service


@pytest.fixture(scope="package")
def port():
    """A server that is strict with its time and with the number of connections."""
    with server("--deadline", "2", "--connections", "8") as (_, port):
        yield port
