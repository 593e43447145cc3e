"""Programs of a demo are killed and frozen at random, and the match ends as if nothing had been."""

from pathlib import Path
from typing import Any

import pytest

from tests.bots.demos import played

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


def bouts(directory: Path, *words: str) -> tuple[dict[str, Any], str]:
    (directory / "bouts.toml").write_text(BOUTS, encoding="utf-8")
    return played(directory, "--definition", "bouts.toml", "--players", "12", "--seed", "9", *words)


@pytest.mark.process
def test_the_standings_are_those_of_an_undisturbed_run(tmp_path: Path) -> None:
    calm, _ = bouts(tmp_path, "--speed", "0")
    struck, said = bouts(tmp_path, "--think", "0.02", "--chaos")
    assert "chaos: " in said
    assert " is killed" in said
    assert struck["standings"] == calm["standings"]
    assert struck["hands"] == calm["hands"]
