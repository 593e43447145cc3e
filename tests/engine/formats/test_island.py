"""R-IS-01: when an island ends by the wall clock, and which island follows."""

from typing import Any

import attrs
import pytest

from coordinator.engine import commands as c
from coordinator.engine import events
from coordinator.engine.checks.match import definition_mistakes
from coordinator.engine.definition import MatchDefinition, Stage
from coordinator.engine.formats.island import next_stage, next_time_of_day, utc_time_of_day
from tests.engine.island_play import ISLE, MINUTE, join, to
from tests.engine.playing import Game
from tests.engine.stages import MELEE, given, match_of, score, seats, started

HOUR = 60 * MINUTE
DAY = 24 * HOUR
MONDAY = 1_704_067_200_000
"""2024-01-01 00:00 UTC, as Unix time."""


def evening(**words: Any) -> Stage:
    """An island that ends at nine in the evening in Shanghai, which is 13:00 UTC."""
    assert ISLE.island is not None
    return attrs.evolve(ISLE, island=attrs.evolve(ISLE.island, duration_ms=None, end_at="21:00+08:00", **words))


def told(game: Game, wall_ms: int) -> None:
    given(game, c.TellTime(game.t, wall_ms))


def opened(*stages: Stage, at: int) -> Game:
    """Three players open the first island at this Unix time."""
    game = Game(match_of(*stages, players=3))
    told(game, at)
    return game.register(3)


@pytest.mark.parametrize(
    ("text", "of_day"),
    [
        ("21:00+08:00", 13 * HOUR),
        ("13:00Z", 13 * HOUR),
        ("00:00Z", 0),
        ("23:59-00:30", 29 * MINUTE),
        ("03:00+08:00", 19 * HOUR),
        ("21:00", None),
        ("24:00Z", None),
        ("9:00Z", None),
        ("21:00+15:00", None),
        ("21:00+08:00 ", None),
        ("", None),
    ],
)
def test_a_time_of_day_has_an_offset(text: str, of_day: int | None) -> None:
    assert utc_time_of_day(text) == of_day


@pytest.mark.parametrize(
    ("opens", "ends"), [(12 * HOUR, 13 * HOUR), (13 * HOUR, 37 * HOUR), (13 * HOUR + 1, 37 * HOUR), (0, 13 * HOUR)]
)
def test_it_ends_at_the_next_such_time(opens: int, ends: int) -> None:
    assert next_time_of_day("21:00+08:00", MONDAY + opens) == MONDAY + ends


def test_an_island_ends_at_nine_in_the_evening() -> None:
    game = opened(evening(), at=MONDAY + 12 * HOUR)
    to(game, HOUR - 1)
    assert game.of(events.DrainStarted) == []
    to(game, HOUR)
    (drain,) = game.of(events.DrainStarted)
    assert (drain.t, drain.reason) == (HOUR, "time")


def test_every_evening_has_its_end() -> None:
    """It loops: each run ends a day after the one before."""
    game = opened(evening(loop=True, loop_count=3, end_policy="snapshot"), at=MONDAY + 12 * HOUR)
    for day in range(3):
        to(game, HOUR + day * DAY)
    assert [event.t for event in game.of(events.StageEnded)] == [HOUR, HOUR + DAY, HOUR + 2 * DAY]
    assert game.state.status == "over"


def test_a_match_that_slept_through_its_evening_ends_when_it_is_told_the_time() -> None:
    """The match clock stood still for two hours; what comes now is not in time any more (R-IS-02)."""
    game = opened(evening(), at=MONDAY + 12 * HOUR)
    to(game, 10 * MINUTE)
    told(game, MONDAY + 14 * HOUR)
    to(game, 10 * MINUTE)
    (drain,) = game.of(events.DrainStarted)
    assert drain.t == 10 * MINUTE


def test_a_clock_that_stood_still_shortens_what_is_left() -> None:
    game = opened(evening(), at=MONDAY + 12 * HOUR)
    to(game, 10 * MINUTE)
    told(game, MONDAY + 12 * HOUR + 40 * MINUTE)
    to(game, 30 * MINUTE - 1)
    assert game.of(events.DrainStarted) == []
    to(game, 30 * MINUTE)
    assert game.of(events.DrainStarted) != []


def test_time_is_of_no_interest_to_a_match_that_does_not_look_at_it() -> None:
    game = started(ISLE, players=3)
    assert given(game, c.TellTime(5, MONDAY)).events == ()


def names(definition: MatchDefinition, steps: int) -> list[str]:
    """The islands in the order of play."""
    place: tuple[int, int] | None = (0, 1)
    way: list[str] = []
    while place is not None and len(way) < steps:
        way.append(definition.stages[place[0]].id)
        place = next_stage(definition, *place)
    return way


def led(name: str, to: str | None, **words: Any) -> Stage:
    assert ISLE.island is not None
    return attrs.evolve(ISLE, id=name, island=attrs.evolve(ISLE.island, next=to, **words))


def test_islands_lead_where_they_say() -> None:
    """Two islands take turns for ever; the first one is played twice each time."""
    ring = match_of(led("shore", None, loop=True, loop_count=2), led("summit", "shore"), players=3)
    assert definition_mistakes(ring) == []
    assert names(ring, 7) == ["shore", "shore", "summit", "shore", "shore", "summit", "shore"]
    chain = match_of(led("a", "c"), led("b", None), led("c", "b"), players=3)
    assert definition_mistakes(chain) == [], "the order in the file is not the order of play"
    assert names(chain, 3) == ["a", "c", "b"]


def test_who_is_there_goes_round_with_a_share_of_the_score() -> None:
    game = started(led("shore", None), led("summit", "shore"), players=3)
    one, two, three = seats(game)[0]
    score(game, **{one: 900, two: -400, three: -500})
    for number in range(1, 4):
        to(game, number * HOUR)
        join(game, f"late{number}")
        score(game, **dict.fromkeys(seats(game)[0], 0))
    assert [event.stage_no for event in game.of(events.StageOpened)] == [0, 1, 0, 1]
    carried = [dict(zip(event.players, event.scores, strict=True)).get(one) for event in game.of(events.StageOpened)]
    assert carried == [0, 90, 9, 1], "a tenth of 900, of 90 and of 9"


@pytest.mark.parametrize(
    ("stages", "path"),
    [
        ((led("a", "nowhere"), led("b", None)), "[0].island.next"),
        ((led("a", "c"), led("b", None), led("c", None)), "[1]"),
        ((led("a", "b", loop=True), led("b", None)), "[0].island.next"),
        ((led("a", None, end_at="21:00Z"),), "[0].island"),
        ((led("a", None, duration_ms=None),), "[0].island"),
        ((led("a", None, duration_ms=None, end_at="9 pm"),), "[0].island.end_at"),
    ],
)
def test_a_way_or_an_end_that_makes_no_sense_is_refused(stages: tuple[Stage, ...], path: str) -> None:
    found = definition_mistakes(match_of(*stages, players=3))
    assert [(mistake.path, mistake.rule) for mistake in found] == [(f"phases[0].stages{path}", "R-IS-01")]


def test_no_island_leads_out_of_the_islands() -> None:
    rules = [mistake.rule for mistake in definition_mistakes(match_of(led("a", MELEE.id), MELEE, players=9))]
    assert set(rules) == {"R-IS-01"}
