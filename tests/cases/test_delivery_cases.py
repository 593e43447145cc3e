"""Cases from real life about what is lost, told twice, told too late or not taken: nothing goes missing in silence."""

from typing import Any

import attrs
import msgpack
import pytest

from coordinator.engine.definition import Round
from coordinator.shell.limits import Limits, SessionLimits
from protocol import messages as m
from protocol.codec import encode_message
from tests.engine.stages import DEFAULT, match_of
from tests.shell.ladder_premises import NOON, SetClock, ladder, times
from tests.shell.premises import premises, seated
from tests.shell.programs import Program, open_match, report

DAY_S = 86_400
PATIENT = Limits(dead_after_s=1e9)


# --- longer away than the history reaches ---------------------------------------------------------------------------


@pytest.mark.parametrize("history", [5, 7])
async def test_case_117_a_gap_is_filled_whole_or_the_snapshot_says_that_it_is_not(mock_clock, history):
    """Seven orders are missed: all of them come, or a snapshot between its brackets. Never five of seven."""
    async with premises() as house:
        ts, lobby = await house.table_server(), await house.lobby()
        session = house.peer("ts-1").session
        assert session is not None
        session.window_frames = history
        names = [f"m{number}" for number in range(1, 8)]
        for name in names:
            await open_match(lobby, name, "one", 3)  # nothing of it is read by the table server
        await ts.cut()
        welcome = await ts.hello()
        await ts.quiet()
        told = [message for message in ts.heard if not isinstance(message, m.Error)]
        kinds = [type(message) for message in told]
        assert sorted(message.match_id for message in told if isinstance(message, m.StartHand)) == names
        assert kinds.count(m.Seat) == 7
        if history == 7:
            assert welcome.resumed == "gap"
            assert m.HistoryBegin not in kinds
        else:
            assert welcome.resumed == "snapshot"
            assert kinds[0] is m.HistoryBegin
            assert told[0].reason == "too old"
            assert kinds.count(m.HistoryEnd) == 1


# --- was it received? -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("resumes", [True, False], ids=["same session", "new session"])
@pytest.mark.parametrize("arrived", [False, True], ids=["lost on the way", "received"])
async def test_case_120_a_report_whose_link_died_counts_once_and_is_confirmed(mock_clock, arrived, resumes):
    async with premises() as house:
        ts, _, seat, start = await seated(house)
        told = report(seat, start, 2, 0, -2, ref=ts.ref())
        ts.session.queue(encode_message(told))
        first_frame = frame = ts.session.take_frame()
        assert first_frame is not None
        state = house.desk("cup").state
        if arrived:
            await ts.send(first_frame)
            kept = house.peer("ts-1").session
            assert kept is not None
            await house.until(lambda: kept.settled == 1)
        await ts.cut()
        await house.gone("ts-1")
        if resumes:
            welcome = await ts.hello()
            assert welcome.ack == int(arrived), "the coordinator says what it has"
            # What it has not comes again by itself; asked again in the same words, it is the same report.
            while (frame := ts.session.take_frame()) is not None:
                await ts.send(frame)
            await ts.send(first_frame)
        else:
            await ts.hello(session=None)
        again = attrs.evolve(told, ref=ts.ref())
        await ts.say(again)
        answers = [(await ts.answer(again.ref)).verdict]
        await ts.quiet()
        first = [answer.verdict for answer in ts.answers(told.ref)]
        expected = {
            (True, True): (["scored"], ["duplicate"]),
            (False, True): (["scored"], ["duplicate"]),
            (True, False): ([], ["duplicate"]),
            (False, False): ([], ["scored"]),
        }
        assert (first, answers) == expected[arrived, resumes]
        assert (state.hands, state.tables[1].totals) == (1, [2, 0, -2])


# --- answers to old questions ---------------------------------------------------------------------------------------


async def test_case_122_an_answer_counts_as_long_as_its_question_stands(mock_clock):
    async with premises() as house:
        ts, _, seat, start = await seated(house)
        await ts.cut()
        await house.gone("ts-1")
        await house.pass_time(mock_clock, 4)
        assert (await ts.hello()).resumed == "nothing_missed"
        assert (await ts.ask(report(seat, start))).verdict == "scored"


@pytest.mark.parametrize("field", ["ref", "table_id", "epoch", "hand_no", "attempt_no"])
async def test_case_122_an_old_answer_is_ignored_with_a_note_and_minus_one_is_refused(mock_clock, field):
    async with premises() as house:
        ts, _, seat, start = await seated(house)
        other = await house.table_server("ts-2")
        await ts.cut()
        await house.gone("ts-1")
        await house.pass_time(mock_clock, 5.1)
        anew = await other.next(m.StartHand)
        await ts.hello()
        socket = house.peer("ts-1").conn
        old = await ts.ask(report(seat, start, 9, 0, -9))
        assert (old.verdict, old.field) == ("stale_epoch", "epoch")
        words = attrs.asdict(report(seat, start, 9, 0, -9, ref=ts.ref())) | {field: -1}
        del words["dropped"]
        await ts.say_raw(msgpack.packb(words))
        await ts.quiet()
        refused = [said for said in ts.heard if isinstance(said, m.Error) and said.code == "malformed"]
        assert [said.field for said in refused] == [field]
        assert house.peer("ts-1").conn is socket, "no link is closed for it"
        state = house.desk("cup").state
        assert (state.hands, state.tables[1].totals, state.tables[1].epoch) == (0, [0, 0, 0], 2)
        assert (await other.ask(report(seat, anew))).verdict == "scored"


# --- one who does not read ------------------------------------------------------------------------------------------

LONG = {"long": match_of(attrs.evolve(DEFAULT, round=Round(hands=24)), players=3)}
ROUNDS = 20


async def test_case_125_one_who_does_not_read_holds_up_nobody(mock_clock):
    """Of 50 who look on 49 see every round at its time; what is kept for the 50th has a bound, and then it is cut."""
    bound = 4_000
    async with premises(LONG, limits=PATIENT, session_limits=SessionLimits(session_bytes=bound)) as house:
        ts, lobby = await house.table_server(), await house.lobby()
        await open_match(lobby, "cup", "long", 3)
        for program in (ts, lobby):
            await program.acknowledge()
        seat = await ts.next(m.Seat)
        watchers: list[Program] = []
        for number in range(50):
            watchers.append(house.program(f"eye-{number}", "spectator"))
            await watchers[-1].hello()
            await watchers[-1].ask(m.Subscribe("cup", ref=1))
            await watchers[-1].acknowledge()
        stuck, *others = watchers
        kept: list[int] = []
        for hand_no in range(1, ROUNDS + 1):
            start = await ts.next(m.StartHand)
            assert start.hand_no == hand_no, "the round waits for nobody's socket"
            assert (await ts.ask(report(seat, start))).verdict == "scored"
            await ts.acknowledge()
            await house.pass_time(mock_clock, 1)
            for watcher in others:
                assert (await watcher.next(m.Standings)).hands == hand_no
                await watcher.acknowledge()
            session = house.peer(stuck.identity).session
            if session is not None:
                kept.append(session._held_bytes + session._ready_bytes)
        assert kept, "it was not cut at once"
        assert max(kept) <= bound
        assert await stuck.close_code() == 4013
        assert house.office.peers.overflows == 1
        await stuck.cut()
        assert (await stuck.hello()).resumed == "snapshot"


# --- a challenge outlives a lost link -------------------------------------------------------------------------------


def challenges(program: Program, since: int = 0) -> list[Any]:
    return [told for told in program.heard[since:] if isinstance(told, m.ChallengeState)]


async def test_case_126_a_challenge_survives_the_link_and_ends_by_rule_for_everybody(mock_clock):
    """R-BL-06, R-BL-08: a lost link cancels nothing; what ended meanwhile is told to both, and both are free again."""
    async with ladder(mock_clock, limits=PATIENT) as (house, lobby, _server):
        ours = await house.lobby("ours")
        asked = await ours.ask(m.IssueChallenge("lad", "t3", "t2", times(), ref=1))
        number = asked.challenge_no
        await ours.cut()
        await house.gone("ours")
        await house.pass_time(mock_clock, 3_600)
        assert house.office.peers.get("ours") is None, "away beyond every grace"
        await lobby.quiet()
        assert [told.state for told in challenges(lobby)] == ["issued"]
        seen = ours._read = len(ours.heard)
        assert (await ours.hello()).resumed == "snapshot"
        await ours.next(m.HistoryEnd)
        [told] = challenges(ours, seen)
        assert (told.challenge_no, told.state) == (number, "issued")
        # Away again, and its time runs out.
        await ours.cut()
        await house.gone("ours")
        house.office.wall_ms = SetClock(mock_clock, NOON + 3 * DAY_S * 1000 + 3_700_000)  # type: ignore[method-assign]
        await house.pass_time(mock_clock, 61)
        await lobby.quiet()
        assert [(told.state, told.how) for told in challenges(lobby)][-1] == ("forfeit_defender", "no_reply")
        seen = ours._read = len(ours.heard)
        assert (await ours.hello()).resumed == "snapshot"
        await ours.next(m.HistoryEnd)
        assert [(told.challenge_no, told.state) for told in challenges(ours, seen)] == [(number, "forfeit_defender")]
        first = house.office.wall_ms() + 3_600_000
        for program, team, defender in ((ours, "t3", "t1"), (lobby, "t2", "t3")):
            again = await program.ask(m.IssueChallenge("lad", team, defender, times(first), ref=1))
            assert isinstance(again, m.Challenged), again
