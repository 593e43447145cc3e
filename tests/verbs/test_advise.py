"""``coordinator advise``: what a person and a program are told."""

import json

from click.testing import CliRunner, Result

from coordinator.cli import cli


def run(*words: str) -> Result:
    return CliRunner().invoke(cli, ["advise", "target", *words])


def test_the_round_of_choice() -> None:
    """R-RT-03: A = 120, B = 7."""
    said = run("--target", "120", "--max-hands", "7")
    assert said.exit_code == 0
    lines = said.stdout.splitlines()
    assert lines[:4] == ["hands\treached by then, %", "1\t0.00", "2\t16.61", "3\t43.13"]
    assert lines[7] == "7\t98.39"
    assert all(" holds: " in line for line in lines[8:11])
    assert lines[11] == "enough for the target: 7 hands"


def test_for_programs() -> None:
    """R-RT-02: the chances by hand number, the least number of hands, and what is not well chosen."""
    answer = json.loads(run("--target", "100", "--max-hands", "6", "--json").stdout)
    assert [round(100 * chance, 2) for chance in answer.pop("p")] == [1.0, 26.74, 60.06, 82.94, 94.04, 98.24]
    warning = "26.74 % end within 2 hands; less than 20 % are advised"
    assert answer == {"b_min": 6, "ok": False, "warnings": [warning]}
    answer = json.loads(run("--target", "120", "--max-hands", "7", "--json").stdout)
    assert answer.pop("p")[:2] == [0, 3321 / 20000]
    assert answer == {"b_min": 7, "ok": True, "warnings": []}


def test_zero_sum_games_and_other_scores() -> None:
    answer = json.loads(run("--target", "50", "--max-hands", "5", "--model", "z", "--json").stdout)
    assert (answer["b_min"], round(answer["p"][-1], 4)) == (5, 0.9718)
    answer = json.loads(run("--target", "4", "--max-hands", "3", "--low", "2", "--high", "2", "--json").stdout)
    assert answer["p"] == [0, 0.5, 1]


def test_what_nobody_can_play() -> None:
    said = run("--target", "10000", "--max-hands", "3", "--model", "Z")
    assert said.exit_code == 0
    assert said.stdout.splitlines()[-1] == "enough for the target: no number of hands up to 500"


def test_bad_numbers_are_usage_errors() -> None:
    for words, told in [
        (("--target", "0", "--max-hands", "3"), "--target"),
        (("--target", "9", "--max-hands", "501"), "--max-hands"),
        (("--target", "9", "--max-hands", "3", "--low", "9", "--high", "8"), "9 is more than the 8 of --high"),
        (("--target", "9"), "--max-hands"),
        (("--target", "9", "--max-hands", "3", "--model", "Q"), "--model"),
    ]:
        said = run(*words)
        assert said.exit_code == 2, words
        assert told in said.stderr
        assert said.stdout == ""
