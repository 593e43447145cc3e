"""A shipped example played to its end by bots over real sockets, from its name on the command line to its replay."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.process
def test_the_continuous_swiss_is_played_and_replayed(tmp_path):
    """R-CS-01: players come late and leave early, real bridge at every table, and the journal says the same again."""
    report = tmp_path / "demo.json"
    command = [sys.executable, "-m", "coordinator", "demo", "--example", "continuous_swiss", "--speed", "0"]
    command += ["--seed", "7", "--servers", "2", "--no-page", "--json", str(report)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(report.read_text(encoding="utf-8"))
    assert found["players"] == 20
    assert [row["place"] for row in found["standings"]] == list(range(1, 21))
    assert found["replay"]["same_state"]
    assert found["replay"]["same_effects"]
    averages = [row["points"] for row in found["standings"]]
    without = averages.count("no result")
    assert averages[20 - without :] == ["no result"] * without
    ranked = [float(average) for average in averages[: 20 - without]]
    assert ranked == sorted(ranked, reverse=True)
    assert len(set(ranked)) > 5, "tables that play the same boards their own way"
    assert found["hands"] >= 30
