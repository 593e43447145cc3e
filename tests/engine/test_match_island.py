"""Islands: players come, go and come back, and only time ends one (R-IS).

Proves R-IS-01, R-IS-02, R-IS-03, R-IS-04, R-IS-05.
"""

from typing import Any

import attrs
import pytest

from coordinator.engine import commands as c
from coordinator.engine import effects as fx
from coordinator.engine import events
from coordinator.engine.checks.match import definition_mistakes
from coordinator.engine.definition import (
    CarryOut,
    Elimination,
    End,
    Island,
    Revival,
    Reward,
    Stage,
)
from coordinator.engine.formats.island import cashed_out
from coordinator.engine.refusal import Refused
from tests.cases.vectors import vector
from tests.engine.island_play import ISLE, MINUTE, island, join, to
from tests.engine.playing import Game
from tests.engine.stages import MELEE, given, match_of, report, score, seats, started, tell

NEXT = attrs.evolve(ISLE, id="next")


def left(game: Game) -> list[tuple[str, int, int, str]]:
    return [(e.player_id, e.score, e.units, e.reason) for e in game.effects if isinstance(e, fx.TellLeft)]


def leave(game: Game, player: str) -> None:
    given(game, c.LeaveMatch(game.t, player))


# --- the end


def test_av_099_the_end_of_an_island() -> None:
    """R-IS-01, R-CA-03: all are ranked, the best three rewarded, and a tenth is carried."""
    asked, expected = vector("AV-099")
    rewards = (Reward(1, 1, {"coins": 9}), Reward(2, 3, {"coins": 4}))
    carry = CarryOut(asked["carry"]["mode"], divisor=asked["carry"]["divisor"])
    game = started(attrs.evolve(ISLE, rewards=rewards, carry_out=carry), NEXT, players=3)
    names = dict(zip("ABC", seats(game)[0], strict=True))
    score(game, **{names[name]: worth for name, worth in asked["scores"].items()})
    to(game, 60 * MINUTE)
    score(game, **dict.fromkeys(names.values(), 0))
    (ended,) = game.of(events.StageEnded)
    assert list(ended.ranking) == [names[name] for name in expected["rank"]]
    opened = game.of(events.StageOpened)[1]
    carried = dict(zip(opened.players, opened.scores, strict=True))
    assert carried == {names[name]: worth for name, worth in expected["next"].items()}
    won = [(e.player_id, e.place, e.items) for e in game.effects if isinstance(e, fx.TellRewarded)]
    assert won == [(names["A"], 1, {"coins": 9}), (names["B"], 2, {"coins": 4}), (names["C"], 3, {"coins": 4})]


def test_av_100_a_score_is_cashed_out() -> None:
    """R-IS-03."""
    asked, expected = vector("AV-100")
    rule = Island(1, leave_processing=asked["policy"], exchange_rate=asked["rate"])
    assert [cashed_out(rule, worth) for worth in asked["score"]] == expected["units"]


def clock(text: str) -> int:
    hours, minutes = map(int, text.split(":"))
    return (60 * hours + minutes - 20 * 60) * MINUTE


def test_av_101_the_ranking_waits_for_the_running_hand_and_a_joiner_for_the_next_island() -> None:
    """R-IS-04, R-IS-02. The island begins at 20:00."""
    asked, expected = vector("AV-101")
    game = started(island(duration_ms=clock(asked["end_at"]), end_policy=asked["policy"]), NEXT, players=3)
    to(game, clock(asked["join_at"]))
    join(game, "late")
    assert game.of(events.StageEnded) == []
    to(game, clock(asked["hand_running_until"]))
    score(game, **dict.fromkeys(seats(game)[0], 0))
    (ended,) = game.of(events.StageEnded)
    assert ended.t == clock(expected["ranking_at"])
    assert "late" not in ended.ranking
    assert expected["joiner_stage"] == "next"
    opened = game.of(events.StageOpened)[1]
    assert dict(zip(opened.players, opened.scores, strict=True))["late"] == 1000


def test_a_snapshot_cuts_what_still_runs() -> None:
    """R-IS-04: the last settled hand counts, and what comes after it is late."""
    game = started(island(end_policy="snapshot"), NEXT, players=3)
    one, two, three = seats(game)[0]
    score(game, **{one: 30, two: -10, three: -20})
    late = report(game, {one: -500, two: 250, three: 250})
    to(game, 60 * MINUTE)
    (ended,) = game.of(events.StageEnded)
    assert (ended.t, ended.ranking) == (60 * MINUTE, (one, two, three))
    assert tell(game, late).code == "late"


def test_a_drain_has_an_end() -> None:
    """R-IS-04: after drain_max_s the last settled scores count."""
    game = started(island(drain_max_ms=5 * MINUTE), players=3)
    to(game, 60 * MINUTE)
    to(game, 65 * MINUTE - 1)
    assert game.of(events.StageEnded) == []
    to(game, 65 * MINUTE)
    assert game.state.status == "over"


def test_an_island_loops_and_takes_everybody_along() -> None:
    """R-IS-01."""
    game = started(island(loop=True, loop_count=3), NEXT, players=3)
    for hour in range(1, 5):
        to(game, 60 * MINUTE * hour)
        score(game, **dict.fromkeys(seats(game)[0], 0))
    assert [(e.stage_no, e.run) for e in game.of(events.StageOpened)] == [(0, 1), (0, 2), (0, 3), (1, 1)]
    assert game.state.status == "over"


def test_an_empty_island_ends_by_its_time_and_so_does_the_next() -> None:
    """R-IS-01: nobody present is an empty ranking."""
    game = started(ISLE, NEXT, players=2)
    for player in ("p1", "p2"):
        leave(game, player)
    to(game, 60 * MINUTE)
    assert [event.ranking for event in game.of(events.StageEnded)] == [()]
    assert game.of(events.StageOpened)[1].players == ()
    to(game, 120 * MINUTE)
    assert game.state.status == "over"
    assert game.state.ranking == ()


# --- coming


def test_a_newcomer_gets_the_entry_score_and_waits_for_the_shuttle() -> None:
    """R-IS-02."""
    game = started(ISLE, players=2)
    join(game, "new")
    assert game.state.entrants["new"].score == 1000
    assert seats(game), "three fill a table"
    join(game, "new")
    assert len(game.of(events.PlayerJoined)) == 1, "asked twice, in once"


@pytest.mark.parametrize(("policy", "rejoin", "back_with"), [("cash_out", "fresh", 1000), ("keep", "keep", 30)])
def test_who_returns_starts_afresh_or_goes_on(policy: Any, rejoin: Any, back_with: int) -> None:
    """R-IS-02, R-TB-02."""
    game = started(island(leave_processing=policy, rejoin=rejoin), players=3)
    one, two, three = seats(game)[0]
    leave(game, one)
    score(game, **{one: 30, two: -10, three: -20})
    join(game, one)
    assert (game.state.entrants[one].score, game.state.entrants[one].reg_seq) == (back_with, 4)
    assert list(game.state.entrants)[-1] == one


def test_who_was_put_out_comes_back_with_the_next_island_only() -> None:
    """R-IS-02."""
    game = started(attrs.evolve(ISLE, elimination=Elimination(absolute=0)), NEXT, players=3)
    one, two, three = seats(game)[0]
    score(game, **{one: 30, two: 20, three: -50})
    assert tell(game, c.JoinMatch(game.t, three, three)).code == "eliminated"
    to(game, 60 * MINUTE)
    join(game, three)
    assert three in game.state.current.active


def test_nobody_joins_the_last_island_after_its_end() -> None:
    game = started(ISLE, players=3)
    to(game, 60 * MINUTE)
    assert tell(game, c.JoinMatch(game.t, "late", "Late")).code == "match_closed"


def test_other_formats_let_nobody_in() -> None:
    """R-ST-02."""
    game = started(MELEE, players=9)
    assert tell(game, c.JoinMatch(game.t, "late", "Late")).code == "join_forbidden"
    assert tell(game, c.LeaveMatch(game.t, "p1")).code == "leave_forbidden"


# --- going


def test_leaving_in_the_middle_of_a_hand_takes_effect_at_its_end() -> None:
    """R-IS-03: the hand counts, then the score is cashed out and the table parts."""
    game = started(island(exchange_rate=10), players=3)
    one, two, three = seats(game)[0]
    leave(game, one)
    leave(game, one)
    assert left(game) == []
    assert tell(game, c.JoinMatch(game.t, one, one)).code == "leaving"
    score(game, **{one: 1234, two: -617, three: -617})
    assert left(game) == [(one, 1234, 123, "asked")]
    assert one not in game.state.current.active
    (due,) = game.state.payouts
    assert (due.payout_no, due.player_id, due.units) == (1, one, 123)


def test_who_waits_leaves_at_once() -> None:
    game = started(ISLE, players=2)
    leave(game, "p1")
    assert left(game) == [("p1", 0, 0, "asked")]


def test_who_forfeits_gets_nothing() -> None:
    game = started(island(leave_processing="forfeit"), players=3)
    one, two, three = seats(game)[0]
    leave(game, one)
    score(game, **{one: 100, two: -50, three: -50})
    assert left(game) == [(one, 100, 0, "asked")]


def test_who_is_put_out_by_the_last_hand_gets_no_offer_and_no_money() -> None:
    """R-IS-03, R-RV-01."""
    stage = attrs.evolve(ISLE, elimination=Elimination(absolute=50), revival=Revival("list", fees=(1,)), table_size=3)
    game = started(stage, players=3)
    one, two, three = seats(game)[0]
    leave(game, one)
    score(game, **{one: 40, two: 60, three: 60})
    assert left(game) == []
    assert game.state.entrants[one].state == "out"
    assert game.of(events.RevivalOffered) == []


def test_an_offered_player_who_leaves_is_out() -> None:
    stage = attrs.evolve(ISLE, elimination=Elimination(absolute=0), revival=Revival("list", fees=(1,)))
    game = started(stage, players=3)
    one, two, three = seats(game)[0]
    score(game, **{one: 30, two: 20, three: -50})
    leave(game, three)
    assert (game.state.entrants[three].state, game.state.entrants[three].place) == ("out", None)


# --- resting


RESTING = island(rest_ms=60_000, exchange_rate=10)


def test_a_rest_without_an_answer_is_leaving() -> None:
    """R-IS-05: sixty seconds, then 123 units for 1234."""
    game = started(RESTING, players=3)
    one, two, three = seats(game)[0]
    score(game, **{one: 1234, two: -617, three: -617})
    assert {game.state.entrants[player].state for player in (one, two, three)} == {"resting"}
    to(game, 59_999)
    join(game, two)
    join(game, three)
    to(game, 60_000)
    assert left(game) == [(one, 1234, 123, "rest_over")]
    assert list(game.state.current.pool) == [two, three]


def test_nobody_rests_when_the_island_ends() -> None:
    """R-IS-05, R-IS-01: who rests is present."""
    game = started(RESTING, players=3)
    table = seats(game)[0]
    to(game, 60 * MINUTE - 1)
    score(game, **dict.fromkeys(table, 0))
    to(game, 60 * MINUTE)
    assert game.state.status == "over"
    assert sorted(game.state.ranking) == sorted(table)
    assert left(game) == []


# --- what is refused


@pytest.mark.parametrize(
    ("stage", "path", "rule"),
    [
        (attrs.evolve(ISLE, leave="forbidden"), "leave", "R-ST-02"),
        (attrs.evolve(ISLE, join="none"), "join", "R-ST-02"),
        (attrs.evolve(ISLE, island=None), "island", "R-IS-01"),
        (attrs.evolve(ISLE, end=End(remaining_below=5)), "end", "R-ME-05"),
        (island(rejoin="keep"), "island.rejoin", "R-IS-02"),
        (island(exchange_rate=0), "island.exchange_rate", "R-IS-03"),
        (island(leave_processing="forfeit", exchange_rate=5), "island.exchange_rate", "R-IS-03"),
        (island(end_policy="snapshot", drain_max_ms=5), "island.drain_max_ms", "R-IS-04"),
        (island(rest_ms=0), "island.rest_ms", "R-IS-05"),
        (island(loop_count=2), "island.loop_count", "R-IS-01"),
        (attrs.evolve(ISLE, revival=Revival("list")), "revival", "R-RV-01"),
    ],
)
def test_an_island_that_makes_no_sense_is_refused(stage: Stage, path: str, rule: str) -> None:
    wrong = definition_mistakes(match_of(stage, players=9))
    assert [(mistake.path, mistake.rule) for mistake in wrong] == [(f"phases[0].stages[0].{path}", rule)]


def test_only_islands_are_chained_with_islands() -> None:
    """R-IS-01."""
    (wrong,) = definition_mistakes(match_of(MELEE, ISLE, players=9))
    assert (wrong.path, wrong.rule) == ("phases[0].stages[1].format", "R-IS-01")
    assert definition_mistakes(match_of(ISLE, NEXT, players=9)) == []


def test_before_the_start_joining_is_registering() -> None:
    game = Game(match_of(ISLE, players=3))
    assert not isinstance(game.do(c.JoinMatch(0, "p1", "One")), Refused)
    assert [event.player_id for event in game.of(events.PlayerRegistered)] == ["p1"]
