"""The table server as a program: a real process, a real WebSocket, a coordinator that the test speaks for."""

import sys
from contextlib import asynccontextmanager

import pytest
import trio
from click.testing import CliRunner

from bots.children import Child, stop
from bots.games import HandToPlay, load_game, play_out
from bots.table_server import main
from protocol.messages import Capacity, CloseTable, Error, HandEnded, Seat, SeatedPlayer, StartHand, Verdict
from protocol.testing import open_fake_coordinator

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the kernel holds the leash on Linux only")

SEATS = [SeatedPlayer(i, player, player, 0) for i, player in enumerate(["anna", "bo", "chen"], start=1)]
SEAT = Seat("m", 1, 1, "dou_dizhu", "melee", 1, SEATS, {})
START = StartHand("m", 1, 1, 1, 1, 10, "ab" * 32)


@asynccontextmanager
async def started(directory, *options):
    """A coordinator and the program that dialled it, or will."""
    async with open_fake_coordinator() as coordinator, trio.open_nursery() as nursery:
        url = await nursery.start(coordinator.serve)
        arguments = ["--url", url, "--id", "ts-1", "--capacity", "5", *options]
        child = Child("ts-1", "bots.table_server", arguments, directory=directory)
        try:
            yield coordinator, child
        finally:
            await stop([child], patience_s=5)
            nursery.cancel_scope.cancel()


def scores():
    return play_out(load_game("dou_dizhu").play(HandToPlay(START.deal, 10, ["anna", "bo", "chen"])))[1]


async def test_it_says_who_it_is_plays_and_drains_at_the_first_sigterm(tmp_path):
    async with started(tmp_path, "--think", "0", "--verbose") as (coordinator, child):
        peer = await coordinator.peer("ts-1")
        hello = peer.hellos[0]
        assert (hello.roles, hello.games, hello.capacity) == (["table"], ["dou_dizhu"], 5)
        peer.push(SEAT, START)
        report = await peer.next(HandEnded)
        assert report.scores == scores()

        child.terminate()
        assert (await peer.next(Capacity)).drain
        peer.push(Verdict(report.ref, "m", 1, 1, 1, "scored"), CloseTable("m", 1, 1, "round_over"))
        assert await child.wait() == 0
    assert child.complaint.splitlines() == [
        f"ts-1: plays dou_dizhu for {child.complaint.split()[4]} 5 tables, 0 seconds an action",
        "ts-1: SIGTERM: drains",
        "ts-1: done",
    ]


async def test_a_second_sigterm_does_not_wait_for_the_tables(tmp_path):
    async with started(tmp_path, "--think", "3600") as (coordinator, child):
        peer = await coordinator.peer("ts-1")
        peer.push(SEAT, START)
        child.terminate()
        await peer.next(Capacity)
        child.terminate()
        assert await child.wait() == 0
    assert child.complaint == ""


async def test_a_coordinator_that_will_not_have_it_is_one_sentence(tmp_path):
    async with started(tmp_path) as (coordinator, child):
        coordinator.refuse.append(Error("bad_token", "the token is not one of this identity"))
        assert await child.wait() == 1
    assert child.complaint == "ts-1: bad_token: the token is not one of this identity"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            ["--games", "whist"],
            "ts-1: there is no game 'whist'; expected one of: bridge, dou_dizhu, kingdom [unknown_game]",
        ),
        (["--capacity", "0"], "'--capacity'"),
        (["--think", "-1"], "'--think'"),
    ],
)
def test_wrong_usage_is_2(options, said):
    result = CliRunner().invoke(main, ["--url", "ws://127.0.0.1:1", "--id", "ts-1", *options])
    assert result.exit_code == 2
    assert said in result.stderr
