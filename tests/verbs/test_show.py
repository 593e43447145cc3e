"""What others wrote is shown so that it does nothing to a terminal, and hides nothing from whoever reads it."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from coordinator.cli import cli
from coordinator.verbs import show

HOSTILE = "a\x1b[31mb\x07c\x9b2Jd\u202ee\u200bf\ng\th"
TAME = r"a\x1b[31mb\x07c\x9b2Jd\u202ee\u200bf\ng\th"


def test_a_cell_of_a_table_is_one_line_of_what_can_be_seen(capsys: pytest.CaptureFixture[str]) -> None:
    show.as_table(["name"], [[HOSTILE], ["Ünal 王 \N{PILE OF POO}"]])
    assert capsys.readouterr().out == f"name\n{TAME}\nÜnal 王 \N{PILE OF POO}\n"


def test_on_a_terminal_too(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("NO_COLOR", "1")
    show.as_table(["name"], [[HOSTILE]])
    assert capsys.readouterr().out.split() == ["name", TAME]


def test_data_for_programs_stays_the_same_data(capsys: pytest.CaptureFixture[str]) -> None:
    value = {HOSTILE: ["\U000e0041", "Ünal"]}
    show.as_json(value)
    said = capsys.readouterr().out
    assert json.loads(said) == value
    assert all(letter.isprintable() or letter == "\n" for letter in said)
    assert "Ünal" in said


@pytest.mark.parametrize("verb", [["check"], ["config", "check"]])
def test_a_file_of_others_cannot_reach_the_terminal(tmp_path: Path, verb: list[str]) -> None:
    file = tmp_path / "file.toml"
    file.write_text('"\\u001b[2J\\u0007\\u202e" = 1\nid = "\\u001b[31m"\n', encoding="utf-8")
    told = CliRunner().invoke(cli, [*verb, str(file)], prog_name="coordinator")
    assert told.exit_code == 3
    said = told.output
    assert r"\x1b[2J\x07" in said
    assert all(letter.isprintable() or letter == "\n" for letter in said)
