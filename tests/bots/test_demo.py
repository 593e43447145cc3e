"""The verb's options and the way it refuses: one sentence, the right exit code, no traceback."""

import tempfile

import pytest
from click.testing import CliRunner

from bots.demo import demo


def run(*arguments):
    return CliRunner().invoke(demo, arguments)


def test_help_names_every_option():
    said = run("--help").output
    options = "--players --servers --seed --speed --json --keep --no-page --definition --example --think"
    assert all(option in said for option in options.split())


@pytest.mark.parametrize(
    "arguments",
    [
        ["--players", "1"],
        ["--servers", "0"],
        ["--speed", "-1"],
        ["--think", "-1"],
        ["--bogus"],
        ["--json", "."],
    ],
)
def test_wrong_usage_is_2(arguments):
    result = run(*arguments)
    assert result.exit_code == 2
    assert "Traceback" not in result.output


def test_the_seed_is_printed_first_and_a_refused_definition_is_3():
    result = run("--seed", "7", "--definition", "nowhere.toml")
    assert result.exit_code == 3
    assert result.stdout == "seed 7\n"
    assert result.stderr == ("coordinator demo: --definition nowhere.toml: No such file or directory [demo_failed]\n")


def test_a_seed_is_drawn_when_none_is_given():
    first, second = (run("--definition", "nowhere.toml").stdout for _ in range(2))
    assert first.startswith("seed ")
    assert first != second


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_keep_says_where_the_journal_is(temporary):
    result = run("--keep", "--definition", "nowhere.toml")
    [kept] = temporary.iterdir()
    assert f"journal sqlite:///{kept}/journal.db\n" in result.stdout


def test_nothing_is_left_behind_otherwise(temporary):
    run("--definition", "nowhere.toml")
    assert list(temporary.iterdir()) == []
