"""``coordinator simulate``: options, files and errors."""

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import coordinator
from coordinator.cli import cli

MANUAL_START = """
id = "small"
game = "score"
zero_sum = false
start = { mode = "manual", min_players = 6 }
[[stages]]
id = "shift"
format = "swiss_shift"
table_size = 3
bouts = 2
round = { hands = 1 }
grouping = { }
leave = "forbidden"
score_processing = "per_round"
initial_player_state = { score = 0 }
initial_game_state = { base_score = 10 }
"""


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("small.toml").write_text(MANUAL_START, encoding="utf-8")


def run(*words: str) -> Result:
    return CliRunner().invoke(cli, ["simulate", *words])


def test_a_shipped_example_by_its_name() -> None:
    said = run("half-knockout", "--runs", "2", "--seed", "7", "--json", "report.json", "--plots", "pictures")
    assert said.exit_code == 0, said.stderr
    told = dict(line.split("\t") for line in said.stdout.splitlines())
    assert told["match"] == "half-knockout, 48 players, 2 times with seed 7"
    assert told["byes"] == "0 a match, at most 0 for a player in a stage"
    report = json.loads(Path("report.json").read_text(encoding="utf-8"))
    assert (report["match"], report["players"], report["runs"], report["seed"]) == ("half-knockout", 48, 2, "7")
    assert Path("pictures/sheet.png").exists()
    assert said.stderr.splitlines()[0] == "seed 7"


def test_a_file_and_a_field_of_ones_own() -> None:
    said = run("small.toml", "--players", "9", "--runs", "1", "--hands", "points", "--json", "-")
    assert said.exit_code == 0, said.stderr
    report = json.loads(said.stdout)
    assert (report["players"], report["stages"][0]["tables"]["max"]) == (9, 6)
    assert report["model"]["stages"]["shift"] == {"hands": "points", "hand_ms": 60000}


def test_the_seed_repeats_everything() -> None:
    once, again = (run("small.toml", "--players", "7", "--runs", "3", "--seed", "x", "--json", "-") for _ in range(2))
    assert once.stdout == again.stdout
    drawn = run("small.toml", "--players", "7", "--runs", "1", "--json", "-")
    assert drawn.stderr == f"seed {json.loads(drawn.stdout)['seed']}\n"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("cup", "--players", "0"), "--players"),
        (("cup", "--runs", "none"), "--runs"),
        (("cup", "--skill", "clever"), "'clever' is not one of none, normal, even"),
        (("cup", "--skill", "normal:wide"), "the spread 'wide' is not a number from 0 to 100"),
        (("cup", "--skill", "normal:-1"), "the spread '-1' is not a number"),
        (("cup", "--skill", "normal:nan"), "the spread 'nan' is not a number"),
        (("cup", "--hand-s", "0"), "--hand-s"),
        (("cup", "--dropout", "1.5"), "--dropout"),
        (("cup", "--hands", "points"), "add up to nothing in 'cup'"),
        (("cup", "--days", "3"), "'cup' is no ladder, so --days says nothing"),
        (("ladder", "--days", "0"), "--days"),
        (("ladder", "--challenges", "-1"), "--challenges"),
        (("small.toml",), "does not say how many play"),
        ((), "FILE"),
    ],
)
def test_wrong_usage(words: tuple[str, ...], told: str) -> None:
    said = run(*words)
    assert said.exit_code == 2
    assert told in said.stderr
    assert said.stdout == ""


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("cup", "--players", "12"), "'cup' cannot be played with 12 players"),
        (("nowhere.toml",), "nowhere.toml"),
        (("small.toml", "--players", "4"), "at least 6"),
    ],
)
def test_what_cannot_be_played_is_refused(words: tuple[str, ...], told: str) -> None:
    said = run(*words)
    assert said.exit_code == 3
    assert told in said.stderr
    assert "[definition_refused]" in said.stderr


def test_a_match_of_a_tourney() -> None:
    said = run("daily-cup", "--match", "heat_a", "--players", "12", "--runs", "1", "--json", "-")
    assert said.exit_code == 0, said.stderr
    assert json.loads(said.stdout)["stages"][0]["tables"]["max"] == 12
    said = run("daily-cup", "--players", "12", "--match", "heat_z")
    assert said.exit_code == 2
    assert "Say which with --match, or none for all: heat_a, heat_b, final." in said.stderr
    said = run("daily-cup", "--match", "heat_a", "--players", "2")
    assert (said.exit_code, "[definition_refused]" in said.stderr) == (3, True)
    assert run("cup", "--match", "heat_a").exit_code == 2


def test_a_whole_tourney() -> None:
    said = run("daily-cup", "--runs", "2", "--json", "report.json", "--plots", "pictures")
    assert said.exit_code == 0, said.stderr
    report = json.loads(Path("report.json").read_text(encoding="utf-8"))
    assert (report["match"], report["players"]) == ("daily_cup", 18)
    assert {name: match["players"] for name, match in report["matches"].items()} == {
        "heat_a": 9,
        "heat_b": 9,
        "final": 6,
    }
    assert Path("pictures/sheet.png").exists()
    told = dict(line.split("\t") for line in said.stdout.splitlines())
    assert told["match final"].startswith("6 players, lasts ")
    for words, sentence in [
        (("--players", "17"), "17 players are too few: with fewer than 18 daily-cup is called off."),
        (("--days", "3"), "daily-cup is a tourney, so --days says nothing"),
        (("--hands", "points"), "add up to nothing in 'heat'"),
    ]:
        said = run("daily-cup", *words)
        assert said.exit_code == 2
        assert sentence in " ".join(said.stderr.split())


EXAMPLES = sorted(path.stem for path in Path(coordinator.__file__).with_name("examples").glob("*.toml"))
PLANNING = Path(coordinator.__file__).with_name("manual").joinpath("planning.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_shipped_example_has_a_report_and_a_place_in_the_manual(name: str) -> None:
    """A match, a ladder or a tourney: nothing that is shipped is refused, and what came of it was looked at."""
    said = run(name, "--runs", "1", "--seed", "1", "--json", "-")
    assert said.exit_code == 0, said.stderr
    report = json.loads(said.stdout)
    assert report["endings"] == {"over": 1, "halted": 0, "unfinished": 0}
    assert report["hands"]["min"] > 0
    assert f"| `{name.replace('_', '-')}`" in PLANNING
    assert f"images/simulate_{name}.png" in PLANNING
    assert Path(coordinator.__file__).with_name("manual").joinpath(f"images/simulate_{name}.png").exists()


def test_a_report_that_cannot_be_written() -> None:
    said = run("small.toml", "--players", "6", "--runs", "1", "--json", "no/such/folder.json")
    assert said.exit_code == 1
    assert "[report_unwritable]" in said.stderr
    Path("taken").write_text("", encoding="utf-8")
    said = run("small.toml", "--players", "6", "--runs", "1", "--plots", "taken/pictures")
    assert said.exit_code == 1
    assert "[report_unwritable]" in said.stderr


def test_pictures_without_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    said = run("cup", "--plots", "pictures")
    assert said.exit_code == 1
    assert "pip install 'match-coordinator[plots]'" in said.stderr
    assert not Path("pictures").exists()
