"""What is wrong with a tourney: each mistake at its place, with the rule it breaks."""

from typing import Any

import attrs
import pytest

from coordinator.engine.definition import CarryOut, Reward
from coordinator.engine.tourney.check import tourney_mistakes
from coordinator.engine.tourney.definition import Entry, Link, StartPoint, TourneyDefinition, TourneyMatch
from tests.engine.stages import DEFAULT, match_of
from tests.engine.tourney_play import FIELD, cup, named, when_full

EVENING = cup().start_points[0]
HEAT, OTHER = (TourneyMatch(name, named(FIELD)) for name in ("heat1", "other"))
TABLE = TourneyMatch("table", named(match_of(DEFAULT)))


def with_point(**words: Any) -> TourneyDefinition:
    return cup(points=[attrs.evolve(EVENING, **words)])


def with_entry(**words: Any) -> TourneyDefinition:
    return cup(entry=Entry(**words))


def linked(*links: Link, **words: Any) -> TourneyDefinition:
    told: dict[str, Any] = {"matches": (HEAT, OTHER), **words}
    return attrs.evolve(cup(), links=links, **told)


@pytest.mark.parametrize(
    ("definition", "path", "rule"),
    [
        (attrs.evolve(cup(), id="a.b"), "id", "R-HI-01"),
        (attrs.evolve(cup(), id="a b"), "id", "R-HI-03"),
        (attrs.evolve(cup(), id="x" * 60), "id", "R-HI-01"),
        (attrs.evolve(cup(), matches=()), "matches", "R-HI-01"),
        (attrs.evolve(cup(), start_points=()), "start_points", "R-HI-02"),
        (attrs.evolve(cup(), matches=(HEAT, HEAT)), "matches[1].id", "R-HI-03"),
        (attrs.evolve(cup(), matches=(HEAT, OTHER)), "matches[1].id", "R-HI-02"),
        (with_point(opens=()), "start_points[0].opens", "R-HI-02"),
        (with_point(opens=("heat1", "heat1")), "start_points[0].opens[1]", "R-HI-03"),
        (with_point(opens=("heat1", "gone")), "start_points[0].opens[1]", "R-HI-02"),
        (with_point(start_at=None), "start_points[0].start_at", "R-HI-02"),
        (with_point(start_at="eight"), "start_points[0].start_at", "R-HI-02"),
        (with_point(wait_ms=5), "start_points[0].wait_ms", "R-HI-02"),
        (with_point(register_from_ms=0), "start_points[0].register_from_ms", "R-HI-02"),
        (with_point(register_until_ms=-1), "start_points[0].register_until_ms", "R-HI-02"),
        (with_point(register_until_ms=86_400_000), "start_points[0].register_until_ms", "R-HI-02"),
        (with_point(withdraw_until_ms=-1), "start_points[0].withdraw_until_ms", "R-HI-02"),
        (with_point(min_players=1), "start_points[0].min_players", "R-HI-02"),
        (with_point(full_count=2), "start_points[0].min_players", "R-HI-02"),
        (with_point(late_ms=0), "start_points[0].late_ms", "R-HI-02"),
        (cup(points=[when_full(9), when_full(9)]), "start_points[1].id", "R-HI-03"),
        (cup(points=[attrs.evolve(when_full(9), full_count=None)]), "start_points[0].full_count", "R-HI-02"),
        (cup(points=[when_full(9, repeat="daily")]), "start_points[0].repeat", "R-HI-02"),
        (cup(points=[when_full(9, start_at="2026-01-01T20:00:00")]), "start_points[0].start_at", "R-HI-02"),
        (
            attrs.evolve(cup(), matches=(TABLE,), start_points=(when_full(4, opens=("table",)),)),
            "start_points[0].full_count",
            "R-DF-01",
        ),
        (
            cup(points=[attrs.evolve(EVENING, repeat="none", id=name) for name in ("one", "two")]),
            "start_points[1].opens[0]",
            "R-HI-02",
        ),
        (with_entry(fee=-1), "matches[0].entry.fee", "R-HI-03"),
        (with_entry(fee=1, fee_kind="item"), "matches[0].entry.item_id", "R-HI-03"),
        (with_entry(item_id="ticket"), "matches[0].entry.item_id", "R-HI-03"),
        (with_entry(places=0), "matches[0].entry.places", "R-HI-03"),
        (with_entry(rating_from=5, rating_to=4), "matches[0].entry.rating_to", "R-HI-03"),
        (cup(rewards=[Reward(2, 1, {"coins": 1})]), "matches[0].rewards[0].last", "R-HI-03"),
        (linked(Link("heat1", "gone", 3)), "links[0].to_match", "R-HI-01"),
        (linked(Link("gone", "other", 3)), "links[0].from_match", "R-HI-01"),
        (linked(Link("heat1", "other", 0)), "links[0].n", "R-HI-01"),
        (linked(Link("heat1", "other", 3), Link("heat1", "other", 3)), "links[1]", "R-HI-01"),
        (linked(Link("heat1", "other", 3), Link("other", "heat1", 3)), "links[1].to_match", "R-HI-01"),
        (linked(Link("heat1", "heat1", 3)), "links[0].to_match", "R-HI-01"),
        (linked(Link("heat1", "other", 3, carry=CarryOut("divide", divisor=0))), "links[0].carry.divisor", "R-CA-03"),
        (linked(Link("heat1", "table", 4), matches=(HEAT, TABLE)), "matches[1].id", "R-DF-01"),
        (
            linked(Link("heat1", "other", 3), matches=(HEAT, attrs.evolve(OTHER, entry=Entry(fee=1)))),
            "matches[1].entry",
            "R-HI-01",
        ),
        (
            linked(Link("heat1", "other", 3), start_points=(attrs.evolve(EVENING, opens=("heat1", "other")),)),
            "start_points[0].opens",
            "R-HI-01",
        ),
        (
            linked(
                Link("heat1", "other", 3),
                Link("third", "other", 3),
                matches=(HEAT, OTHER, attrs.evolve(HEAT, id="third")),
                start_points=(
                    EVENING,
                    StartPoint("once", ("third",), start_at="2026-01-01T20:00:00"),
                ),
            ),
            "links[0].to_match",
            "R-HI-01",
        ),
    ],
)
def test_a_mistake_is_found_at_its_place(definition: TourneyDefinition, path: str, rule: str) -> None:
    found = tourney_mistakes(definition)
    assert (path, rule) in [(mistake.path, mistake.rule) for mistake in found], found
    for mistake in found:
        assert mistake.message


def test_the_mistakes_of_its_matches_are_among_them() -> None:
    broken = attrs.evolve(HEAT, definition=attrs.evolve(HEAT.definition, game="no game"))
    [mistake] = tourney_mistakes(attrs.evolve(cup(), matches=(broken,)))
    assert mistake.path == "matches[0].definition.game"
    assert tourney_mistakes(attrs.evolve(cup(), matches=(broken,)), matches_too=False) == []


@pytest.mark.parametrize(
    "definition",
    [cup(), cup(heats=2, final=True), cup(points=[when_full(90, wait_ms=60_000)]), with_entry(fee=5, places=90)],
)
def test_what_is_right_is_left_alone(definition: TourneyDefinition) -> None:
    assert tourney_mistakes(definition) == []
