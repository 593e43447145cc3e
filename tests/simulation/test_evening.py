"""A whole tourney is simulated: its own rules deal, open, link and call off; its matches are courses."""

from collections.abc import Sequence

import attrs
import pytest

from coordinator.engine.definition import CarryOut
from coordinator.engine.tourney.definition import Entry, Link, TourneyDefinition
from coordinator.simulation.evening import Played, TourneyPlan, run_evenings
from coordinator.simulation.habits import Habits
from coordinator.simulation.many import Run
from coordinator.simulation.report import evening_report
from coordinator.simulation.telling import rows
from tests.engine.stages import CLOCKED, DEFAULT, SWISS, match_of
from tests.engine.tourney_play import cup, when_full
from tests.engine.tourney_play import named as on_a_word

HEATS = cup(heats=2, final=True, take=2)
"""Two heats of three or more, the best two of each in a final of four."""


def one(
    tourney: TourneyDefinition, players: int, seed: str = "s", habits: Habits | None = None
) -> tuple[Run, Sequence[Played]]:
    [evening] = run_evenings(TourneyPlan(tourney, players, 1, seed, habits or Habits()))
    return evening


def named(played: Sequence[Played]) -> dict[str, Played]:
    return {each.name: each for each in played}


def test_the_best_of_both_heats_play_the_final_when_both_are_over() -> None:
    """R-HI-01."""
    whole, played = one(HEATS, 6)
    by_name = named(played)
    heats, final = [by_name["heat1"], by_name["heat2"]], by_name["final"]
    assert [sorted(each.run.skills) for each in heats] == [["p1", "p3", "p5"], ["p2", "p4", "p6"]]
    assert {*final.run.skills} == {who for each in heats for who in each.run.facts.ranking[:2]}
    assert final.began == max(each.ended for each in heats)
    assert whole.ending == "over"
    assert whole.facts.ended_at == final.ended - heats[0].began


def test_players_keep_their_skill_on_the_way() -> None:
    whole, played = one(HEATS, 6)
    for each in played:
        assert all(whole.skills[who] == skill for who, skill in each.run.skills.items())


def test_what_is_carried_through_a_link_is_there_in_the_final() -> None:
    """R-CA-03: the whole score, on top of what everybody starts with."""
    links = tuple(attrs.evolve(link, carry=CarryOut("full")) for link in HEATS.links)
    [plain], [carrying] = (
        [played for _, played in run_evenings(TourneyPlan(t, 6, 1, "s"))]
        for t in (HEATS, attrs.evolve(HEATS, links=links))
    )
    brought = {who: score for each in carrying[:2] for who, score in each.run.brought.items()}
    own, with_carry = named(plain)["final"].run, named(carrying)["final"].run
    assert any(brought.values())
    assert {w: with_carry.brought[w] - brought[w] for w in own.brought} == own.brought


def test_the_whole_evening_is_the_sum_of_its_matches() -> None:
    whole, played = one(HEATS, 9, habits=Habits(hand_spread=0.8))
    facts, by_name = whole.facts, named(played)
    assert sum(facts.hands_of.values()) == sum(sum(each.run.facts.hands_of.values()) for each in played)
    assert facts.left[0] == (0, 9)
    assert [number for _, number in facts.left] == sorted((number for _, number in facts.left), reverse=True)
    assert facts.tables[-1][1] == 0
    assert len(facts.ranking) == 9
    assert facts.ranking[:4] == by_name["final"].run.facts.ranking
    early, late = sorted((by_name["heat1"], by_name["heat2"]), key=lambda each: each.ended)
    waited = late.ended - early.ended
    for who in early.run.facts.ranking[:2]:  # who has won early waits for the final
        alone = early.run.facts.present_ms[who] + by_name["final"].run.facts.present_ms[who]
        assert facts.present_ms[who] == alone + waited > alone


def test_a_start_point_that_fills_plays_as_often_as_it_is_full() -> None:
    """R-HI-02: seven players at a table for three make two matches, and one waits in vain."""
    tourney = cup(points=[when_full(3)])
    whole, played = one(tourney, 7)
    assert [sorted(each.run.skills) for each in played] == [["p1", "p2", "p3"], ["p4", "p5", "p6"]]
    assert whole.ending == "over"


def test_conditions_of_entry_are_not_asked() -> None:
    """R-HI-03: invented players have neither a rating nor a membership, but places are places."""
    closed = tuple(attrs.evolve(each, entry=Entry(fee=5, rating_from=2000, members=("x",))) for each in HEATS.matches)
    assert len(one(attrs.evolve(HEATS, matches=closed), 6)[1]) == 3
    few = tuple(attrs.evolve(each, entry=Entry(places=3)) for each in HEATS.matches[:2])
    _, played = one(attrs.evolve(HEATS, matches=(*few, HEATS.matches[2])), 9)
    assert [len(each.run.skills) for each in played[:2]] == [3, 3]


def test_an_evening_that_nobody_can_play_says_so() -> None:
    whole, played = one(attrs.evolve(HEATS, start_points=(attrs.evolve(HEATS.start_points[0], min_players=9),)), 6)
    assert (whole.ending, played, whole.facts.halted) == ("halted", (), "too few came for any match")


def test_a_match_that_halts_halts_the_evening() -> None:
    """R-DF-01: a final table for three, of whom somebody has left meanwhile."""
    boards = attrs.evolve(CLOCKED, clock=attrs.evolve(CLOCKED.clock, late_entry=False))
    single = cup()
    halting = (attrs.evolve(single.matches[0], definition=on_a_word(match_of(boards, DEFAULT, players=3))),)
    whole, played = one(attrs.evolve(single, matches=halting), 3, habits=Habits(dropout=0.3))
    assert (whole.ending, len(played)) == ("halted", 1)
    assert "seats exactly 3" in (whole.facts.halted or "")


@pytest.mark.parametrize("players", [6, 9])
def test_the_report_of_an_evening_has_those_of_its_matches(players: int) -> None:
    plan = TourneyPlan(HEATS, players, 3, "s")
    found = evening_report(plan, list(run_evenings(plan)))
    assert (found["match"], found["players"], found["endings"]["over"]) == ("cup", players, 3)
    assert list(found["matches"]) == ["heat1", "heat2", "final"]
    assert found["matches"]["final"]["players"] == 4
    assert found["duration_s"]["min"] >= found["matches"]["final"]["duration_s"]["min"]
    assert found["strength"]["by_chance"] == round(1 / players, 4)
    told = dict(rows(found))
    assert told["match"] == f"cup, {players} players, 3 times with seed s"
    assert told["match final"].startswith("4 players, lasts median ")
    assert "final: waiting" in told


def test_the_same_seed_is_the_same_evening_and_another_is_not() -> None:
    plans = [TourneyPlan(HEATS, 9, 1, seed) for seed in ("one", "one", "two")]
    first, second, other = (evening_report(plan, list(run_evenings(plan))) for plan in plans)
    assert first == second
    assert first["durations_s"] != other["durations_s"]


def test_a_link_across_three_matches_ranks_by_how_far_somebody_came() -> None:
    deeper = TourneyDefinition(
        "deep",
        tuple(
            attrs.evolve(HEATS.matches[0], id=name, definition=match_of(SWISS, players=n))
            for name, n in (("a", 9), ("b", 6), ("c", 3))
        ),
        (attrs.evolve(HEATS.start_points[0], opens=("a",)),),
        (Link("a", "b", 6), Link("b", "c", 3)),
    )
    whole, played = one(deeper, 9)
    by_name = named(played)
    assert whole.facts.ranking[:3] == by_name["c"].run.facts.ranking
    assert whole.facts.ranking[3:6] == by_name["b"].run.facts.ranking[3:]
    assert whole.facts.ranking[6:] == by_name["a"].run.facts.ranking[6:]
