"""Options that several verbs share: where a daemon is asked for that nobody has named."""

import ssl
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
import trustme
from click.testing import CliRunner

from coordinator.cli import cli


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("COORDINATOR_URL", "COORDINATOR_WS_URL", "COORDINATOR_CONFIG"):
        monkeypatch.delenv(name, raising=False)


def asked(*words: str) -> str:
    result = CliRunner().invoke(cli, words)
    assert result.exit_code != 0
    return result.stderr


def test_a_verb_asks_where_the_settings_of_the_folder_put_the_daemon() -> None:
    Path("coordinator.toml").write_text('http = "0.0.0.0:1"\nlisten = "127.0.0.1:2"\n')
    assert "no coordinator answers at http://127.0.0.1:1:" in asked("status")
    assert "no coordinator answers at http://127.0.0.1:3:" in asked("status", "--url", "http://127.0.0.1:3")


def test_what_the_environment_names_comes_before_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("coordinator.toml").write_text('http = "127.0.0.1:1"\n')
    monkeypatch.setenv("COORDINATOR_URL", "http://127.0.0.1:4")
    assert "no coordinator answers at http://127.0.0.1:4:" in asked("match", "list")


def test_settings_with_mistakes_are_told_and_nobody_is_asked() -> None:
    Path("coordinator.toml").write_text("htp = 1\n")
    assert 'did you mean "http"?' in asked("status")


def test_the_settings_file_is_named_the_same_way_everywhere() -> None:
    Path("settings.toml").write_text("server_grace_s = 7\n")
    for words in (["settings.toml"], ["--config", "settings.toml"]):
        assert CliRunner().invoke(cli, ["config", "check", *words]).exit_code == 0
    assert "named twice" in asked("config", "check", "settings.toml", "--config", "settings.toml")


def test_a_certificate_that_is_not_trusted_is_told_as_that() -> None:
    """Starting another coordinator would not help, and nor would another address."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    trustme.CA(key_type=trustme.KeyType.ECDSA).issue_cert("127.0.0.1").configure_cert(context)
    server = HTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    server.handle_error = lambda *_: None  # type: ignore[method-assign]
    serving = threading.Thread(target=server.handle_request)
    serving.start()
    try:
        said = asked("status", "--url", f"https://127.0.0.1:{server.server_port}")
    finally:
        serving.join()
        server.server_close()
    assert "is not trusted" in said
    assert "SSL_CERT_FILE" in said
    assert "[daemon_untrusted]" in said
