"""Cases from real life about the history of a Swiss that comes as a file."""

import json

import pytest
from click.testing import CliRunner

from coordinator.cli import cli
from coordinator.history_file import HistoryRefused, load_history
from tests.cases.case_data import REPORTS

SPOILT = {
    "incompatible_color": [(3, "player 3: round 5", "player 2 in line 2 has black too")],
    "incompatible_result": [(3, "player 3: round 5", "says '1', and line 2 of player 2 says '1'")],
    "incorrect_points": [(2, "player 2: points", "the results are worth 3.0 and not 4.0")],
    "missing_result": [
        (3, "player 3: rounds", "4 results where others have 5"),
        (2, "player 2: round 5", "names player 3, whose line 3 names nobody"),
    ],
    "missing_starting_number": [(7, "player 8: starting number", "there is no player 7")],
    "too_many_results": [
        (2, "player 2: rounds", "6 results in 5 rounds (XXR)"),
        (7, "player 7: rounds", "6 results in 5 rounds (XXR)"),
    ],
}


def test_case_197_every_spoilt_file_is_here() -> None:
    assert {path.stem for path in REPORTS.glob("py4swiss_*")} == {
        *(f"py4swiss_{name}" for name in SPOILT),
        "py4swiss_burstein_late_entries",
    }


@pytest.mark.parametrize("name", SPOILT)
def test_case_197_a_spoilt_history_is_refused_with_its_line(name: str) -> None:
    file = REPORTS / f"py4swiss_{name}.trf"
    with pytest.raises(HistoryRefused) as refused:
        load_history(file)
    found = [(problem.line, problem.path, problem.message) for problem in refused.value.problems]
    assert found == SPOILT[name]
    assert {problem.file for problem in refused.value.problems} == {str(file)}


@pytest.mark.parametrize("name", SPOILT)
def test_case_197_nothing_of_it_is_taken_over(name: str) -> None:
    result = CliRunner().invoke(cli, ["history", str(REPORTS / f"py4swiss_{name}.trf"), "--json"])
    assert (result.exit_code, result.stdout) == (3, "")
    for line, path, message in SPOILT[name]:
        assert f".trf:{line}: {path}: {message}" in result.stderr
    assert result.stderr.endswith("[history_refused]\n")


def test_case_197_a_sound_history_is_taken_over_whole() -> None:
    result = CliRunner().invoke(cli, ["history", str(REPORTS / "py4swiss_burstein_late_entries.trf"), "--json"])
    assert result.exit_code == 0
    told = json.loads(result.stdout)
    assert (told["players"], told["bouts_played"], told["bouts"]) == (13, 4, 5)
    assert [line["rank"] for line in told["ranking"]] == list(range(1, 14))
    following = told["next_bout"]
    seated = [player for pair in following["pairs"] for player in pair] + following["byes"]
    assert sorted(map(int, seated)) == list(range(1, 14))
    assert following["rematch"] is False
