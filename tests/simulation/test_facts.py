"""What is gathered from a course, checked on matches small enough to count by hand."""

from typing import Any

import attrs
import pytest

from coordinator.engine.definition import Cut, GameState, Grouping, Round
from coordinator.simulation.course import Course
from coordinator.simulation.facts import Facts
from coordinator.simulation.figures import Steps
from coordinator.simulation.players import Played, Recorded
from tests.engine.stages import DEFAULT, KNOCKOUT, SWISS, match_of

FOUR = attrs.evolve(SWISS, table_size=2, grouping=Grouping("swiss"), round=Round(hands=1))


@attrs.frozen
class Timed:
    """Seat 1 wins every hand; the hands of each table last as long as is said, in seconds."""

    lengths: dict[int, int] = attrs.field(factory=dict)
    first: int = 0

    def play(self, state: Any, order: Any, seats: tuple[str, ...]) -> Played:
        win = 10 if self.first == 0 else -10
        rest = -win // (len(seats) - 1)
        return Played((win, *[rest] * (len(seats) - 1)), 1000 * self.lengths.get(order.table_id, 1))


def gathered(definition: Any, players: int, at_the_tables: Any, **more: Any) -> Facts:
    facts = Facts(definition, "auto")
    entries = [(f"p{number}", f"Player {number}") for number in range(1, players + 1)]
    course = Course(definition, entries, at_the_tables, "seed", watch=facts.watch, **more)
    assert course.run() == "over"
    facts.close(course.t)
    return facts


def test_who_waits_how_long() -> None:
    """Table 1 takes one second and table 2 four: its players wait three for the next bout, of one second each."""
    definition = match_of(attrs.evolve(FOUR, bouts=2), players=4)
    facts = gathered(definition, 4, Timed({2: 4}))
    assert (facts.started_at, facts.ended_at) == (0, 5000)
    assert facts.present_ms == dict.fromkeys(("p1", "p2", "p3", "p4"), 5000)
    assert sorted(facts.seated_ms.values()) == [2000, 2000, 5000, 5000]
    assert facts.hands_of == dict.fromkeys(facts.present_ms, 2)
    assert facts.tables == [(0, 2), (1000, 1), (4000, 2), (5000, 0)]
    assert facts.left == [(0, 4)]


def test_who_meets_whom_again() -> None:
    """Seat 1 always wins: p1, p2 lead and p3, p4 follow; three bouts of them are the same two pairs, twice at once."""
    facts = gathered(match_of(attrs.evolve(FOUR, bouts=1), players=4), 4, Timed())
    assert (facts.stages[0].meetings, facts.stages[0].repeats) == (2, 0)
    two = match_of(attrs.evolve(FOUR, table_size=4, bouts=3), players=4)
    facts = gathered(two, 4, Timed())
    assert (facts.stages[0].meetings, facts.stages[0].repeats, facts.stages[0].repeats_at_once) == (18, 12, 12)


def test_a_new_stage_forgets_who_has_met() -> None:
    whole = attrs.evolve(FOUR, table_size=4, bouts=1)
    facts = gathered(match_of(whole, attrs.evolve(whole, id="again"), players=4), 4, Timed())
    assert [stage.repeats for stage in facts.stages] == [0, 0]


def test_byes_and_those_who_go() -> None:
    """Five players at tables of two: one bye a bout; after each the last is cut."""
    definition = match_of(attrs.evolve(FOUR, bouts=3, cut=Cut("fixed", 1)), players=5)  # type: ignore[arg-type]
    facts = gathered(definition, 5, Timed())
    assert [number for _, number in facts.left] == [5, 4, 3, 2]
    assert sum(facts.stages[0].byes.values()) == 2
    gone = [ms for ms in facts.present_ms.values() if ms < 3000]
    assert sorted(gone) == [1000, 2000]


def test_waiting_for_a_table_server_is_waiting() -> None:
    facts = gathered(match_of(attrs.evolve(FOUR, bouts=1), players=4), 4, Timed(), tables=1)
    assert (facts.ended_at, facts.seated_ms) == (2000, dict.fromkeys(("p1", "p2", "p3", "p4"), 1000))
    assert max_of(facts.tables) == 1


def max_of(steps: Steps) -> float:
    return max(number for _, number in steps)


def test_target_rounds_are_counted_by_their_hands() -> None:
    """R-RT-01: ten a hand to seat 1, so that 20 is reached with the second hand and 100 never."""
    duel = attrs.evolve(KNOCKOUT, table_size=2, round=Round("target", target=20, max_hands=5))
    facts = gathered(match_of(duel, players=2), 2, Timed())
    assert facts.stages[0].rounds == {(2, True): 1}
    far = attrs.evolve(duel, round=Round("target", target=100, max_hands=3))
    facts = gathered(match_of(far, players=2), 2, Timed())
    assert facts.stages[0].rounds == {(3, False): 1}


def test_hands_beyond_reach_are_found_in_a_bout() -> None:
    """R-RF-01: the winner of one hand is worth 6 bases at most, so five hands of 20 decide the last two of seven."""
    many = attrs.evolve(
        KNOCKOUT, table_size=2, bouts=1, round=Round(hands=7), initial_game_state=GameState(1), round_carry_pct=0
    )
    hands = {(1, hand): (5, -5) for hand in range(1, 8)}
    facts = gathered(match_of(many, players=2, zero_sum=True), 2, Recorded(hands))
    # Before hand n seat 1 leads by 10(n - 1), and 12(8 - n) are still to be won.
    assert facts.stages[0].settled == [(1, int(10 * before > 12 * (7 - before))) for before in range(7)]


def test_where_nobody_is_cut_no_hand_is_without_effect() -> None:
    facts = gathered(match_of(attrs.evolve(DEFAULT, round=Round(hands=6)), players=3), 3, Timed())
    assert facts.stages[0].settled == []


@pytest.mark.parametrize("half", ["floor", "ceil"])
def test_the_middles_of_a_knockout_by_halves(half: Any) -> None:
    """R-KO-04: with one table the middle goes on or not by rule, whatever is played."""
    stage = attrs.evolve(
        KNOCKOUT,
        bouts=1,
        advance_per_table="half",
        half_rounding=half,
        round=Round(hands=2),
        initial_game_state=GameState(1),
    )
    hands = {(1, 1): (100, 0, -100), (1, 2): (0, 0, 0)}
    facts = gathered(match_of(stage, players=3, zero_sum=True), 3, Recorded(hands))
    assert facts.stages[0].settled == [(1, 0), (1, 1)]
