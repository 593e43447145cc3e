"""The teams of a simulated ladder: they go by its rules, and what is said of them follows from what happened."""

from typing import Any

import attrs
import pytest

from coordinator.engine import events
from coordinator.engine.definition import Rating
from coordinator.engine.ladder import ladder_events as ev
from coordinator.engine.ladder.wall_time import DAY_MS, HOUR_MS, WEEK_MS, time_of_day, weekday
from coordinator.engine.match import Outcome
from coordinator.engine.state import MatchState
from coordinator.simulation import many
from coordinator.simulation.facts import Facts
from coordinator.simulation.habits import Habits
from coordinator.simulation.many import Plan, Run, run_all, run_once
from coordinator.simulation.report import Report, report
from coordinator.simulation.telling import rows
from tests.engine.ladder_play import SHANGHAI, ladder_match

FEW = ladder_match(4)


def told(happened: list[Any], kind: type) -> list[Any]:
    return [event for event in happened if type(event) is kind]


def a_run(monkeypatch: pytest.MonkeyPatch, plan: Plan) -> tuple[Run, list[Any]]:
    """One course with every event of it."""
    happened: list[Any] = []

    class Heard(Facts):
        def watch(self, t: int, state: MatchState, outcome: Outcome) -> None:
            happened.extend(outcome.events)
            super().watch(t, state, outcome)

    monkeypatch.setattr(many, "Facts", Heard)
    return run_once(plan, plan.seed), happened


def found(plan: Plan) -> Report:
    return report(plan, list(run_all(plan)))


def test_matches_are_agreed_for_the_days_and_hours_of_the_ladder(monkeypatch: pytest.MonkeyPatch) -> None:
    """R-BL-07: from Monday to Friday, six in the evening to midnight in Shanghai."""
    _, happened = a_run(monkeypatch, Plan(FEW, 12, 1, "seed", days=60))
    fixed = told(happened, ev.TimeFixed)
    assert len(fixed) > 20
    assert {weekday(SHANGHAI, event.at) for event in fixed} <= {"mon", "tue", "wed", "thu", "fri"}
    assert all(time_of_day(SHANGHAI, event.at) >= 18 * HOUR_MS for event in fixed)
    assert told(happened, ev.TimesProposed), "some offer other times"


def test_a_room_is_two_pairs_and_both_rooms_play_every_board(monkeypatch: pytest.MonkeyPatch) -> None:
    """R-BL-14."""
    run, happened = a_run(monkeypatch, Plan(FEW, 6, 1, "seed", days=30))
    scored = told(happened, events.HandScored)
    assert all(event.scores[:2] == event.scores[2:] for event in scored)
    assert len(scored) == run.contests.matches * 2 * 4
    assert any(event.scores[0] for event in scored)


def test_a_ladder_ends_with_its_last_challenge_after_it_was_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    run, happened = a_run(monkeypatch, Plan(FEW, 12, 1, "seed", days=21))
    assert run.ending == "over"
    [drained] = told(happened, events.DrainStarted)
    [ended] = told(happened, events.StageEnded)
    assert drained.t == 21 * DAY_MS
    assert max(event.t for event in told(happened, ev.ChallengeIssued)) <= drained.t
    assert drained.t < ended.t <= drained.t + 8 * DAY_MS


@pytest.mark.parametrize(
    ("words", "days", "open_ms"),
    [
        ({}, None, 4 * WEEK_MS),
        ({"duration_ms": 9 * DAY_MS}, None, 9 * DAY_MS),
        ({"duration_ms": WEEK_MS}, 2, 2 * DAY_MS),
    ],
)
def test_when_a_ladder_is_closed(words: dict[str, int], days: float | None, open_ms: int) -> None:
    plan = Plan(ladder_match(4, **words), 4, 1, "seed", days=days)
    assert found(plan)["ladder"]["open_s"] == open_ms / 1000
    [run] = run_all(plan)
    assert open_ms <= (run.facts.ended_at or 0) <= open_ms + 8 * DAY_MS


def test_faithful_teams_forfeit_nothing_and_silent_ones_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """R-BL-08: who says nothing loses; a team that is silent challenges nobody any more."""
    faithful, _ = a_run(monkeypatch, Plan(FEW, 12, 1, "seed", days=60))
    assert dict.fromkeys(faithful.contests.ended) == {"result": None}
    fickle, happened = a_run(monkeypatch, Plan(FEW, 12, 1, "seed", Habits(dropout=0.3), days=60))
    assert fickle.contests.ended["no_reply"]
    assert fickle.contests.answering[-1][1] < 12
    assert fickle.contests.issued == len(told(happened, ev.ChallengeIssued)) < faithful.contests.issued


def test_teams_that_come_late_stand_at_the_bottom(monkeypatch: pytest.MonkeyPatch) -> None:
    """R-BL-01."""
    run, happened = a_run(monkeypatch, Plan(FEW, 12, 1, "seed", Habits(late=0.25), days=60))
    entered = told(happened, ev.TeamEntered)
    assert len(entered) == 3
    assert run.contests.ranks[0][1] == tuple(f"p{number:02}" for number in range(1, 10))
    assert len(run.contests.ranks[-1][1]) == len(run.facts.ranking) == 12


def test_eager_teams_find_everybody_locked() -> None:
    """R-BL-04: a team defends one challenge at a time."""
    calm, eager = (found(Plan(FEW, 9, 3, "seed", Habits(challenges=often), days=60)) for often in (0.2, 20))
    assert eager["ladder"]["locked_share"] > 0.5 > calm["ladder"]["locked_share"]
    assert eager["ladder"]["matches_per_team"]["mean"] > calm["ladder"]["matches_per_team"]["mean"]


def test_what_the_report_says_of_challenges_adds_up() -> None:
    plan = Plan(FEW, 12, 4, "seed", Habits(dropout=0.1), days=60)
    runs = list(run_all(plan))
    said = report(plan, runs)
    ladder = said["ladder"]
    assert sum(ladder["ended"].values()) == pytest.approx(1, abs=0.001)
    assert ladder["challenges"]["mean"] == pytest.approx(sum(run.contests.issued for run in runs) / 4, abs=0.1)
    assert ladder["forfeited_share"] == pytest.approx(1 - ladder["ended"]["result"], abs=0.001)
    assert sum(sum(run.contests.matches_of.values()) for run in runs) == 2 * sum(run.contests.matches for run in runs)
    assert (said["byes"], said["waiting_share"], said["meetings"]) == (None, None, None)
    people = dict(rows(said))
    assert people["match"] == "ladder, 12 teams, 4 times with seed seed"
    assert people["challenges"].endswith(", open for 60.0 days")
    assert people["forfeited"] == f"{100 * ladder['forfeited_share']:.1f} % of the challenges"
    assert not {"waiting", "byes", "stage ladder: meeting again"} & set(people)


def test_two_teams_meet_each_other_again_and_again() -> None:
    [run] = run_all(Plan(FEW, 2, 1, "seed", days=60))
    assert run.contests.repeats == run.contests.matches - 1 > 0


def test_ratings_are_provisional_until_enough_matches_made_them() -> None:
    """R-RA-01."""
    shares = []
    for least in (28, 1):
        definition = ladder_match(4, rating=Rating(established_after=least))
        shares.append(found(Plan(definition, 8, 2, "seed", days=90))["ladder"]["provisional_share"])
    assert shares == [1, 0]


def test_the_order_comes_about_in_time_and_follows_skill() -> None:
    weak, strong = (
        found(Plan(FEW, 10, 8, "seed", Habits("normal", spread), days=120))["ladder"]["order"]["median"]
        for spread in (0.01, 3.0)
    )
    assert strong[-1] > 0.6 > max(abs(strong[0]), abs(weak[-1]))


def test_nobody_is_stronger_than_anybody() -> None:
    said = found(Plan(FEW, 4, 1, "seed", Habits("none")))
    assert (said["strength"], said["ladder"]["order"]) == (None, None)


def test_the_same_seed_is_the_same_ladder() -> None:
    plan = Plan(FEW, 8, 1, "one", Habits(dropout=0.05, late=0.2), days=60)
    [first], [second], [other] = list(run_all(plan)), list(run_all(plan)), list(run_all(attrs.evolve(plan, seed="two")))
    assert attrs.asdict(first.contests) == attrs.asdict(second.contests) != attrs.asdict(other.contests)
