"""The report: what is in it, and that it agrees with what can be known beforehand."""

import attrs
import pytest

from coordinator.definition_file import load, shipped
from coordinator.engine.definition import GameState, Round
from coordinator.simulation.habits import Habits
from coordinator.simulation.many import Plan, run_all
from coordinator.simulation.report import Report, report
from coordinator.simulation.telling import duration, rows, share
from tests.engine.stages import DEFAULT, DOMINION, KNOCKOUT, SWISS, match_of

DUEL = attrs.evolve(KNOCKOUT, table_size=2, round=Round("target", target=120, max_hands=7))


def found(plan: Plan) -> Report:
    return report(plan, list(run_all(plan)))


def test_the_cup() -> None:
    told = found(Plan(load(shipped()["cup"]), 90, 4, "seed"))
    assert told["endings"] == {"over": 4, "halted": 0, "unfinished": 0}
    assert told["duration_s"]["median"] <= told["duration_s"]["p95"] <= told["duration_s"]["max"]
    assert told["peak_tables"]["max"] == 30
    assert 0 < told["waiting_share"]["median"] < 1
    melee, swiss, knockout, final = told["stages"]
    assert melee["entrants"]["min"] == 90
    assert (swiss["seatings"]["max"], knockout["tables"]["max"], final["hands"]["max"]) == (3, 12, 3)
    assert [each["hand_no"] for each in knockout["invalid_hands"]["by_hand"]] == [1, 2]
    assert "invalid_hands" not in melee
    assert "invalid_hands" not in final
    left = told["curves"]["players_left"]
    assert (left["median"][0], left["median"][-1]) == (90, 3)
    assert all(low <= middle <= high for low, middle, high in zip(left["p5"], left["median"], left["p95"], strict=True))
    strength = told["strength"]
    assert strength["by_chance"] == round(1 / 90, 4)
    assert len(strength["mean_place_by_skill"]) == 90


@pytest.mark.parametrize("zero_sum", [True, False])
def test_a_target_round_goes_as_the_advisor_says(zero_sum: bool) -> None:
    """R-RT-03: 1,600 rounds between equals are within three hundredths of the exact chances, whatever the model."""
    definition = match_of(attrs.evolve(DUEL, bouts=1), players=64, zero_sum=zero_sum)
    told = found(Plan(definition, 64, 50, "seed", Habits("none")))
    target = told["stages"][0]["target"]
    assert (target["model"], target["rounds"]) == ("Z" if zero_sum else "W", 1600)
    assert (target["ok"], target["b_min"]) == ((False, 17) if zero_sum else (True, 7))
    for chance, reached in zip(target["p"], target["reached"], strict=True):
        assert reached == pytest.approx(chance, abs=0.03)
    assert told["strength"] is None


def test_skill_tells() -> None:
    """The more of it there is, the better the places follow it."""
    definition = match_of(attrs.evolve(SWISS, bouts=4, round=Round(hands=3)), players=18)
    weak, strong = (
        found(Plan(definition, 18, 12, "seed", Habits("normal", spread)))["strength"]["kendall_tau"]["mean"]
        for spread in (0.05, 3.0)
    )
    assert weak < 0.35 < 0.6 < strong


def test_long_rounds_have_more_hands_without_effect() -> None:
    """R-RF-01: of twelve hands the last ones often decide nothing any more, of two hardly any."""
    stage = attrs.evolve(KNOCKOUT, round_carry_pct=0, initial_game_state=GameState(100))
    short, long = (
        found(
            Plan(
                match_of(attrs.evolve(stage, round=Round(hands=hands)), players=27),
                27,
                5,
                "seed",
                Habits("normal", 1.0, "spread"),
            )
        )["stages"][0]["invalid_hands"]
        for hands in (2, 12)
    )
    assert short["share"] <= 0.05
    shares = [each["share"] for each in long["by_hand"]]
    assert shares == sorted(shares)
    assert shares[-1] > 0.3 > shares[0]


def test_a_pairing_without_rematch_shows() -> None:
    """R-DM-10."""
    told = found(Plan(match_of(DOMINION, players=16), 16, 5, "seed"))
    assert told["meetings"]["repeat_share"] == 0
    assert told["meetings"]["pairs"] == 5 * 4 * 8


def test_the_rows_for_people() -> None:
    told = dict(rows(found(Plan(match_of(attrs.evolve(DUEL, bouts=1), DEFAULT, players=6), 6, 3, "s"))))
    assert told["match"] == "test, 6 players, 3 times with seed s"
    assert told["stage knockout"].startswith("knockout, 6 enter, lasts median ")
    assert told["stage knockout: target"].startswith("120 reached by hand, exactly: 0.00, 16.61, 43.13, ")
    assert told["stage knockout: R-RT-02"] == "holds"
    assert told["stage knockout: hands enough"] == "7"
    assert told["stage final"].startswith("default, 3 enter")


def test_a_stage_that_nobody_reaches_says_so() -> None:
    plan = Plan(match_of(attrs.evolve(SWISS, bouts=1), DEFAULT, players=3), 3, 1, "s")
    told = report(plan, list(run_all(plan)))
    told["stages"][1]["played"] = 0
    assert dict(rows(told))["stage final"] == "never reached"


def test_how_times_and_shares_are_said() -> None:
    assert [duration(seconds) for seconds in (0.05, 99.94, 100, 3600, 6000, 90_000)] == [
        "0.1 s",
        "99.9 s",
        "2 min",
        "60 min",
        "1 h 40 min",
        "25 h 00 min",
    ]
    assert [share(part) for part in (None, 0, 0.12345)] == ["none", "0.0 %", "12.3 %"]
