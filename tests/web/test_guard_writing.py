"""What would change something: from our own pages, by a director, and small."""

from pathlib import Path

import pytest
from starlette.responses import PlainTextResponse
from starlette.testclient import TestClient

from coordinator.credentials import Credentials
from coordinator.web.bearers import Bearers
from coordinator.web.guard import BODY_BYTES, Guard
from protocol.auth import HashedToken


async def changed(scope, receive, send):
    await PlainTextResponse("changed")(scope, receive, send)


def client(may_write=None, **words) -> TestClient:
    return TestClient(Guard(changed, [], may_write=may_write, **words), base_url="http://localhost:7421")


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "BREW"])
def test_what_changes_something_needs_a_bearer(method: str) -> None:
    site = client(lambda bearer, _: bearer == "ada:right")
    for headers in ({}, {"Authorization": "Bearer ada:wrong"}, {"Authorization": "Basic ada:right"}):
        refused = site.request(method, "/x", headers=headers)
        assert refused.status_code == 401
        assert refused.json()["code"] == "no_token"
        assert refused.headers["www-authenticate"] == "Bearer"
    assert site.request(method, "/x", headers={"Authorization": "bearer ada:right"}).text == "changed"


def test_guessing_tokens_cannot_keep_the_daemon_busy(tmp_path: Path) -> None:
    file = tmp_path / "credentials.toml"
    entry = '[[credential]]\nidentity = "ada"\nroles = ["director"]\ntoken = "{}"\n'
    file.write_text(entry.format(HashedToken.of("right", iterations=1)))
    clock = [0.0]
    site = client(Bearers(Credentials(file), now=lambda: clock[0]))

    def post(token: str) -> int:
        return int(site.post("/x", headers={"Authorization": f"Bearer ada:{token}"}).status_code)

    assert post("right") == 200
    assert {post(f"guess {number}") for number in range(19)} == {401}
    assert post("one guess too many") == 429
    assert post("right") == 200, "who was right before is known again"
    clock[0] += 1
    assert post("another guess") == 401
    file.write_text(entry.format(HashedToken.of("new", iterations=1)))
    clock[0] += 10
    assert post("right") == 401, "an old token is known no more"


def test_who_asks_from_elsewhere_is_another_one() -> None:
    asked: list[str] = []

    def may_write(bearer: str, address: str) -> bool:
        asked.append(address)
        return True

    for host in ("192.0.2.1", "2001:db8::1"):
        site = TestClient(Guard(changed, [], may_write=may_write), "http://localhost:7421", client=(host, 50_000))
        assert site.post("/x", headers={"Authorization": "Bearer ada:right"}).text == "changed"
    assert asked == ["192.0.2.1", "2001:db8::1"]


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS"])
def test_what_only_reads_needs_none(method: str) -> None:
    assert client(lambda bearer, _: False).request(method, "/x").status_code == 200


def test_without_credentials_this_machine_may_change_things() -> None:
    assert client().post("/x").text == "changed"


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://localhost:1", "http://localhost:7421.evil"])
def test_pages_of_others_may_not_change_anything(origin: str) -> None:
    refused = client().post("/x", headers={"Origin": origin})
    assert (refused.status_code, refused.json()["code"]) == (403, "cross_site")


def test_our_own_pages_may() -> None:
    assert client().post("/x", headers={"Origin": "http://localhost:7421"}).text == "changed"


@pytest.mark.parametrize("length", [str(BODY_BYTES + 1), "9" * 5000, "-1", "1e3", "\u00b2"])
def test_a_body_that_is_too_large_is_not_read(length: str) -> None:
    refused = client().post("/x", headers=[(b"content-length", length.encode("latin-1"))])
    assert (refused.status_code, refused.json()["code"]) == (413, "too_large")


def test_over_tls_browsers_are_told_to_stay_there() -> None:
    assert "strict-transport-security" in client(over_tls=True).get("/x").headers
    assert "strict-transport-security" not in client().get("/x").headers
