"""Programs of a demo are killed and frozen at random, and the match ends as if nothing had been."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]

BOUTS = """
id = "bouts"
game = "dou_dizhu"
start = { mode = "when_full", full_count = 12 }

[[stages]]
id = "swiss"
format = "swiss_shift"
table_size = 3
round = { hands = 2 }
grouping = {}
leave = "forbidden"
score_processing = "per_round"
initial_player_state = { score = 0 }
initial_game_state = { base_score = 10 }
bouts = 2
cut = { mode = "keep", value = 3 }

[[stages]]
id = "final"
format = "default"
table_size = 3
round = { hands = 1 }
grouping = {}
leave = "forbidden"
score_processing = "none"
initial_player_state = { score = 0 }
initial_game_state = { base_score = 10 }
"""
"""Only bouts: who meets whom follows from the results and the seed, however long anything takes."""


def played(directory: Path, *words: str) -> tuple[dict[str, Any], str]:
    (directory / "bouts.toml").write_text(BOUTS, encoding="utf-8")
    told = ["--definition", str(directory / "bouts.toml"), "--players", "12", "--seed", "9", "--servers", "2"]
    told += ["--no-page", *words, "--json", str(directory / "out.json")]
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "coordinator",
            "demo",
            *told,
            "--no-page",
            *words,
            "--json",
            str(directory / "out.json"),
        ],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=170,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads((directory / "out.json").read_text(encoding="utf-8")), done.stdout


@pytest.mark.process
def test_the_standings_are_those_of_an_undisturbed_run(tmp_path: Path) -> None:
    calm, _ = played(tmp_path, "--speed", "0")
    struck, said = played(tmp_path, "--think", "0.02", "--chaos")
    assert "chaos: " in said
    assert " is killed" in said
    assert struck["standings"] == calm["standings"]
    assert struck["hands"] == calm["hands"]
    assert (struck["replay"]["same_state"], struck["replay"]["same_effects"]) == (True, True)
