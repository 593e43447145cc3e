"""A cup, and the site that shows it on a loopback port. Requests are made in a thread, as a browser would."""

import http.client
import json
from collections.abc import AsyncIterator, Mapping
from functools import partial
from typing import Any

import attrs
import pytest
import trio

from coordinator.web.serve import serve_http
from tests.web.moving_cup import MovingCup


@attrs.frozen
class Answer:
    """What a request got."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@attrs.frozen
class Site:
    """A running site: ask it, or stop it."""

    port: int
    stopping: trio.Event

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def ask(self, path: str, *, method: str = "GET", **headers: str) -> Answer:
        """One request on a connection of its own. Header names are given with underscores."""
        return await trio.to_thread.run_sync(self._ask, path, method, headers)

    def _ask(self, path: str, method: str, headers: Mapping[str, str]) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, path, headers=named)
            answer = connection.getresponse()
            fields = {name.lower(): value for name, value in answer.getheaders()}
            return Answer(answer.status, fields, answer.read())
        finally:
            connection.close()


@pytest.fixture
def cup() -> MovingCup:
    return MovingCup()


@pytest.fixture
async def site(cup: MovingCup, nursery: trio.Nursery) -> AsyncIterator[Site]:
    stopping = trio.Event()
    serve = partial(serve_http, cup, host="127.0.0.1", port=0, allowed_hosts=["cup.example"], stopping=stopping)
    port = await nursery.start(serve)
    yield Site(port, stopping)
    stopping.set()
