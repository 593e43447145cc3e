"""Why: every answer about every player of simulated matches agrees with what was decided."""

import re
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, get_args

import attrs
import pytest

from coordinator.definition_file import load, shipped
from coordinator.engine import events
from coordinator.engine.definition import Cut, MatchDefinition, Reward, Round
from coordinator.engine.events import Event
from coordinator.engine.match import evolve, new_state
from coordinator.reasons.by_event import EXPLAINED, SILENT, reasons_of
from coordinator.reasons.ranked import LOWER_IS_BETTER
from coordinator.reasons.reason import Reason
from coordinator.simulation.habits import Habits
from tests.engine.stages import DEFAULT, KNOCKOUT, SWISS, match_of
from tests.simulation.courses import STAGES, a_course

RULES = Path(__file__).parents[2] / "coordinator/manual/rules.md"
KNOWN = set(re.findall(r"^### (R-[A-Z]{2}-\d\d)$", RULES.read_text(encoding="utf-8"), re.MULTILINE))


def test_every_event_is_explained_or_says_nothing_about_a_player() -> None:
    told = get_args(Event)
    assert {*EXPLAINED, *SILENT} == {*told}
    assert not {*EXPLAINED} & {*SILENT}


@attrs.define
class Asked:
    """All answers about all players of a course, event by event."""

    given: list[tuple[Any, str, list[Reason]]] = attrs.field(factory=list)

    def of(self, kind: type) -> list[tuple[Any, str, list[Reason]]]:
        return [each for each in self.given if type(each[0]) is kind and each[2]]


def ask(definition: MatchDefinition, players: int, habits: Habits | None = None) -> Asked:
    late = [(1000 * n, (f"late{n}", f"Late {n}")) for n in range(3)] if habits else []
    course, story = a_course(definition, players, habits, latecomers=late)
    course.run()
    state, asked = new_state(), Asked()
    names = [*course.state.entrants]
    for _, event in story.told:
        for player_id in names:
            asked.given.append((event, player_id, reasons_of(state, event, player_id)))
        evolve(state, event)
    assert state == course.state
    return asked


def _many(name: str) -> int:
    return 3 if name == "default" else 13


MATCHES: dict[str, tuple[MatchDefinition, int]] = {
    **{name: (match_of(stage, players=_many(name)), _many(name)) for name, stage in STAGES.items()},
    **{
        name: (load(path), load(path).start.full_count or 0)
        for name, path in shipped().items()
        if name in ("cup", "half_knockout", "dominion")
    },
    "placement": (
        match_of(
            attrs.evolve(SWISS, bouts=3, scoring="placement", cut=Cut("percent", Fraction(20))),
            attrs.evolve(KNOCKOUT, grouping=attrs.evolve(KNOCKOUT.grouping, kind="snake")),
            players=20,
            rewards=(Reward(1, 2, {"coins": 5}),),
        ),
        20,
    ),
}


@cache
def asked_of(name: str, fickle: bool = False) -> Asked:
    definition, players = MATCHES[name]
    return ask(definition, players, Habits(dropout=0.04, late=0.2) if fickle else None)


@pytest.mark.parametrize("fickle", [False, True], ids=["faithful", "fickle"])
@pytest.mark.parametrize("name", MATCHES)
def test_whoever_is_ahead_is_ahead_by_what_is_named(name: str, fickle: bool) -> None:
    """The comparison that is told is the one that decided: the first value that differs, in the right direction."""
    asked = asked_of(name, fickle and name != "cup")
    compared = 0
    for event, player_id, reasons in asked.given:
        for reason in reasons:
            assert set(reason.rules) <= KNOWN, reason
            assert reason.says
            for rival in reason.compared:
                compared += 1
                told = (type(event).__name__, player_id, reason.says, rival)
                assert rival.decided_by, told
                before = list(rival.own)[: list(rival.own).index(rival.decided_by)]
                assert all(rival.own[value] == rival.values[value] for value in before), told
                better = rival.own[rival.decided_by] > rival.values[rival.decided_by]
                if rival.decided_by in LOWER_IS_BETTER:
                    better = not better
                assert better == rival.ahead, told
    assert compared or name == "ladder", "a challenge decides by itself"


@pytest.mark.parametrize("name", MATCHES)
def test_nothing_becomes_of_a_player_without_a_reason(name: str) -> None:
    """Every seat, bye, elimination, place, carry and award of every player has an answer."""
    definition, _ = MATCHES[name]
    asked = asked_of(name)
    answered = {(id(event), player): [reason.kind for reason in reasons] for event, player, reasons in asked.given}
    for event in {id(event): event for event, _, _ in asked.given}.values():
        for player, kind in _became(event, definition):
            assert kind in answered[id(event), player], (event, player)


def _became(event: Any, definition: MatchDefinition) -> list[tuple[str, str]]:
    """Who must have an answer of which kind after an event, said without looking at how answers are found."""
    match event:
        case events.TablesSeated(tables=tables, byes=byes):
            return [(p, "seat") for seats in tables for p in seats] + [(p, "bye") for p in byes]
        case events.PlayersEliminated(players=players):
            return [(p, "out") for p in players]
        case events.RevivalOffered(player_id=player):
            return [(player, "offer")]
        case events.StageOpened(players=players):
            return [(p, "carry") for p in players]
        case events.MatchEnded(ranking=ranking):
            won = [p for n, p in enumerate(ranking, 1) if any(r.first <= n <= r.last for r in definition.rewards)]
            return [(p, "place") for p in ranking] + [(p, "award") for p in won]
        case events.PlayersLeft(players=players) | events.EntrantsLeft(players=players):
            return [(p, "left") for p in players]
        case _:
            return []


def reasons_at(asked: Asked, kind: type, which: str) -> list[Reason]:
    return [reason for _, _, reasons in asked.of(kind) for reason in reasons if reason.kind == which]


def test_a_seat_by_lot_names_the_seed_and_where_the_generator_stood() -> None:
    """R-GR-04."""
    asked = ask(match_of(KNOCKOUT, players=9), 9)
    first = reasons_at(asked, events.TablesSeated, "seat")[0]
    assert first.rules[0] == "R-GR-04"
    assert first.draw is not None
    assert (first.draw.seed, first.draw.counter) == ("7", 0)
    assert first.draw.counter_after > 0


def test_a_bye_says_who_else_could_have_sat_out() -> None:
    """R-BY-01: 20 players at tables of three, two are left over."""
    asked = ask(match_of(attrs.evolve(SWISS, bouts=2), players=20), 20)
    byes = reasons_at(asked, events.TablesSeated, "bye")
    assert len(byes) == 4
    for reason in byes:
        assert reason.rules == ("R-BY-01", "R-CA-01")
        assert (reason.inputs["players"], reason.inputs["table_size"]) == (20, 3)
        assert reason.compared
    assert {reason.inputs["byes_had"] for reason in byes} == {0}


def test_a_fall_below_the_line_says_the_line() -> None:
    """R-ME-02, R-ME-05."""
    asked = asked_of("melee")
    outs, places = (reasons_at(asked, events.PlayersEliminated, kind) for kind in ("out", "place"))
    assert len(outs) == len(places) > 5
    for reason in outs:
        assert reason.inputs["score"] < reason.inputs["line"]  # type: ignore[operator]
        assert reason.inputs["line"] == Fraction(1, 4) * reason.inputs["base_score"]  # type: ignore[operator]


def test_a_carry_says_what_was_brought_and_how_it_was_reckoned() -> None:
    """R-CA-03: the cup carries the square root out of its melee."""
    asked = asked_of("cup")
    carried = [r for r in reasons_at(asked, events.StageOpened, "carry") if r.inputs.get("from_stage") == "melee"]
    assert len(carried) > 40
    for reason in carried:
        brought, got = reason.inputs["brought"], reason.inputs["carried"]
        assert isinstance(brought, int)
        assert isinstance(got, int)
        assert abs(got - max(0, brought) ** 0.5) <= 0.5
        assert reason.rules == ("R-CA-03",)


def test_a_pairing_says_who_was_nearer_and_met_before() -> None:
    """R-DM-10."""
    asked = asked_of("dominion")
    seats = [r for r in reasons_at(asked, events.TablesSeated, "seat") if r.rules[0] == "R-DM-10"]
    assert len(seats) == 3 * 12
    assert any(reason.inputs["nearer_and_met"] for reason in seats)
    assert not any(reason.inputs["rematch"] for reason in seats)


def test_an_award_names_its_band() -> None:
    """R-HI-03."""
    asked = asked_of("cup")
    awards = reasons_at(asked, events.MatchEnded, "award")
    won = [reason for reason in awards if "from" in reason.inputs]
    assert sorted((r.inputs["from"], r.inputs["to"]) for r in won) == [(1, 1), *[(2, 3)] * 2, *[(4, 9)] * 6]
    assert {reason.inputs["place"] for reason in awards if reason not in won} == {*range(10, 91)}
    assert all(reason.says.startswith("wins nothing: ") for reason in awards if reason not in won)


def test_partners_are_compared_as_a_side_first() -> None:
    """R-RT-01: two against two."""
    pairs = attrs.evolve(
        KNOCKOUT,
        table_size=4,
        advance_per_table=2,
        round=Round("target", target=50, max_hands=3, sides=("A", "B", "A", "B")),
    )
    asked = ask(match_of(pairs, players=8), 8)
    placed = reasons_at(asked, events.RoundEnded, "table")
    assert len(placed) >= 8
    for reason in placed:
        by = [rival.decided_by for rival in reason.compared]
        assert sum(each.startswith("side_") for each in by) == 2, "both opponents, and nothing else, by their side"
        for rival in reason.compared:
            better = rival.own[rival.decided_by] > rival.values[rival.decided_by]
            assert (better != (rival.decided_by in LOWER_IS_BETTER)) == rival.ahead


@pytest.mark.parametrize("policy", ["void", "average", "let_stand"])
def test_a_hand_that_nobody_finishes_says_what_it_is_worth(policy: Any) -> None:
    """R-RC-02: read from the state before the event, which is all that is looked at."""
    course, story = a_course(match_of(DEFAULT, players=3), 3)
    course.run()
    state = new_state()
    for _, event in story.told:
        if isinstance(event, events.HandScored):
            voided = events.HandVoided(event.t, event.table_id, policy)
            [reason] = reasons_of(state, voided, "p1")
            assert reason.inputs["policy"] == policy
            assert "will not be played again" in reason.says
            assert reasons_of(state, events.MatchPaused(event.t, "power"), "p1")[0].inputs["reason"] == "power"
            assert reasons_of(state, events.MatchPaused(event.t, "power"), "nobody") == []
            break
        evolve(state, event)
    else:
        pytest.fail("no hand was scored")


def test_a_target_round_is_named_as_one() -> None:
    """R-RT-01."""
    duel = attrs.evolve(KNOCKOUT, table_size=2, round=Round("target", target=50, max_hands=3))
    asked = ask(match_of(duel, players=4), 4)
    assert {reason.rules[0] for reason in reasons_at(asked, events.RoundEnded, "table")} == {"R-RT-01"}
