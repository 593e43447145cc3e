"""What the bots' command lines refuse."""

import pytest
from click.testing import CliRunner

from bots.demo import demo
from bots.table_server import main


@pytest.mark.parametrize("number", ["nan", "inf", "-1", "soon"])
@pytest.mark.parametrize(
    ("command", "words"),
    [(demo, ("--speed",)), (demo, ("--think",)), (main, ("--url", "ws://127.0.0.1:1", "--id", "ts", "--think"))],
    ids=["demo speed", "demo think", "table server think"],
)
def test_a_time_is_a_number_that_is_one(command, words, number):
    result = CliRunner().invoke(command, [*words, number])
    assert result.exit_code == 2
    assert f"Invalid value for '{words[-1]}'" in result.output
