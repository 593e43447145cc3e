"""Cases from real life about sockets and who is behind them: the newest wins, and a name is a label."""

from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import trio

from coordinator.credentials import Credentials
from coordinator.shell.limits import Limits
from protocol import messages as m
from protocol.auth import HashedToken, Proving, make_nonce, transcript
from protocol.client import Lobby, Replaced
from protocol.codec import build_frame, encode_message, handshake_frame
from protocol.session import Session, Side, read_answer
from tests.cases.table_servers import orders
from tests.shell.premises import Premises, premises, seated
from tests.shell.programs import Program, open_match, report

REPLACED = 4009


def hears_nothing_more(old: Program) -> None:
    """From here on the program has only its socket; what comes on it belongs to no session of its own."""
    old.session = Session(Side.PEER)


async def newer(house: Premises, old: Program) -> Program:
    """The same process dials again and takes its session along; the older socket stays open."""
    program = house.program(old.identity, **old.words)
    program.words, program.session = old.words, old.session
    welcome = await program.hello()
    assert welcome.resumed in ("nothing_missed", "gap")
    hears_nothing_more(old)
    return program


async def hears_why(old: Program) -> None:
    """The older socket is told why it is closed, and with which code."""
    said: Any
    [said] = Session(Side.PEER).receive(await old.payload())
    assert (type(said), said.code) == (m.Bye, "replaced")
    assert await old.close_code() == REPLACED


@pytest.mark.parametrize("end", ["lost", "closed"])
async def test_case_109_the_end_of_the_older_socket_is_nobodys_business(mock_clock, end):
    """R-RC-01: what the older one still says, and that it ends, touches neither the newer one nor the table."""
    async with premises() as house:
        ts, lobby, seat, start = await seated(house)
        twin = await newer(house, ts)
        if end == "closed":
            await hears_why(ts)
        await house.pass_time(mock_clock, 0.5)
        await ts.send(build_frame(1, 0, [encode_message(m.Capacity(0, ref=5))]))
        await ts.send(handshake_frame(ts.hello_words()))
        await ts.cut()
        await house.until(lambda: house.listener.sockets == 2)
        await house.pass_time(mock_clock, 6.0)
        peer = house.peer("ts-1")
        assert peer.conn is not None
        assert (peer.capacity, peer.away_since) == (8, None)
        table = house.desk("cup").state.tables[1]
        assert (table.server_id, table.epoch, table.attempt_no) == ("ts-1", 1, 1), "the table never heard that it left"
        # Orders, and the hand that was in play, go over the newer one.
        await open_match(lobby, "next", "one", 3)
        assert (await twin.next(m.Seat)).match_id == "next"
        assert (await twin.ask(report(seat, start))).verdict == "scored"


# --- a path that died without a word --------------------------------------------------------------------------------


@asynccontextmanager
async def guarded(tmp_path: Path):
    """Rooms in which the table server has a token."""
    hashed = HashedToken.of("one", iterations=2)
    file = tmp_path / "credentials.toml"
    file.write_text(f'[[credential]]\nidentity = "ts-1"\nroles = ["table"]\ntoken = "{hashed}"\n', encoding="utf-8")
    async with premises(credentials=Credentials(file)) as house:
        yield house


async def proved(program: Program, token: str) -> m.Welcome | m.Error:
    """Dial, say hello, prove that one knows the token, and take what is answered."""
    await program.dial()
    hello = handshake_frame(program.hello_words(nonce=make_nonce()))
    await program.send(hello)
    asked = await program.payload()
    wanted = read_answer(asked)
    assert isinstance(wanted, m.ProofWanted)
    proving = Proving.of(token, wanted.salt, wanted.iterations, transcript(hello, asked))
    await program.send(handshake_frame(m.Proof(proving.proof)))
    answer = read_answer(await program.payload())
    assert isinstance(answer, m.Welcome | m.Error)
    if isinstance(answer, m.Welcome):
        program.session.welcomed(answer)
    return answer


@pytest.mark.parametrize("token", ["one", "guess"])
async def test_case_111_a_half_dead_socket_keeps_nobody_out_and_a_wrong_token_puts_nobody_out(
    mock_clock, tmp_path, token
):
    async with guarded(tmp_path) as house:
        ts = house.program("ts-1", "table", games=["dou_dizhu"], capacity=8)
        assert isinstance(await proved(ts, "one"), m.Welcome)
        # Its path is gone: nothing comes and nothing ends. No ping has found that out after two seconds.
        await house.pass_time(mock_clock, 2.0)
        first = house.peer("ts-1").conn
        assert first is not None
        other = house.program("ts-1", "table", games=["dou_dizhu"], capacity=8)
        other.session = ts.session
        answer = await proved(other, token)
        now = house.peer("ts-1").conn
        if token == "one":
            assert isinstance(answer, m.Welcome)
            assert answer.resumed == "nothing_missed"
            assert (first.closed, now is first) == (True, False)
            hears_nothing_more(ts)
            await hears_why(ts)
            await other.quiet()
        else:
            assert isinstance(answer, m.Error)
            assert answer.code == "bad_token"
            assert await other.close_code() == 4001
            assert (first.closed, now is first) == (False, True)
            await ts.quiet()


# --- several windows ------------------------------------------------------------------------------------------------


async def test_case_113_present_until_the_last_socket_closes(mock_clock):
    """R-RC-01: the newest wins; the two older ones are told, and closing them means nothing."""
    async with premises() as house:
        first, _, _, _ = await seated(house)
        second = await newer(house, first)
        third = await newer(house, second)
        for old in (first, second):
            await hears_why(old)
            await old.cut()
        await house.pass_time(mock_clock, 6.0)
        assert house.peer("ts-1").away_since is None
        await third.quiet()
        await third.cut()
        await house.gone("ts-1")
        assert house.peer("ts-1").away_since is not None


async def test_case_113_who_was_replaced_does_not_dial_again(mock_clock, nursery):
    """No endless game of ping-pong between two windows."""
    async with premises(limits=Limits(dead_after_s=3600)) as house:
        url = f"ws://127.0.0.1:{house.port}/"
        older, ended = Lobby(url, "lobby"), trio.Event()

        async def run(task_status: trio.TaskStatus[None]) -> None:
            with pytest.raises(Replaced):
                await older.run(task_status=task_status)
            ended.set()

        await nursery.start(run)
        await nursery.start(Lobby(url, "lobby").run)
        while not ended.is_set():
            await house.pass_time(mock_clock, 1)
        await house.pass_time(mock_clock, 60)
        assert house.office.peers.hellos == 2
        assert house.peer("lobby").conn is not None
        nursery.cancel_scope.cancel()


# --- names ----------------------------------------------------------------------------------------------------------


async def test_case_116_a_name_is_a_label_and_a_logout_frees_no_seat(mock_clock):
    """R-RC-01, R-HI-02: whoever has the id has the seat, the entry and the score, whatever the name."""
    async with premises() as house:
        ts, lobby, seat, start = await seated(house)
        state = house.desk("cup").state
        player, other, _ = state.tables[1].seats
        assert (await ts.ask(report(seat, start, 7, 0, -7))).verdict == "scored"
        before = (state.tables[1].seats, list(state.tables[1].totals), list(state.entrants))
        number = state.entrants[player].reg_seq
        for name in ("A New Name", other):
            entered = await lobby.ask(m.Register("cup", player, name, ref=1))
            assert (type(entered), entered.player_id, entered.reg_seq) == (m.Entered, player, number)
        for present in (False, True):
            assert isinstance(await ts.ask(m.SeatPresence("cup", 1, player, present, ref=1)), m.Ok)
        assert (state.tables[1].seats, list(state.tables[1].totals), list(state.entrants)) == before
        for hand_no in (2, 3):
            told = (await orders(ts))["cup", 1]
            assert told.start.hand_no == hand_no
            assert (await ts.ask(told.ended(dict.fromkeys(told.players, 0)))).verdict == "scored"
        over = await lobby.next(m.MatchOver)
        assert over.places[0].player_id == player
        assert over.places[0].score == 7


async def test_case_116_a_lobby_that_logs_in_anew_finds_the_same_entries(mock_clock):
    async with premises() as house:
        _, lobby, _, _ = await seated(house)
        numbers = {who: entrant.reg_seq for who, entrant in house.desk("cup").state.entrants.items()}
        await lobby.leave()
        again = await house.lobby(life="life-2")
        for player, number in numbers.items():
            assert (await again.ask(m.Register("cup", player, f"New {player}", ref=1))).reg_seq == number
        assert list(house.desk("cup").state.tables) == [1]
