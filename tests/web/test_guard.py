"""Which requests are for us, and what every answer forbids the browser."""

import pytest

from coordinator.web.guard import host_name
from tests.web.conftest import Site


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("localhost", "localhost"),
        ("LocalHost:8080", "localhost"),
        ("127.0.0.1:80", "127.0.0.1"),
        ("[::1]", "[::1]"),
        ("[::1]:8080", "[::1]"),
        ("::1", "::1"),
        ("cup.example:", "cup.example"),
        ("cup.example:80x", "cup.example:80x"),
        ("", ""),
    ],
)
def test_host_name(value: str, name: str) -> None:
    assert host_name(value) == name


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:9", "[::1]:80", "cup.example", "CUP.example:8443"])
async def test_our_names(site: Site, host: str) -> None:
    assert (await site.ask("/healthz", Host=host)).status == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "localhost@evil.example", "127.0.0.2"]
)
@pytest.mark.parametrize("path", ["/", "/api/v1/status", "/healthz", "/static/match.js", "/other"])
async def test_other_names_are_misdirected(site: Site, host: str, path: str) -> None:
    answer = await site.ask(path, Host=host, Accept="text/html")
    assert (answer.status, answer.json["code"]) == (421, "wrong_host")
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("path", ["/", "/api/v1/status", "/static/site.css", "/metrics", "/other"])
async def test_every_answer_carries_the_policy(site: Site, path: str) -> None:
    answer = await site.ask(path)
    assert answer.headers["content-security-policy"] == (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
        "frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
    )
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "set-cookie" not in answer.headers
    assert "access-control-allow-origin" not in answer.headers


async def test_a_websocket_is_turned_away(site: Site) -> None:
    answer = await site.ask(
        "/",
        Connection="Upgrade",
        Upgrade="websocket",
        Sec_WebSocket_Version="13",
        Sec_WebSocket_Key="dGhlIHNhbXBsZSBub25jZQ==",
    )
    assert answer.status == 403
