"""How hands are played: strictly in order without think time, all at once with it."""

from contextlib import asynccontextmanager

import pytest
import trio

from bots.games import HandToPlay, ScoreModel, load_game, play_out
from bots.table_server import serve
from protocol.client import TableServer
from protocol.messages import Actions, CloseTable, HandEnded, RoundAborted, Seat, SeatedPlayer, StartHand
from protocol.testing import open_fake_coordinator

DOU_DIZHU = load_game("dou_dizhu")
GAMES = {"dou_dizhu": DOU_DIZHU, "score": ScoreModel()}


def players(table_id):
    return [f"t{table_id}p{seat}" for seat in (1, 2, 3)]


def seat(table_id, *, game="dou_dizhu", n=3, epoch=1):
    seats = [SeatedPlayer(i, p, p.upper(), 0) for i, p in enumerate(players(table_id)[:n], start=1)]
    return Seat("m", table_id, epoch, game, "melee", 1, seats, {})


def deal(table_id, hand_no):
    return f"{table_id:032x}{hand_no:032x}"


def start(table_id, hand_no=1, *, base_score=10, log=(), attempt_no=1, epoch=1):
    return StartHand("m", table_id, epoch, hand_no, attempt_no, base_score, deal(table_id, hand_no), list(log))


def course(table_id, hand_no=1, *, base_score=10, log=()):
    """What the game itself makes of the hand."""
    hand = HandToPlay(deal(table_id, hand_no), base_score, players(table_id), log)
    return play_out(DOU_DIZHU.play(hand))


@asynccontextmanager
async def playing(think_s):
    """A table server at work, as the coordinator sees it."""
    async with open_fake_coordinator() as coordinator, trio.open_nursery() as nursery:
        server = TableServer("", "ts-1", games=[*GAMES], capacity=8, dial=coordinator.dial)
        nursery.start_soon(serve, server, GAMES, think_s, lambda line: None)
        yield await coordinator.peer("ts-1")
        nursery.cancel_scope.cancel()


def told(peer, kind):
    return [message for message in peer.received if isinstance(message, kind)]


def streamed(peer, table_id, hand_no=1, *, known=0):
    """The actions told of a hand after the ``known`` ones of its log, checked to follow one another."""
    actions: list[int | str] = []
    for message in told(peer, Actions):
        if (message.table_id, message.hand_no) == (table_id, hand_no):
            assert message.first == known + len(actions)
            actions += message.actions
    return actions


async def reports(peer, n):
    await peer.until(lambda: len(told(peer, HandEnded)) == n)
    return told(peer, HandEnded)


async def test_without_think_time_reports_come_in_the_order_of_orders(autojump_clock):
    first, second = [5, 2, 9, 1], [9, 1, 5, 2]
    async with playing(0) as peer:
        peer.push(*(seat(table_id) for table_id in (1, 2, 5, 9)))
        peer.push(*(start(table_id, 1) for table_id in first))
        await reports(peer, 4)
        peer.push(*(start(table_id, 2) for table_id in second))
        ended = await reports(peer, 8)
    assert [report.table_id for report in ended] == first + second
    for report in ended:
        actions, scores = course(report.table_id, report.hand_no)
        assert report.scores == scores
        assert streamed(peer, report.table_id, report.hand_no) == actions


async def test_without_think_time_a_hand_is_over_before_the_next_begins(autojump_clock):
    async with playing(0) as peer:
        peer.push(seat(1), seat(2), start(1), start(2))
        await reports(peer, 2)
    tables = [m.table_id for m in peer.received if isinstance(m, Actions | HandEnded)]
    assert tables == sorted(tables)


async def test_with_think_time_tables_play_side_by_side(autojump_clock):
    async with playing(0.5) as peer:
        peer.push(seat(1), seat(2), start(1), start(2))
        ended = await reports(peer, 2)
    tables = [m.table_id for m in told(peer, Actions)]
    assert tables[:6] == [1, 2, 1, 2, 1, 2]
    for report in ended:
        actions, scores = course(report.table_id)
        assert report.scores == scores
        assert streamed(peer, report.table_id) == actions


async def test_every_action_takes_its_think_time_and_is_told_at_once(autojump_clock):
    began = trio.current_time()
    actions, _ = course(1)
    async with playing(0.5) as peer:
        peer.push(seat(1), start(1))
        await peer.until(lambda: len(streamed(peer, 1)) == 1)
        assert trio.current_time() == pytest.approx(began + 0.5)
        await peer.until(lambda: len(streamed(peer, 1)) == 10)
        assert trio.current_time() == pytest.approx(began + 5)
        await reports(peer, 1)
        assert trio.current_time() == pytest.approx(began + 0.5 * (len(actions) + 1))


async def test_a_hand_ordered_later_does_not_wait_for_those_before_it(autojump_clock):
    async with playing(1) as peer:
        peer.push(seat(1), seat(2), start(1))
        await peer.until(lambda: len(streamed(peer, 1)) == 5)
        peer.push(start(2))
        await peer.until(lambda: len(streamed(peer, 2)) == 5)
        assert len(streamed(peer, 1)) in (9, 10)


@pytest.mark.parametrize("think_s", [0, 0.5])
async def test_a_repeated_hand_tells_only_what_is_new_and_ends_as_it_would_have(autojump_clock, think_s):
    actions, scores = course(3)
    async with playing(think_s) as peer:
        peer.push(seat(3, epoch=2), start(3, log=actions[:20], attempt_no=2, epoch=2))
        [report] = await reports(peer, 1)
    assert streamed(peer, 3, known=20) == actions[20:]
    assert (report.attempt_no, report.epoch, report.scores) == (2, 2, scores)


async def test_the_log_of_a_repeated_hand_takes_no_think_time(autojump_clock):
    began = trio.current_time()
    actions, _ = course(3)
    async with playing(0.5) as peer:
        peer.push(seat(3), start(3, log=actions[:-2], attempt_no=2))
        await reports(peer, 1)
    assert trio.current_time() == pytest.approx(began + 3 * 0.5)


async def test_a_table_that_was_taken_away_plays_no_further(autojump_clock):
    async with playing(1) as peer:
        peer.push(seat(1), seat(2), start(1), start(2))
        await peer.until(lambda: len(streamed(peer, 1)) == 3)
        peer.push(CloseTable("m", 1, 1, "moved"))
        [report] = await reports(peer, 1)
    assert report.table_id == 2
    assert len(streamed(peer, 1)) <= 4


@pytest.mark.parametrize("think_s", [0, 0.5])
@pytest.mark.parametrize(
    ("table", "order", "reason"),
    [
        (seat(1), start(1, log=[-5], attempt_no=2), "action 1 of 1 in the log is -5"),
        (seat(1, n=2), start(1), "played by 3 players"),
        (seat(1, game="whist"), start(1), "'whist' is not played here"),
    ],
)
async def test_a_hand_that_cannot_be_played_is_handed_back(autojump_clock, capsys, think_s, table, order, reason):
    async with playing(think_s) as peer:
        peer.push(table, seat(2), order, start(2))
        aborted = await peer.next(RoundAborted)
        [report] = await reports(peer, 1)
    assert reason in aborted.reason
    assert (aborted.table_id, report.table_id) == (1, 2)
    assert reason in capsys.readouterr().err


async def test_the_score_model_takes_the_place_of_a_game(autojump_clock):
    async with playing(0) as peer:
        peer.push(seat(1, game="score"), start(1, base_score=7))
        [report] = await reports(peer, 1)
    assert sum(report.scores.values()) == 0
    assert set(report.scores) == set(players(1))
