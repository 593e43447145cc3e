"""Nothing leaves before its record is on disk; what leaves fits a frame."""

import attrs
import pytest
from trio.testing import wait_all_tasks_blocked

from coordinator.engine.definition import BaseGrowth, End, Grouping
from coordinator.journal.records import Chain
from coordinator.shell.dispatch import PLACES_PER_PART, match_over
from protocol import messages as m
from protocol.codec import encode_message
from protocol.session import Session, Side
from tests.engine.stages import KNOCKOUT, MELEE, match_of
from tests.shell.premises import GatedStore, premises, seated
from tests.shell.programs import enter, open_match, report

CROWD = 1203
CROWDED = match_of(attrs.evolve(KNOCKOUT, bouts=1, id="k" * 64), players=CROWD)
POOL = attrs.evolve(
    MELEE,
    grouping=Grouping(shuttle_size=9),
    base_growth=BaseGrowth(kind="arith", by="hands", every_hands=1, add=50),
    end=End(remaining_below=3),
)


async def test_nothing_leaves_before_its_record_is_on_disk(mock_clock):
    store = GatedStore()
    async with premises(store=store) as house:
        ts, lobby, seat, start = await seated(house)
        eye = house.program("eye", "spectator")
        await eye.hello()
        await eye.ask(m.Subscribe("cup", ref=1))
        await house.pass_time(mock_clock, 1.1)
        await eye.next(m.Standings)
        version = house.picture.version("cup")
        events = house.lines("cup")
        heard = [len(program.heard) for program in (ts, lobby, eye)]

        store.gate.clear()
        await ts.say(report(seat, start, ref=50))
        await house.until(lambda: house.office.writer.backlog)
        assert house.desk("cup").state.hands == 1
        for _ in range(3):
            await wait_all_tasks_blocked()
            mock_clock.jump(1.1)
        await wait_all_tasks_blocked()
        for program in (ts, lobby, eye):
            # Whatever had been sent would be here: the loopback is as quick as the scheduler.
            program.session.ack_due = False
            peer = house.peer(program.identity)
            assert peer.session is not None
            assert not peer.session.pending
            assert peer.session._last == len(program.frames)
        assert [len(program.heard) for program in (ts, lobby, eye)] == heard
        assert house.picture.version("cup") == version
        assert house.lines("cup") == events
        assert house.office.verdicts == {}

        store.gate.set()
        assert (await ts.next(m.Verdict)).verdict == "scored"
        assert (await ts.next(m.StartHand)).hand_no == 2
        assert house.picture.version("cup") > version
        await house.pass_time(mock_clock, 1.1)
        assert (await eye.next(m.Standings)).hands == 1


async def test_what_a_spectator_is_told_is_on_disk(mock_clock):
    """The state is ahead of the disk; standings read from it must not be."""
    store = GatedStore()
    async with premises(store=store) as house:
        ts, _, seat, start = await seated(house)
        eye = house.program("eye", "spectator")
        await eye.hello()
        store.gate.clear()
        await ts.say(report(seat, start, ref=50))
        await house.until(lambda: house.office.writer.backlog)
        house.peer("eye").watching["cup"] = -1
        await wait_all_tasks_blocked()
        for _ in range(3):
            mock_clock.jump(0.6)
            await wait_all_tasks_blocked()
        session = house.peer("eye").session
        assert session is not None
        assert (session._last, session.pending) == (0, False)
        store.gate.set()
        assert (await eye.next(m.Standings)).hands == 1


async def test_ticks_are_volatile(mock_clock):
    pool = match_of(POOL, players=9)
    async with premises({"pool": pool}) as house:
        ts = await house.table_server()
        lobby = await house.lobby()
        await open_match(lobby, "cup", "pool", 9)
        seats = [await ts.next(m.Seat) for _ in range(3)]
        starts = {start.table_id: start for start in [await ts.next(m.StartHand) for _ in range(3)]}
        for seat in seats:
            await ts.ask(report(seat, starts[seat.table_id]))
        ticks = [(tick.tick, tick.base_score) for tick in ts.volatile]
        assert ticks == sorted(ticks)
        assert ticks[-1] == (3, 250)
        assert not [said for said in ts.heard if isinstance(said, m.BaseScore)]
        assert [said.tick for said in lobby.volatile if isinstance(said, m.BaseScore)]
        # A socket that comes back is not told old ticks.
        await ts.cut()
        await ts.hello(last_seq=0)
        told = len(ts.volatile)
        await ts.quiet()
        assert len(ts.volatile) == told


def test_a_long_result_comes_in_parts_that_fit():
    rows = [m.PlaceRow(place, "p" * 64, -(2**53 - 1), "k" * 64) for place in range(1, 2001)]
    parts = match_over("m" * 64, rows)
    assert [part.part for part in parts] == [1, 2, 3, 4, 5]
    assert {part.parts for part in parts} == {5}
    assert [row for part in parts for row in part.places] == rows
    assert max(len(part.places) for part in parts) == PLACES_PER_PART
    session = Session(Side.COORDINATOR, session="s", epoch="e", message_bytes_max=131_072, window_bytes=1 << 26)
    for part in parts:
        session.queue(encode_message(part))
    assert match_over("m", []) == [m.MatchOver("m", 1, 1, [])]


async def test_a_crowd_is_seated_told_and_placed_without_anybody_being_cut(mock_clock):
    async with premises({"crowd": CROWDED}) as house:
        ts = await house.table_server(capacity=1000)
        lobby = await house.lobby()
        await lobby.ask(m.OpenMatch("cup", "crowd", ref=1))
        names = [f"{'p' * 56}{number:08}" for number in range(CROWD)]
        await enter(lobby, "cup", names)
        seats, starts = {}, {}
        for _ in range(CROWD // 3):
            seat = await ts.next(m.Seat)
            seats[seat.table_id] = seat
        for start in [said for said in ts.heard if isinstance(said, m.StartHand)]:
            starts[start.table_id] = start
        while len(starts) < len(seats):
            start = await ts.next(m.StartHand)
            starts[start.table_id] = start
        await ts.say(*[report(seats[n], starts[n], ref=10_000 + n) for n in seats])
        over = await lobby.next(m.MatchOver)
        parts = [over, *[await lobby.next(m.MatchOver) for _ in range(over.parts - 1)]]
        places = [row.place for part in parts for row in part.places]
        assert places == list(range(1, CROWD + 1))
        assert house.office.peers.overflows == 0
        assert len({row.player_id for part in parts for row in part.places}) == CROWD


@pytest.mark.parametrize("definition", ["one", "three"])
async def test_messages_come_in_the_order_of_the_records(mock_clock, definition):
    store = GatedStore()
    async with premises(store=store) as house:
        ts, lobby, seat, start = await seated(house, definition=definition)
        for hand_no in range(1, 4 if definition == "three" else 2):
            verdict = await ts.ask(report(seat, start, hand_no=hand_no))
            assert verdict.verdict == "scored"
        await lobby.next(m.MatchOver)
        kinds = [type(said) for said in ts.heard if not isinstance(said, m.Error)]
        hands = 3 if definition == "three" else 1
        assert kinds == [m.Seat, *[m.StartHand, m.Verdict] * hands, m.CloseTable]
        await house.office.writer.drain()
        hand_records = [
            record for record in store.follow(Chain.start("cup")) if "Hand" in type(record.command).__name__
        ]
        assert len(hand_records) == hands
