"""A course of a match: the driver does what a daemon, a lobby and table servers would do."""

from typing import Any

import attrs
import pytest

from coordinator.definition_file import load, shipped
from coordinator.engine import events
from coordinator.engine.definition import (
    Grouping,
    Island,
    Revival,
    Round,
)
from coordinator.engine.formats import FORMATS
from coordinator.simulation.habits import Habits
from coordinator.simulation.many import Plan, Run, run_all, run_once
from coordinator.simulation.players import Invented, Recorded
from coordinator.simulation.report import report
from tests.engine.stages import CLOCKED, DEFAULT, DOMINION, KNOCKOUT, MELEE, SWISS, match_of
from tests.simulation.courses import LOOPED, STAGES, a_course


def test_every_format_there_is_is_tried_here() -> None:
    assert set(STAGES) == set(FORMATS)


@pytest.mark.parametrize("habits", [Habits(), Habits(dropout=0.05, late=0.3)], ids=["faithful", "fickle"])
@pytest.mark.parametrize("name", STAGES)
def test_every_format_is_played_to_its_end(name: str, habits: Habits) -> None:
    players = 3 if name == "default" else 13
    plan = Plan(match_of(STAGES[name], players=players), players, 1, "seed", habits)
    run = run_once(plan, "seed")
    assert run.ending == "over"
    assert run.facts.ended_at
    assert sum(run.facts.hands_of.values()) == sum(stage.hands for stage in run.facts.stages) * STAGES[name].table_size


@pytest.mark.parametrize("name", sorted(shipped()))
def test_every_shipped_example_is_played_to_its_end(name: str) -> None:
    definition = load(shipped()[name])
    plan = Plan(definition, definition.start.full_count or 0, 2, "seed")
    assert [run.ending for run in run_all(plan)] == ["over", "over"]


def told_of(run: Run) -> tuple[Any, ...]:
    return run.facts.ranking, run.facts.left, run.facts.tables, run.facts.hands_of, run.facts.present_ms, run.skills


def test_the_same_seed_is_the_same_course_and_another_is_not() -> None:
    plan = Plan(load(shipped()["cup"]), 90, 1, "one", Habits(dropout=0.01))
    [first], [second] = list(run_all(plan)), list(run_all(plan))
    [other] = list(run_all(attrs.evolve(plan, seed="two")))
    assert told_of(first) == told_of(second)
    assert report(plan, [first]) == report(plan, [second])
    assert first.facts.ranking != other.facts.ranking


def test_tables_wait_for_a_table_server_that_has_room() -> None:
    """Two tables at a time: nine rounds of one hand take five times as long as one."""
    course, story = a_course(match_of(attrs.evolve(SWISS, round=Round(hands=1)), players=27), 27, tables=2)
    course.at_the_tables = Recorded({(table, 1): (0, 0, 0) for table in range(1, 10)})
    assert course.run() == "over"
    assert [event.t for event in story.of(events.TablesPlaced)] == [0, 1000, 1000, 2000, 2000, 3000, 3000, 4000]
    assert course.t == 5000


def test_a_long_hand_is_no_silent_table() -> None:
    """R-HI-06: a table server tells the actions of a hand as it goes on."""
    short = attrs.evolve(DEFAULT, table_timeout_ms=10_000)
    course, story = a_course(match_of(short, players=3), 3, Habits(hand_ms=60_000))
    assert course.run() == "over"
    assert not any(event.settled for event in story.of(events.RoundEnded))
    assert len(story.of(events.HandScored)) == 1


def test_a_match_that_would_never_end_is_given_up() -> None:
    """A melee whose base score never rises, between players of whom nobody ever wins anything."""
    definition = match_of(MELEE, players=9)
    forever = Recorded(AllEven())
    course, _ = a_course(definition, 9, at_the_tables=forever)
    assert course.run() == "unfinished"
    course, _ = a_course(definition, 9, at_the_tables=forever, most_ms=60_000)
    assert course.run() == "unfinished"
    assert course.t < 62_000


class AllEven(dict[tuple[int, int], tuple[int, ...]]):
    def __missing__(self, hand: tuple[int, int]) -> tuple[int, ...]:
        return (0, 0, 0)


def test_a_match_that_halts_says_why() -> None:
    """R-DF-01: a final for three, of whom somebody has left meanwhile."""
    boards = attrs.evolve(CLOCKED, clock=attrs.evolve(CLOCKED.clock, late_entry=False))
    definition = match_of(boards, DEFAULT, players=3)
    [run] = run_all(Plan(definition, 3, 1, "seed", Habits(dropout=0.3)))
    assert run.ending == "halted"
    assert "seats exactly 3" in (run.facts.halted or "")
    assert report(Plan(definition, 3, 1, "seed"), [run])["endings"] == {"over": 0, "halted": 1, "unfinished": 0}


def test_who_walks_away_from_a_seat_that_must_be_kept_is_played_badly() -> None:
    """R-ST-02: leaving is forbidden, so the seat is played all the same."""
    course, story = a_course(match_of(attrs.evolve(SWISS, bouts=4), players=9), 9, Habits(dropout=0.5))
    assert course.run() == "over"
    assert isinstance(course.at_the_tables, Invented)
    assert course.at_the_tables.absent
    assert len(story.of(events.HandScored)) == 12


def test_who_may_leave_leaves() -> None:
    """R-CS-01, R-DM-11, R-IS-03."""
    for stage, kind in [
        (CLOCKED, events.EntrantsLeft),
        (DOMINION, events.PlayerRetired),
        (LOOPED, events.PlayersLeft),
    ]:
        course, story = a_course(match_of(stage, players=12), 12, Habits(dropout=0.2))
        assert course.run() == "over", stage.format
        assert story.of(kind), stage.format


def test_games_of_a_dominion_swiss_are_left_by_those_who_walk_away() -> None:
    """R-DM-03."""
    course, story = a_course(match_of(DOMINION, players=12), 12, Habits(dropout=0.3))
    course.run()
    assert any(event.dropped for event in story.of(events.RoundEnded))


@pytest.mark.parametrize(("share", "back"), [(0.0, False), (1.0, True)])
def test_offers_of_revival_are_answered(share: float, back: bool) -> None:
    """R-RV-01."""
    stage = attrs.evolve(STAGES["melee"], revival=Revival("list", fees=(5, 10), offer_ms=5000))
    course, story = a_course(match_of(stage, players=12), 12, Habits(revive=share))
    assert course.run() == "over"
    assert story.of(events.RevivalOffered)
    assert bool(story.of(events.PlayerRevived)) == back
    assert "timeout" not in {event.reason for event in story.of(events.RevivalsClosed)}


def test_who_rests_on_an_island_goes_on_before_the_rest_is_over() -> None:
    """R-IS-05."""
    course, story = a_course(match_of(LOOPED, players=12), 12)
    assert course.run() == "over"
    assert story.of(events.RestsEnded)
    assert not [event for event in story.of(events.PlayersLeft) if event.reason == "rest_over"]


def test_an_island_that_ends_at_a_time_of_day_lasts_an_hour() -> None:
    """R-IS-01."""
    rule = Island(end_at="21:00+08:00")
    course, story = a_course(match_of(attrs.evolve(LOOPED, island=rule), players=12), 12)
    assert course.run() == "over"
    [drained] = story.of(events.DrainStarted)
    assert drained.t == 3_600_000


def test_sides_share_what_a_hand_towards_a_target_is_worth() -> None:
    """R-RT-01."""
    pairs = Round("target", target=120, max_hands=7, sides=("A", "B", "A", "B"))
    definition = match_of(attrs.evolve(KNOCKOUT, table_size=4, advance_per_table=2, round=pairs), players=8)
    course, story = a_course(definition, 8)
    assert course.run() == "over"
    for event in story.of(events.HandScored):
        won = (event.scores[0] + event.scores[2], event.scores[1] + event.scores[3])
        assert min(won) == 0
        assert 1 <= max(won) <= 100
        assert abs(event.scores[0] - event.scores[2]) <= 1


def test_latecomers_come_where_the_match_takes_them() -> None:
    """R-CS-01, R-DM-11, R-IS-02; where it does not, everybody is there from the start."""
    late = Habits(late=0.25)
    for stage, kind in [(CLOCKED, "EntrantAdmitted"), (DOMINION, "LateEntered"), (LOOPED, "PlayerJoined")]:
        definition = match_of(stage, players=12)
        plan = Plan(definition, 12, 1, "seed", late)
        assert plan.late == 3
        course, story = a_course(plan.opened, 9, late, latecomers=[(1000 + n, (f"late{n}", "Late")) for n in range(3)])
        assert course.run() == "over"
        assert sum(type(event).__name__ == kind for _, event in story.told) == 3
    assert Plan(match_of(KNOCKOUT, players=12), 12, 1, "seed", late).late == 0


def test_a_match_that_waits_for_a_word_is_told_to_start() -> None:
    course, _ = a_course(match_of(attrs.evolve(SWISS, grouping=Grouping("random"))), 6)
    assert course.run() == "over"
