"""The command line given what nobody means well with: a sentence and an exit code, and never a traceback or a wait."""

import os
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import structlog
from click.testing import CliRunner, Result

from coordinator.cli import cli
from coordinator.files import source
from coordinator.verbs import api, verify_deals

NOT_UTF_8 = "x\udcff"
NOBODY = "ws://127.0.0.1:1"


def run(*words: str, **env: str) -> Result:
    result = CliRunner().invoke(cli, list(words), env=env)
    assert "[bug]" not in result.stderr
    return result


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(source, "PATIENCE_S", 0.001)
    yield
    structlog.reset_defaults()  # a daemon that was about to start has set its log up


READERS = [
    ["check"],
    ["simulate"],
    ["history"],
    ["tourney", "preview"],
    ["config", "check"],
    ["serve", "--journal", "sqlite:///", "--definition"],
    ["serve", "--journal", "sqlite:///", "--credentials"],
    ["credentials", "check", "--file"],
    ["credentials", "make", "me", "--role", "table", "--file"],
    ["verify-deals", "--file"],
]


@pytest.mark.parametrize("words", READERS, ids=" ".join)
@pytest.mark.parametrize("what", ["a pipe nobody writes into", "a folder", "no end", "a name too long", "binary"])
def test_what_is_no_file_of_ours_is_named(
    words: list[str], what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verify_deals, "MOST_BYTES", 1_000_000)
    file = {"no end": "/dev/zero", "a name too long": "x" * 5000}.get(what, "given.toml")
    if what == "a pipe nobody writes into":
        os.mkfifo("given.toml")
    elif what == "a folder":
        Path("given.toml").mkdir()
        Path("given.toml", "inside.toml").write_text("none")  # a folder may be given for the definitions in it
    elif what == "binary":
        Path("given.toml").write_bytes(bytes(range(256)) * 8)
    result = run(*words, file)
    assert result.exit_code in (1, 3)
    assert file in result.stderr + result.stdout


def test_a_pipe_that_somebody_writes_into_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo("cup.toml")
    text = Path(source.__file__).parents[1].joinpath("examples", "cup.toml").read_bytes()
    writer = threading.Thread(target=Path("cup.toml").write_bytes, args=(text,))
    writer.start()
    monkeypatch.setattr(source, "PATIENCE_S", 60)
    result = run("check", "cup.toml")
    writer.join()
    assert result.exit_code == 0
    assert "is in order" in result.stdout


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (".".join(["a"] * 20_000) + " = 1", "nested too deeply"),
        ('"a"' + ' . "a"' * 20_000 + " = 1", "nested too deeply"),
        ("a = " + "[" * 50_000, "nested too deeply"),
        ("\n".join(f"k{n} = 1" for n in range(20_000)), "more mistakes are left out"),
        ("[[stages]]\n" * 4_000, "more mistakes are left out"),
    ],
    ids=["a long key", "a long key in quotes", "many brackets", "many keys", "many tables"],
)
def test_a_file_that_would_take_for_ever_is_refused_soon(text: str, said: str) -> None:
    Path("match.toml").write_text(text)
    result = run("check", "match.toml")
    assert result.exit_code == 3
    assert said in result.stdout
    assert len(result.stdout.splitlines()) <= 501


@pytest.mark.parametrize(
    "words",
    [
        ["match", "show", NOT_UTF_8],
        ["match", "list", "--before", NOT_UTF_8],
        ["tourney", "show", NOT_UTF_8],
        ["match", "disqualify", "m", NOT_UTF_8, "--url", NOBODY],
        ["credentials", "make", NOT_UTF_8, "--role", "table"],
        ["simulate", "cup", "--runs", "1", "--seed", NOT_UTF_8],
    ],
    ids=" ".join,
)
def test_bytes_that_are_no_text_are_named(words: list[str]) -> None:
    result = run(*words)
    assert result.exit_code == 2
    assert "'x\\udcff' is not UTF-8 text" in result.stderr
    assert not list(Path().iterdir())


def test_a_file_may_have_any_name() -> None:
    Path(f"{NOT_UTF_8}.toml").write_text('id = "x"')
    result = run("check", f"{NOT_UTF_8}.toml")
    assert result.exit_code == 3
    assert "x\\udcff.toml" in result.stdout


@pytest.mark.parametrize(
    "words",
    [
        ["ladder", "extend", "m", "1", "--hours", "nan"],
        ["ladder", "extend", "m", "1", "--hours", "1e300"],
        ["match", "penalty", "m", "p", "--points", "9" * 30],
        ["match", "correct", "m", "9" * 30, "1", "p=1"],
        ["match", "correct", "m", "1", "1", "p=" + "9" * 5000],
        ["simulate", "cup", "--hand-s", "nan"],
        ["simulate", "cup", "--dropout", "nan"],
        ["simulate", "ladder", "--days", "nan"],
        ["tourney", "preview", "daily_cup", "--from", "9999-12-31T23:59:59Z"],
        ["tourney", "preview", "daily_cup", "--from", "0001-01-01T00:00:00+14:00"],
    ],
    ids=lambda words: " ".join(words)[:50],
)
def test_numbers_that_are_none_are_wrong_usage(words: list[str]) -> None:
    assert run(*words).exit_code == 2


@pytest.mark.parametrize("speed", ["nan", "inf"])
def test_a_calendar_runs_at_a_speed(speed: str) -> None:
    result = run("serve", "--calendar-speed", speed)
    assert result.exit_code == 3
    assert "--calendar-speed" in result.stderr


@pytest.mark.parametrize("rest", ["[::1", "127.0.0.1:99999", "127.0.0.1:x", "a..b", "a b", "", NOT_UTF_8, "h/\n"])
def test_an_address_that_cannot_be_dialled_is_wrong_usage(rest: str) -> None:
    for words, scheme in ((["status"], "http"), (["match", "reseat", "m"], "ws")):
        result = run(*words, "--url", f"{scheme}://{rest}")
        assert result.exit_code == 2
        assert "address" in result.stderr


@pytest.mark.parametrize("host", ["x" * 80, "a..b"])
def test_the_host_of_a_database_that_cannot_be_looked_up_is_named(host: str) -> None:
    result = run("replay", "--journal", f"postgresql://{host}/cup")
    assert result.exit_code == 6


@contextmanager
def answering(said: bytes) -> Iterator[str]:
    """A program that says the same to everybody."""

    class Stranger(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            self.request.recv(65_536)
            self.request.sendall(said)

    with socketserver.TCPServer(("127.0.0.1", 0), Stranger) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize(
    "body",
    [
        b"[" * 200_000,
        b'[1, "a", null]',
        b"null",
        b'"x"',
        b'{"matches": 5, "instances": [{}], "over": 3, "standings": [1]}',
        b"1" * 99_999,
    ],
    ids=["deep", "a list", "null", "a text", "other words", "without an end"],
)
@pytest.mark.parametrize(
    "words",
    [
        ["status"],
        ["match", "list"],
        ["match", "show", "m"],
        ["tourney", "list"],
        ["tourney", "show", "t"],
        ["tourney", "cancel", "t.1", "--yes"],
    ],
    ids=" ".join,
)
def test_an_answer_of_another_program_is_told_apart(
    words: list[str], body: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api, "_MOST_BYTES", 90_000)
    with answering(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n" + body) as url:
        result = run(*words, "--url", url)
    if body == b"null" and words[1:] == ["list"]:
        assert result.exit_code == 0  # as a coordinator that has none
    else:
        assert result.exit_code == 1
        assert "no coordinator of this version" in result.stderr


def test_an_error_of_another_program_is_told_as_its_status() -> None:
    with answering(b"HTTP/1.1 500 \xff\x1b[31m\r\n\r\n" + b"[" * 200_000) as url:
        result = run("status", "--url", url)
    assert result.exit_code == 1
    assert "\x1b" not in result.stderr
    assert "500" in result.stderr


def test_a_bearer_that_no_header_can_hold_is_named() -> None:
    result = run("tourney", "cancel", "t.1", "--yes", COORDINATOR_BEARER="ada:\n")
    assert result.exit_code == 2
    assert "COORDINATOR_BEARER" in result.stderr


@pytest.mark.parametrize("start", ["9999-12-31T23:00:00", "9998-12-31T23:00:00", "0001-01-01T00:00:00"])
@pytest.mark.parametrize("repeat", ["none", "hourly", "daily", "weekly", "monthly"])
def test_a_start_at_the_ends_of_the_calendar_is_reckoned_or_never_comes(start: str, repeat: str) -> None:
    shipped = Path(source.__file__).parents[1].joinpath("examples", "daily_cup.toml").read_text()
    text = shipped.replace("2026-01-01T20:00:00", start).replace('repeat = "daily"', f'repeat = "{repeat}"')
    Path("edge.toml").write_text(text)
    assert run("tourney", "preview", "edge.toml").exit_code == 0
    assert run("tourney", "preview", "edge.toml", "--from", "9998-12-30T00:00:00Z").exit_code == 0
