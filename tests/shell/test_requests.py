"""Every request gets its one answer, with its number, and a refusal names the field."""

import attrs
import msgpack
import pytest
import trio
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from structlog.testing import capture_logs

from protocol import messages as m
from protocol.codec import encode_message
from protocol.errors import CODES
from tests.engine.stages import DEFAULT, match_of
from tests.shell.premises import GatedStore, premises, seated
from tests.shell.programs import enter, open_match, report

MANUAL = match_of(DEFAULT)


# --- lobbies --------------------------------------------------------------------------------------------------------


async def test_a_match_is_opened_once_however_often_it_is_asked_for(mock_clock):
    async with premises() as house:
        lobby = await house.lobby()
        first = await lobby.ask(m.OpenMatch("cup", "one", ref=1, seed="7"))
        again = await lobby.ask(m.OpenMatch("cup", "one", ref=1, seed="7"))
        assert attrs.evolve(again, ref=first.ref) == first
        for other in (
            m.OpenMatch("cup", "one", ref=1, seed="8"),
            m.OpenMatch("cup", "three", ref=1, seed="7"),
            m.OpenMatch("cup", "one", ref=1, seed="7", full_count=4),
        ):
            refused = await lobby.ask(other)
            assert (refused.code, refused.field) in {("match_exists", "match_id"), ("field_too_small", "full_count")}
        assert len(house.office.desks) == 1


@pytest.mark.parametrize("full_count", [1, 2, 4, 2**53 - 1])
async def test_a_field_that_cannot_be_played_is_refused_at_once(mock_clock, full_count):
    async with premises() as house:
        lobby = await house.lobby()
        refused = await lobby.ask(m.OpenMatch("cup", "one", ref=1, full_count=full_count))
        assert isinstance(refused, m.Error)
        assert refused.code in ("field_too_small", "definition_refused")
        assert refused.field
        assert house.office.desks == {}


async def test_an_unknown_definition_names_those_there_are(mock_clock):
    async with premises() as house:
        lobby = await house.lobby()
        refused = await lobby.ask(m.OpenMatch("cup", "🂡" * 64, ref=1))
        assert (refused.code, refused.field) == ("unknown_definition", "definition")
        assert refused.expected == "one of: one, three"


async def test_a_player_registered_twice_keeps_the_number(mock_clock):
    async with premises() as house:
        lobby = await house.lobby()
        await lobby.ask(m.OpenMatch("cup", "one", ref=1))
        first = await lobby.ask(m.Register("cup", "p1", "Ada", ref=1))
        second = await lobby.ask(m.Register("cup", "p2", "Luca", ref=1))
        again = await lobby.ask(m.Register("cup", "p1", "Ada", ref=1))
        assert (first.reg_seq, second.reg_seq, again.reg_seq) == (1, 2, 1)
        await lobby.ask(m.Register("cup", "p3", "Mia", ref=1))
        late = await lobby.ask(m.Register("cup", "p1", "Ada", ref=1))
        assert late.reg_seq == 1
        refused = await lobby.ask(m.Register("cup", "p4", "Noa", ref=1))
        assert (refused.code, refused.field) == ("match_closed", "match_id")


async def test_an_answer_names_the_number_that_was_given_and_not_a_later_one(mock_clock):
    """The state may be ahead of the disk when the answer leaves: nobody may hear of what is not durable."""
    store = GatedStore()
    async with premises(store=store) as house:
        lobby = await house.lobby()
        await lobby.ask(m.OpenMatch("cup", "one", ref=1))
        store.gate.clear()
        await lobby.say(
            m.Register("cup", "p1", "Ada", ref=901),
            m.Withdraw("cup", "p1", ref=902),
            m.Register("cup", "p1", "Ada", ref=903),
            m.Register("cup", "p1", "Ada", ref=904),
        )
        await house.until(lambda: house.desk("cup").chain.seq == 4)
        store.gate.set()
        answers = [await lobby.answer(ref) for ref in (901, 902, 903, 904)]
        assert [getattr(answer, "reg_seq", None) for answer in answers] == [1, None, 2, 2]


@pytest.mark.parametrize("name", ["\x00", "a\u202eb", "\u200b", "   ", "a\nb", "\ue000", "\u0378", "a\x1b[31m"])
async def test_a_name_that_cannot_be_shown_is_refused(mock_clock, name):
    async with premises() as house:
        lobby = await house.lobby()
        await lobby.ask(m.OpenMatch("cup", "one", ref=1))
        refused = await lobby.ask(m.Register("cup", "p1", name, ref=1))
        assert (refused.code, refused.field) == ("name_refused", "name")
        assert house.desk("cup").state.entrants == {}


async def test_players_withdraw_before_the_start_and_not_after(mock_clock):
    async with premises() as house:
        lobby = await house.lobby()
        await lobby.ask(m.OpenMatch("cup", "one", ref=1))
        await enter(lobby, "cup", ["p1", "p2"])
        assert isinstance(await lobby.ask(m.Withdraw("cup", "p1", ref=1)), m.Ok)
        unknown = await lobby.ask(m.Withdraw("cup", "p1", ref=1))
        assert (unknown.code, unknown.field) == ("unknown_player", "player_id")
        await enter(lobby, "cup", ["p3", "p4"])
        late = await lobby.ask(m.Withdraw("cup", "p3", ref=1))
        assert (late.code, late.field) == ("leave_forbidden", "player_id")


async def test_a_match_that_waits_for_a_word_starts_on_it_once(mock_clock):
    async with premises({"manual": MANUAL}) as house:
        lobby = await house.lobby()
        await lobby.ask(m.OpenMatch("cup", "manual", ref=1))
        early = await lobby.ask(m.StartMatch("cup", ref=1))
        assert early.code == "field_too_small"
        await enter(lobby, "cup", ["p1", "p2", "p3"])
        assert isinstance(await lobby.ask(m.StartMatch("cup", ref=1)), m.Ok)
        again = await lobby.ask(m.StartMatch("cup", ref=1))
        assert (again.code, again.field) == ("already_started", "match_id")


# --- table servers --------------------------------------------------------------------------------------------------


async def test_every_verdict_there_is(mock_clock):
    async with premises() as house:
        ts, _, seat, start = await seated(house)
        ts._ref = 10

        async def tell(*scores: int, **changed):
            return await ts.ask(report(seat, start, *scores, **changed))

        players = [who.player_id for who in seat.seats]
        wrong = await tell(scores={"p1": 0, "p2": 0, "stranger": 0})
        assert (wrong.verdict, wrong.field) == ("invalid", "scores")
        assert sorted(players) == sorted((wrong.expected or "").removeprefix("exactly ").split(", "))
        assert (await tell(hand_no=2)).verdict == "invalid"
        assert (await tell(epoch=2)).verdict == "invalid"
        assert (await tell(attempt_no=2)).verdict == "invalid"
        assert (await tell(2, 0, -2)).verdict == "scored"
        assert (await tell(2, 0, -2)).verdict == "duplicate"
        assert (await tell(0, 0, 0)).verdict == "conflict"
        assert (await tell(0, 0, 0)).verdict == "conflict"
        assert [alarm.code for alarm in house.office.alarms] == ["conflict"]
        state = house.desk("cup").state
        assert state.tables[1].totals == [2, 0, -2]
        assert house.office.verdicts == {"invalid": 4, "scored": 1, "duplicate": 1, "conflict": 2}
        for hand_no in (2, 3):
            assert (await tell(hand_no=hand_no)).verdict == "scored"
        assert (await tell(hand_no=4)).verdict == "late"
        assert (await tell(2, 0, -2)).verdict == "duplicate"


async def test_scores_that_do_not_add_up_are_invalid(mock_clock):
    async with premises({"three": attrs.evolve(match_of(DEFAULT, players=3), zero_sum=True)}) as house:
        ts, _, seat, start = await seated(house)
        verdict = await ts.ask(report(seat, start, 1, 1, 1))
        assert (verdict.verdict, verdict.field, verdict.expected) == ("invalid", "scores", "a sum of 0")
        huge = await ts.ask(report(seat, start, 2**53 - 1, -(2**53 - 1), 0))
        assert huge.verdict == "scored"


async def test_an_operator_is_told_why_a_report_is_invalid_and_no_server_fills_the_log(mock_clock):
    async with premises({"three": attrs.evolve(match_of(DEFAULT, players=3), zero_sum=True)}) as house:
        ts, _, seat, start = await seated(house)
        with capture_logs() as logs:
            for _ in range(9):
                await ts.ask(report(seat, start, 1, 1, 1))
        told = [line for line in logs if line["event"] == "report invalid"]
        assert [line["so_far"] for line in told] == [1, 2, 4, 8]
        assert (told[0]["field"], told[0]["why"]) == ("scores", "the scores sum to 3")
        assert (told[0]["table"], told[0]["hand"], told[0]["log_level"]) == (seat.table_id, 1, "warning")


async def test_a_verdict_fits_the_wire_however_long_the_names(mock_clock):
    """A verdict that its table server cannot read is one that it waits for for ever."""
    table = match_of(attrs.evolve(DEFAULT, table_size=16), players=16)
    async with premises({"sixteen": table}) as house:
        ts = await house.table_server()
        lobby = await house.lobby()
        await open_match(lobby, "cup", "sixteen", [f"{'p' * 60}{number}" for number in range(16)])
        seat, start = await ts.next(m.Seat), await ts.next(m.StartHand)
        verdict = await ts.ask(report(seat, start, scores={"stranger": 0}))
        assert verdict.verdict == "invalid"
        assert len(verdict.expected) == 500


async def test_a_server_cannot_report_for_another_ones_table(mock_clock):
    async with premises() as house:
        _, _, seat, start = await seated(house)
        thief = await house.table_server("ts-2")
        assert (await thief.ask(report(seat, start))).verdict == "stale_epoch"
        for message in (m.Actions("cup", 1, 1, 1, 1, 0, [1], ref=1), m.RoundAborted("cup", 1, 1, "mine", ref=1)):
            refused = await thief.ask(message)
            assert (refused.code, refused.field) == ("not_your_table", "table_id")
        assert house.desk("cup").state.tables[1].log == []
        unknown = await thief.ask(m.RoundAborted("cup", 99, 1, "none", ref=1))
        assert (unknown.code, unknown.field) == ("unknown_table", "table_id")


async def test_the_log_is_kept_without_gaps_and_without_rewriting(mock_clock):
    async with premises() as house:
        ts, _, _, _ = await seated(house)

        def told(first: int, *actions: int | str, **changed):
            return ts.ask(m.Actions("cup", 1, 1, changed.pop("hand_no", 1), 1, first, [*actions], ref=1))

        assert isinstance(await told(0, 1, 2, "pass"), m.Ok)
        assert isinstance(await told(1, 2, "pass", 4), m.Ok)
        assert house.desk("cup").state.tables[1].log == [1, 2, "pass", 4]
        gap = await told(9, 1)
        assert (gap.code, gap.field, gap.expected) == ("log_gap", "first", "4, the actions known so far")
        rewritten = await told(0, 7)
        assert (rewritten.code, rewritten.field) == ("log_gap", "actions")
        assert (await told(0, 1, hand_no=2)).code == "hand_expected"
        assert isinstance(await told(0, 1, 2), m.Ok)


async def test_a_log_that_no_order_could_carry_is_refused_and_the_table_lives(mock_clock):
    """R-RC-02: the order that repeats the hand must fit a frame, or its server could never be told."""
    async with premises() as house:
        ts, _, seat, start = await seated(house)
        long = "🂡" * 64
        first = 0
        while isinstance(answer := await ts.ask(m.Actions("cup", 1, 1, 1, 1, first, [long] * 100, ref=1)), m.Ok):
            first += 100
        assert (answer.code, answer.field) == ("log_full", "actions")
        assert first >= 200
        await ts.restart("life-2")
        again = await ts.next(m.StartHand)
        assert len(again.log) == first
        for more in range(first, 5000, 1000):
            await ts.say(m.Actions("cup", 1, again.epoch, 1, 2, more, [0] * 1000))
        await ts.quiet()
        assert {said.code for said in ts.heard if isinstance(said, m.Error)} == {"log_full", "log_gap", "unknown_match"}
        assert (await ts.ask(report(attrs.evolve(seat, epoch=2), again))).verdict == "scored"
        assert start.deal == again.deal


async def test_a_round_that_is_given_back_is_repeated(mock_clock):
    async with premises() as house:
        ts, _, seat, start = await seated(house)
        assert isinstance(await ts.ask(m.RoundAborted("cup", 1, 1, "the room burns", ref=1)), m.Ok)
        again = await ts.next(m.StartHand)
        assert (again.epoch, again.attempt_no, again.deal) == (2, 2, start.deal)
        assert "table server ts-1 gives back table 1 and it moves" in house.lines("cup")
        assert (await ts.ask(report(attrs.evolve(seat, epoch=2), again))).verdict == "scored"


async def test_notices_are_answered_only_if_they_ask(mock_clock):
    async with premises() as house:
        ts, _, _, _ = await seated(house)
        await ts.say(m.HandStarted("cup", 1, 1, 1, 1), m.SeatPresence("cup", 1, "p1", False), m.Capacity(3))
        before = len(ts.heard)
        await ts.quiet()
        assert len(ts.heard) == before + 1
        for notice in (
            m.HandStarted("cup", 1, 1, 1, 1),
            m.SeatPresence("cup", 1, "p1", False),
            m.Capacity(3),
        ):
            assert isinstance(await ts.ask(notice), m.Ok)
        refused = await ts.ask(m.HandStarted("no such", 1, 1, 1, 1))
        assert (refused.code, refused.field) == ("unknown_match", "match_id")


async def test_a_server_that_drains_gets_nothing_new_and_its_room_is_found_again(mock_clock):
    async with premises() as house:
        ts = await house.table_server(capacity=1)
        lobby = await house.lobby()
        await ts.ask(m.Capacity(1, drain=True))
        await open_match(lobby, "cup", "one", 3)
        await open_match(lobby, "other", "one", 3)
        assert [len(house.desk(name).unplaced) for name in ("cup", "other")] == [1, 1]
        await ts.ask(m.Capacity(1))
        seat, start = await ts.next(m.Seat), await ts.next(m.StartHand)
        assert (seat.match_id, len(house.desk("other").unplaced)) == ("cup", 1)
        assert (await ts.ask(report(seat, start))).verdict == "scored"
        assert (await ts.next(m.StartHand)).match_id == "other"


# --- roles and nonsense ---------------------------------------------------------------------------------------------

BY_ROLE = {
    "table": (
        m.HandStarted("cup", 1, 1, 1, 1),
        m.Actions("cup", 1, 1, 1, 1, 0, [1]),
        m.HandEnded("cup", 1, 1, 1, 1, {"p1": 0}, ref=1),
        m.SeatPresence("cup", 1, "p1", True),
        m.RoundAborted("cup", 1, 1, "why", ref=1),
        m.Capacity(1),
    ),
    "lobby": (
        m.OpenMatch("cup", "one", ref=1),
        m.Register("cup", "p1", "Ada", ref=1),
        m.Withdraw("cup", "p1", ref=1),
        m.StartMatch("cup", ref=1),
    ),
    "spectator": (m.Subscribe("cup", ref=1),),
}


@pytest.mark.parametrize("role", BY_ROLE)
async def test_a_role_may_say_its_own_words_only(mock_clock, role):
    async with premises() as house:
        program = house.program("somebody", role, games=["dou_dizhu"], capacity=1)
        await program.hello()
        for owner, requests in BY_ROLE.items():
            for request in requests:
                answer = await program.ask(request)
                refused = isinstance(answer, m.Error) and answer.code == "not_allowed"
                assert refused == (owner != role), request
                if isinstance(answer, m.Error):
                    assert answer.code in CODES
                    assert answer.field


async def test_a_match_nobody_opened_is_unknown_to_every_request(mock_clock):
    async with premises() as house:
        program = house.program("all", "table", "lobby", "spectator", games=["dou_dizhu"], capacity=1)
        await program.hello()
        for request in (request for requests in BY_ROLE.values() for request in requests):
            if not isinstance(request, m.OpenMatch | m.Capacity):
                refused = await program.ask(attrs.evolve(request, match_id="🂡" * 64))
                assert (refused.code, refused.field) == ("unknown_match", "match_id")


async def test_a_bad_message_is_answered_and_its_neighbours_are_done(mock_clock):
    async with premises() as house:
        ts = await house.table_server()
        bad = {"type": "capacity", "capacity": -1, "ref": 2}
        await ts.say_raw(
            encode_message(m.Capacity(3, ref=1)),
            msgpack.packb(bad),
            msgpack.packb({"type": "abdicate", "ref": 3}),
            msgpack.packb(7),
            encode_message(m.Capacity(4, ref=4)),
        )
        assert await ts.answer(4) == m.Ok(4)
        said = [(answer.code, answer.ref, answer.field) for answer in ts.heard if isinstance(answer, m.Error)]
        assert said == [("malformed", 2, "capacity"), ("unknown_message", 3, "type"), ("malformed", 0, None)]
        assert house.peer("ts-1").capacity == 4


async def test_a_frame_full_of_nonsense_is_closed_with_4000_and_nothing_of_it_counts(mock_clock):
    async with premises() as house:
        ts = await house.table_server()
        await ts.say_raw(encode_message(m.Capacity(99, ref=1)), *[msgpack.packb(n) for n in range(65)])
        assert await ts.close_code() == 4000
        assert house.peer("ts-1").capacity == 8


JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats()
    | st.text(max_size=9)
    | st.binary(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
TYPES = [attrs.fields(type(request)).type.default for requests in BY_ROLE.values() for request in requests]


@st.composite
def spoiled(draw):
    """A good request with some of its fields replaced by anything."""
    request = draw(st.sampled_from([request for requests in BY_ROLE.values() for request in requests]))
    words = attrs.asdict(request)
    for name in draw(st.lists(st.sampled_from(sorted(words)), max_size=3)):
        words[name] = draw(JUNK | st.integers(0, 3) | st.just("cup") | st.sampled_from(TYPES))
    words["ref"] = 1
    return words


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(spoiled(), min_size=1, max_size=12))
def test_no_request_whatever_it_says_is_a_mistake_of_ours(requests):
    async def main() -> None:
        with trio.fail_after(60):
            async with premises() as house:
                program = house.program("all", "table", "lobby", "spectator", games=["dou_dizhu"], capacity=1)
                await program.hello()
                for number, words in enumerate(requests, start=100):
                    await program.say_raw(msgpack.packb({**words, "ref": number}))
                await program.quiet()
                for number in range(100, 100 + len(requests)):
                    assert len(program.answers(number)) == 1
                assert all(desk.failure is None for desk in house.office.desks.values())

    trio.run(main)
