"""Cases from real life about calendars, registration and prizes, each named after its number."""

import attrs
import pytest

from coordinator.engine import commands as c
from coordinator.engine import events
from coordinator.engine.definition import Reward, Round
from coordinator.engine.dues import rewarded
from coordinator.engine.refusal import Refused
from coordinator.engine.tourney import events as te
from coordinator.engine.tourney.definition import Entry, StartPoint
from coordinator.shell.calendar import instant, next_start, shown
from tests.engine.island_play import MINUTE, island, to
from tests.engine.stages import SWISS, score, started
from tests.engine.tourney_play import EVENING, NOON, Play, cup, when_full

NEW_YORK = "America/New_York"
EIGHT = "cup.n0"


def test_case_138_a_weekly_event_keeps_its_hour() -> None:
    """Weekly 13:30 New York across the change: 17:30 UTC, then 18:30 UTC, and 13:30 for everybody there."""
    point = StartPoint("weekly", ("m",), start_at="2017-10-29T13:30:00", repeat="weekly")
    first = next_start(point, NEW_YORK, instant("2017-10-01T00:00:00Z"))
    assert first is not None
    second = next_start(point, NEW_YORK, first.at_ms)
    assert second is not None
    assert [shown(each.at_ms, "UTC") for each in (first, second)] == [
        "2017-10-29 17:30+00:00",
        "2017-11-05 18:30+00:00",
    ]
    assert [shown(each.at_ms, NEW_YORK)[11:16] for each in (first, second)] == ["13:30", "13:30"]


@pytest.mark.parametrize(("ms", "hour"), [(3_599_999, 0), (3_600_000, 1), (3_600_001, 1)])
def test_case_140_the_boundary_belongs_to_the_new_one(ms: int, hour: int) -> None:
    """Intervals are half-open: of an hourly event exactly one is the latest at any instant."""
    point = StartPoint("hourly", ("m",), start_at="2026-01-01T00:00:00", repeat="hourly")
    begin = instant("2026-01-01T00:00:00Z")
    following = next_start(point, "UTC", begin + ms)
    assert following is not None
    assert following.at_ms == begin + (hour + 1) * 3_600_000


def test_case_140_months_without_that_day_are_left_out() -> None:
    point = StartPoint("monthly", ("m",), start_at="2026-01-31T20:00:00", repeat="monthly")
    at = instant("2026-01-01T00:00:00Z")
    labels = []
    for _ in range(8):
        moment = next_start(point, "UTC", at)
        assert moment is not None
        labels.append(moment.label[5:])
        at = moment.at_ms
    assert labels == ["01-31", "03-31", "05-31", "07-31", "08-31", "10-31", "12-31", "01-31"]


def test_case_140_registration_ends_at_the_instant_and_not_after_it() -> None:
    play = Play(cup())
    play.to(EVENING - 1)
    assert isinstance(play.enter("a"), te.EntryMade)
    play.enter_all("bc")
    play.to(EVENING)
    late = play.enter("d", EIGHT)
    assert isinstance(late, Refused)
    assert late.code == "match_closed"


def test_case_142_a_new_table_is_not_judged_by_the_old_deadline() -> None:
    """The same players get a new table at the tick of the old one's limit: it has its full time."""
    stage = attrs.evolve(SWISS, bouts=2, round=Round(hands=1), table_timeout_ms=MINUTE)
    game = started(stage, players=3)
    game.t = MINUTE
    score(game, p1=1, p2=0, p3=0)
    assert list(game.state.tables) == [2]
    late = game.do(c.FireTimer(game.t, "table/1"))
    assert isinstance(late, Refused)
    game.t = 2 * MINUTE - 1
    game.fire_due()
    assert list(game.state.tables) == [2], "it is not settled a moment early"
    game.t = 2 * MINUTE
    game.fire_due()
    assert [event.table_id for event in game.of(events.RoundEnded) if event.settled] == [2]


@pytest.mark.parametrize(("ended_at", "counts"), [(-100, True), (0, True), (100, True), (5 * MINUTE, False)])
def test_case_144_a_hand_that_runs_at_the_bell_counts_while_the_island_drains(ended_at: int, counts: bool) -> None:
    """R-IS-04: who began before the bell counts up to drain_max_s; then the last settled scores do."""
    game = started(island(drain_max_ms=5 * MINUTE), players=3)
    bell = 60 * MINUTE
    for moment in sorted({bell, bell + 5 * MINUTE, bell + ended_at}):
        to(game, moment)
        if moment == bell + ended_at and game.state.tables:
            score(game, p1=500, p2=-200, p3=-300)
    [over] = game.of(events.StageEnded)
    assert over.ranking[0] == "p1"
    assert (game.state.hands > 0) is counts
    assert len(game.of(events.MatchEnded)) == 1, "the final ranking is published once"


# ------------------------------------------------------------------------------------------------ prizes

SCORES = {"a": 10, "b": 10, "c": 10, "d": 7}


def paid(*bands: Reward) -> dict[str, int]:
    return {player: items["coins"] for _, player, items in rewarded(bands, list(SCORES))}


def test_case_155_a_tie_for_the_prizes_is_split_by_the_chain() -> None:
    """Three tied for first: 25, 15, 8 and 2 by the strict ranking, no halving; the pool is paid out whole."""
    prizes = [Reward(place, place, {"coins": coins}) for place, coins in enumerate((25, 15, 8, 2), start=1)]
    assert paid(*prizes) == {"a": 25, "b": 15, "c": 8, "d": 2}
    play = Play(cup(rewards=prizes))
    play.enter_all(SCORES)
    play.to(EVENING)
    play.finish(EIGHT)
    assert [(due.player_id, due.items["coins"]) for due in play.dues("award")] == list(paid(*prizes).items())


def test_case_155_an_organiser_may_share_them_instead() -> None:
    """A shared band gives the tied the mean of what the band holds."""
    assert paid(Reward(1, 3, {"coins": 48}, shared=True), Reward(4, 4, {"coins": 2})) == {
        "a": 16,
        "b": 16,
        "c": 16,
        "d": 2,
    }


def test_case_157_a_tie_is_never_decided_by_lot() -> None:
    """A and B are equal in everything but registration: twenty times the same winner gets the whole prize."""
    winners = []
    for _ in range(20):
        stage = attrs.evolve(SWISS, tie_chain=("registration",))
        game = started(stage, players=3)
        score(game, p1=7, p2=7, p3=3)
        [over] = game.of(events.MatchEnded)
        winners.append(list(rewarded([Reward(1, 1, {"coins": 100})], over.ranking)))
    assert winners == [[(1, "p1", {"coins": 100})]] * 20


@pytest.mark.parametrize(
    ("band", "shares"),
    [
        (Reward(1, 3, {"coins": 100}, shared=True), [34, 33, 33]),
        (Reward(2, 4, {"coins": 50}, shared=True), [17, 17, 16]),
        (Reward(1, 3, {"coins": 1}, shared=True), [1]),
    ],
)
def test_shares_in_whole_units_add_up_to_the_pool(band: Reward, shares: list[int]) -> None:
    """What is left over goes to the better places, one unit each."""
    found = list(paid(band).values())
    assert found == shares
    assert sum(found) == band.items["coins"]


def test_a_pool_is_paid_whole_in_a_smaller_field() -> None:
    assert [items for *_, items in rewarded([Reward(2, 9, {"coins": 50}, shared=True)], ["a", "b", "c"])] == [
        {"coins": 25},
        {"coins": 25},
    ]


# ------------------------------------------------------------------------------------------ registration


def test_the_same_person_is_entered_once() -> None:
    """R-TB-02: a retry answers with the first entry; who left and returns takes a new number."""
    play = Play(cup())
    first = play.enter("a")
    assert isinstance(first, te.EntryMade)
    assert play.enter("a", EIGHT) is None
    assert list(play.instance(EIGHT).entries) == ["a"]
    play.enter("b")
    play.withdraw("a", EIGHT)
    again = play.enter("a")
    assert isinstance(again, te.EntryMade)
    assert (first.reg_seq, again.reg_seq) == (1, 3)


def test_a_retry_after_the_start_enters_nobody_into_the_next() -> None:
    """The answer was lost and the start has passed: asked by the name of the start point, it is the same entry."""
    play = Play(cup())
    play.enter_all("abc")
    play.to(EVENING)
    assert play.enter("a", "cup") is None
    assert "a" not in play.instance("cup.n1").entries


def test_the_last_free_place() -> None:
    """R-HI-02: the eighth starts the first instance, and the others wait in the second."""
    play = Play(cup(points=[when_full(8)]))
    play.enter_all([f"p{number}" for number in range(10)])
    assert play.opened() == ["cup.1"]
    assert len(play.players_of("cup.1")) == 8
    assert list(play.instance("cup.2").entries) == ["p8", "p9"]
    assert play.withdraw("p8", "cup.2") is not None
    assert list(play.instance("cup.2").entries) == ["p9"]


@pytest.mark.parametrize(("players", "status"), [(0, "cancelled"), (1, "cancelled"), (2, "cancelled"), (3, "running")])
def test_nobody_one_two(players: int, status: str) -> None:
    """Fewer than min_players: called off and refunded; the next evening begins afresh."""
    play = Play(cup(entry=Entry(fee=3)))
    play.enter_all("abc"[:players], payment_ref="first")
    play.to(EVENING)
    assert play.instance(EIGHT).status == status
    refunds = [due.amount for due in play.dues("refund")]
    assert refunds == ([3] * players if status == "cancelled" else [])
    play.enter_all("xyz", "cup.n1", payment_ref="next")
    play.to(EVENING + 24 * 60 * MINUTE)
    assert "cup.n1" in play.opened()


def test_a_start_takes_nobody_without_the_fee() -> None:
    play = Play(cup(entry=Entry(fee=3)), NOON)
    refused = play.enter("a")
    assert isinstance(refused, Refused)
    assert (refused.code, refused.field) == ("payment_missing", "payment_ref")
    assert play.instance(EIGHT).entries == {}
