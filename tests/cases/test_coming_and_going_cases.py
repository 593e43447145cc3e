"""Cases from real life about entering, leaving and coming back, and about fields that are full or hardly there."""

import random
from collections import Counter
from collections.abc import Iterable
from typing import Any

import attrs
import pytest

from coordinator.engine import commands, events
from coordinator.engine import effects as fx
from coordinator.engine.definition import Duplicate, End, GameState, Grouping, Island, Stage
from coordinator.engine.match import step
from coordinator.engine.refusal import Refused
from coordinator.shell.standings import ranked
from protocol import messages as m
from tests.engine.dominion_play import ends, enter_late, entered, rounds_of, seated, withdraw
from tests.engine.playing import Game
from tests.engine.stages import (
    CLOCKED,
    DEFAULT,
    DOMINION,
    ISLAND,
    KNOCKOUT,
    MELEE,
    SWISS,
    given,
    match_of,
    score,
    seats,
    started,
    table_of,
)
from tests.shell.premises import premises
from tests.shell.programs import enter

PAIRS = attrs.evolve(
    ISLAND,
    table_size=2,
    initial_game_state=GameState(1),
    grouping=Grouping(shuttle_size=4, max_wait_ms=1000),
    island=Island(3_600_000, leave_processing="keep", rejoin="keep"),
    table_timeout_ms=36_000_000,
)
"""Two at a table; the shuttle takes four, or leaves after a second."""


def to(game: Game, t: int) -> None:
    """Let the clock run."""
    game.t = t
    game.fire_due()


def leave(game: Game, player: str) -> None:
    given(game, commands.LeaveMatch(game.t, player))


def join(game: Game, player: str) -> None:
    given(game, commands.JoinMatch(game.t, player, player))


def lost(game: Game, players: Iterable[str]) -> None:
    """A hand at the table of these players changes nothing."""
    score(game, **dict.fromkeys(players, 0))


def pairs_seated(game: Game) -> list[frozenset[str]]:
    """Every table there was, in order."""
    return [frozenset(table) for event in game.of(events.TablesSeated) for table in event.tables]


@pytest.mark.parametrize("seed", range(30))
def test_case_009_who_just_met_waits_for_others_to_come_free(seed: int) -> None:
    """R-ME-04: the shuttle collects, and its draw is repeated until nobody meets a table-mate of the last seating."""
    game = Game(match_of(PAIRS, players=4), seed=seed).register(4)
    first, second = pairs_seated(game)
    lost(game, first)
    assert len(seats(game)) == 1, "the two who are free do not sit down together again at once"
    to(game, 800)
    lost(game, second)
    third, fourth = pairs_seated(game)[2:]
    assert game.t == 800
    assert not {first, second} & {third, fourth}
    assert all(len(first & table) == 1 for table in (third, fourth))


def test_case_030_leavers_stand_below_whoever_is_there() -> None:
    """R-IS-01: an island ranks those who are present at its end."""
    island = attrs.evolve(PAIRS, table_size=5, grouping=Grouping(shuttle_size=5, max_wait_ms=1))
    game = started(island, players=5)
    score(game, p1=1, p2=2, p3=3, p4=-4, p5=-2)
    to(game, 1)
    leave(game, "p4")
    leave(game, "p5")
    score(game, p1=2, p2=3, p3=4, p4=4, p5=2)
    assert [game.state.entrants[player].state for player in ("p4", "p5")] == ["left", "left"]
    assert ranked(game.state) == ["p3", "p2", "p1", "p4", "p5"]
    to(game, 3_600_000)
    [ended] = game.of(events.StageEnded)
    assert ended.ranking == ("p3", "p2", "p1")
    assert [game.state.entrants[player].score for player in ended.ranking] == [7, 5, 3]
    assert game.state.ranking == ended.ranking
    assert ranked(game.state)[:3] == ["p3", "p2", "p1"]
    assert [game.state.entrants[player].place for player in ("p4", "p5")] == [None, None]


def two_wait() -> Game:
    """An island whose shuttle leaves with two in a moment, at 1000."""
    game = started(PAIRS, players=4)
    first, second = pairs_seated(game)
    score(game, **dict(zip(sorted(first), (30, -30), strict=True)))
    assert sorted(game.state.current.pool) == sorted(first)
    game.t = 1000
    assert table_of(game, min(second)).in_hand
    return game


def test_case_031_a_leave_before_the_shuttle_means_no_table() -> None:
    """R-IS-03, R-IS-02: whoever comes back under "keep" has the score of before."""
    game = two_wait()
    leaver = min(game.state.current.pool)
    before = attrs.evolve(game.state.entrants[leaver])
    leave(game, leaver)
    game.fire_due()
    to(game, 5000)
    assert len(pairs_seated(game)) == 2
    assert game.state.entrants[leaver].table_id is None
    to(game, 6000)
    join(game, leaver)
    again = game.state.entrants[leaver]
    assert (again.score, again.state) == (before.score, "playing")


def test_case_031_a_leave_after_the_shuttle_comes_with_a_table() -> None:
    game = two_wait()
    leaver = min(game.state.current.pool)
    game.fire_due()
    table = table_of(game, leaver)
    told = [e for e in game.effects if isinstance(e, fx.TellSeated)][-1]
    assert leaver in told.tables[0]
    leave(game, leaver)
    assert game.state.tables[table.table_id].in_hand, "the hand is played"
    score(game, **dict(zip(table.seats, (8, -8), strict=True)))
    to(game, 10_000)
    assert game.state.entrants[leaver].state == "left"
    assert sum(leaver in pair for pair in pairs_seated(game)) == 2, "none after the leave"


async def test_case_032_a_lost_connection_withdraws_nobody(mock_clock: Any) -> None:
    """R-RC-01: not after two seconds, and not for good: only a word takes a player out, and the match goes on."""
    async with premises({"manual": match_of(DEFAULT)}) as house:
        creator, guest = await house.lobby("creator"), await house.lobby("guest")
        await creator.ask(m.OpenMatch("cup", "manual", ref=1))
        await enter(creator, "cup", ["p1"])
        await enter(guest, "cup", ["p2"])
        await creator.cut()
        await house.gone("creator")
        await house.pass_time(mock_clock, 2)
        await creator.hello()
        assert list(house.desk("cup").state.entrants) == ["p1", "p2"]
        again = await creator.ask(m.Register("cup", "p1", "p1", ref=1))
        assert (again.type, again.reg_seq) == ("entered", 1)
        await creator.cut()
        await house.gone("creator")
        await house.pass_time(mock_clock, 86_400)
        await guest.hello()
        await enter(guest, "cup", ["p3"])
        assert list(house.desk("cup").state.entrants) == ["p1", "p2", "p3"]
        assert (await guest.ask(m.StartMatch("cup", ref=1))).type == "ok"
        assert house.desk("cup").state.status == "running"


@pytest.mark.parametrize("newcomer", [False, True])
def test_case_033_a_roster_that_changes_before_the_bout_is_the_one_that_is_paired(newcomer: bool) -> None:
    """R-DM-10, R-DM-11: a bout is paired when it opens and not before."""
    game = entered("ABCDEF", rounds_of(5))
    gone = ""
    for _ in range(2):
        for a, b in seats(game)[:-1]:
            ends(game, a, 5, b, 3)
        [(a, b)] = seats(game)
        if game.state.current.bout_no == 2:
            gone = next(player for player in "FEDCBA" if player not in (a, b))
            withdraw(game, gone)
            if newcomer:
                assert not isinstance(enter_late(game, "G"), Refused)
        ends(game, a, 5, b, 3)
    third = seated(game)[2]
    there = sorted([*third.byes, *(player for table in third.tables for player in table)])
    assert there == sorted(set("ABCDEF") - {gone} | ({"G"} if newcomer else set()))
    assert len(third.byes) == (0 if newcomer else 1)


async def test_case_042_asked_twice_entered_once(mock_clock: Any) -> None:
    """R-TB-02: the registration number is given once, whichever request asks for it."""
    async with premises({"manual": match_of(DEFAULT)}) as house:
        lobby = await house.lobby()
        await lobby.ask(m.OpenMatch("cup", "manual", ref=1))
        first, second = lobby.ref(), lobby.ref()
        await lobby.say(m.Register("cup", "a", "Ann", ref=first), m.Register("cup", "a", "Ann", ref=second))
        answers = [await lobby.answer(first), await lobby.answer(second)]
        assert [(answer.type, answer.player_id, answer.reg_seq) for answer in answers] == [("entered", "a", 1)] * 2
        await enter(lobby, "cup", ["b", "c"])
        assert house.desk("cup").state.next_reg_seq == 4
        assert (await lobby.ask(m.StartMatch("cup", ref=1))).type == "ok"
        assert [place.table_id for place in house.desk("cup").state.tables.values()] == [1]


def test_case_042_who_returns_is_listed_once_and_ranked() -> None:
    """R-TB-02: a re-registration after leaving takes a new number."""
    game = started(PAIRS, players=4)
    some = min(pairs_seated(game)[0])
    for _ in range(2):
        lost(game, table_of(game, some).seats)
        leave(game, some)
        assert Counter(ranked(game.state)) == Counter(["p1", "p2", "p3", "p4"])
        before = game.state.next_reg_seq
        join(game, some)
        join(game, some)
        assert (game.state.entrants[some].reg_seq, game.state.next_reg_seq) == (before, before + 1)
        assert Counter(ranked(game.state)) == Counter(["p1", "p2", "p3", "p4"])
        assert some in ranked(game.state)[:4]
        to(game, game.t + 1000)
    to(game, 3_600_000)
    for pair in seats(game):
        lost(game, pair)
    assert Counter(game.state.ranking) == Counter(["p1", "p2", "p3", "p4"])


def test_case_068_the_total_is_the_sum_of_the_score_sheet() -> None:
    """Results of ten players in bursts of five within a millisecond."""
    island = attrs.evolve(PAIRS, grouping=Grouping(shuttle_size=4, max_wait_ms=1))
    game = started(island, players=10)
    luck = random.Random(68)
    sheet: Counter[str] = Counter()
    for burst in range(1, 60):
        tables = [list(table.seats) for table in game.state.tables.values()]
        for pair in luck.sample(tables, min(5, len(tables))):
            won = luck.randrange(-90, 90)
            worth = dict(zip(pair, (won, -won), strict=True))
            sheet.update(worth)
            score(game, **worth)
        totals = {player: entrant.score for player, entrant in game.state.entrants.items()}
        assert totals == {player: sheet[player] for player in totals}
        order = [sheet[player] for player in ranked(game.state)]
        assert order == sorted(order, reverse=True)
        to(game, 2 * burst)
    assert sum(map(len, sheet)) > 0


def test_case_190_three_want_the_last_free_place() -> None:
    """R-HI-02: the one that came first has it, and with it the match starts."""
    game = Game(match_of(attrs.evolve(SWISS, table_size=4), players=8))
    for number in range(1, 8):
        given(game, commands.RegisterPlayer(0, f"p{number}", "x"))
    answers = [game.do(commands.RegisterPlayer(0, f"late{number}", "x")) for number in (1, 2, 3)]
    assert [isinstance(answer, Refused) for answer in answers] == [False, True, True]
    assert {(a.code, a.field) for a in answers if isinstance(a, Refused)} == {("match_closed", "match_id")}
    assert (len(game.state.entrants), game.state.status) == (8, "running")


def test_case_190_a_place_that_came_free_is_free_again() -> None:
    game = Game(match_of(attrs.evolve(SWISS, table_size=4), players=8)).register(7)
    given(game, commands.WithdrawPlayer(0, "p3"))
    given(game, commands.RegisterPlayer(0, "p8", "x"))
    assert (len(game.state.entrants), game.state.status) == (7, "registering")
    given(game, commands.RegisterPlayer(0, "p9", "x"))
    assert (len(game.state.entrants), game.state.status) == (8, "running")


TWO: dict[str, Stage] = {
    "default": attrs.evolve(DEFAULT, table_size=2),
    "knockout": attrs.evolve(KNOCKOUT, table_size=2),
    "swiss_shift": attrs.evolve(SWISS, table_size=2, bouts=2),
    "swiss_1v1": attrs.evolve(DOMINION, bouts=2),
    "melee": attrs.evolve(MELEE, table_size=2, grouping=Grouping(shuttle_size=2), end=End(remaining_below=2)),
    "continuous_swiss": attrs.evolve(CLOCKED, table_size=2, duplicate=Duplicate(required_boards=1)),
    "island": attrs.evolve(PAIRS, grouping=Grouping(shuttle_size=2)),
}


@pytest.mark.parametrize("name", TWO)
@pytest.mark.parametrize("count", [0, 1, 2])
def test_case_194_nobody_one_and_two(name: str, count: int) -> None:
    """R-DF-01, R-BY-01, R-DM-09: too few are refused in words; two play at one table, over and over."""
    game = Game(match_of(TWO[name])).register(count)
    before = attrs.asdict(game.state)
    outcome = game.do(commands.StartMatch(0))
    if count < 2:
        assert isinstance(outcome, Refused)
        assert (outcome.code, outcome.field) == ("field_too_small", "match_id")
        assert outcome.expected
        assert attrs.asdict(game.state) == before
        for number in range(count + 1, 3):
            given(game, commands.RegisterPlayer(0, f"p{number}", "x"))
        given(game, commands.StartMatch(0))
        assert game.state.status == "running", "and with enough it starts after all"
        return
    assert not isinstance(outcome, Refused)
    assert len(game.state.tables) == count // 2
    for _ in range(200):
        if game.state.status != "running":
            break
        for pair in seats(game):
            score(game, **{pair[0]: 600, pair[1]: -600})
        if game.state.timers:
            to(game, min(game.state.timers.values()))
    assert game.state.status == "over"
    assert sorted(game.state.ranking) == [f"p{number}" for number in range(1, count + 1)]
    assert all(len(event.tables) == 1 for event in game.of(events.TablesSeated))
    assert isinstance(step(game.state, report_of_nothing(game)), Refused)


def report_of_nothing(game: Game) -> commands.EndHand:
    """A hand of a table that never was."""
    return commands.EndHand(game.t, "ts", 99, 1, 1, 1, {"p1": 0, "p2": 0})
