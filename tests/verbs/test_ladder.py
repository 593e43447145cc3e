"""``coordinator ladder``: what it asks for before it speaks to anybody."""

import pytest
from click.testing import CliRunner

from coordinator.cli import cli
from coordinator.verbs import directing


def test_an_address_that_is_no_websocket_is_refused() -> None:
    result = CliRunner().invoke(cli, ["ladder", "close", "m", "--url", "http://127.0.0.1:7421"])
    assert result.exit_code == 2
    assert "is no WebSocket address" in result.output


def test_a_daemon_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(directing, "WITHIN_S", 0.1)
    result = CliRunner().invoke(cli, ["ladder", "place", "m", "t1", "3", "--url", "ws://127.0.0.1:1"])
    assert result.exit_code == 1
    assert "[daemon_unreachable]" in result.output
