"""Which requests are for us, and what every answer forbids the browser."""

import pytest
import trio

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


@pytest.mark.parametrize(
    "headers",
    [
        {"Upgrade": "h2c", "HTTP2_Settings": "AAMAAABk"},
        {"Upgrade": "websocket", "Sec_WebSocket_Version": "13", "Sec_WebSocket_Key": "dGhlIHNhbXBsZSBub25jZQ=="},
        {"Upgrade": "websocket"},
    ],
)
async def test_an_upgrade_is_passed_over(site: Site, headers: dict[str, str]) -> None:
    """The port speaks HTTP/1.1 and nothing else, as every answer to an offer of more may say (RFC 9110, 7.8)."""
    answer = await site.ask("/healthz", Connection="Upgrade", **headers)
    assert (answer.status, answer.json) == (200, {"ok": True})


async def test_a_body_with_two_lengths_is_refused(site: Site) -> None:
    """What a proxy takes for the body of one request may be another request: that one is never served."""
    head = b"POST /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"
    assert await answers(site, head + b"0\r\n\r\n") == [b"HTTP/1.1 400 "]
    hidden = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"
    assert b"HTTP/1.1 200 " not in await answers(site, head + b"0\r\n\r\n" + hidden)


async def answers(site: Site, said: bytes) -> list[bytes]:
    """The first line of every answer, until the connection ends."""
    async with await trio.open_tcp_stream("127.0.0.1", site.port) as stream:
        await stream.send_all(said)
        got = b""
        while piece := await stream.receive_some():
            got += piece
    return [line for line in got.split(b"\r\n") if line.startswith(b"HTTP/")]
