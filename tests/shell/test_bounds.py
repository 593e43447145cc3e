"""Nothing in the shell grows without a bound: what grows is listed here with what bounds it, and floods prove it."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from coordinator.shell.limits import Limits, SessionLimits
from protocol import messages as m
from protocol.codec import build_frame, encode_message, handshake_frame
from protocol.session import read_answer
from tests.shell.ladder_premises import fixed, ladder
from tests.shell.premises import GatedStore, premises
from tests.shell.programs import Program

ROOT = Path(__file__).parents[2]
GROWING = {"Counter", "MemoryBIO", "OrderedDict", "bytearray", "defaultdict", "deque", "dict", "list", "set"}

ON_THE_WAY = {
    # from the socket to the session
    "connection.Connection._head": "Limits.max_header_bytes, and one read of the socket",
    "tls.TlsSocket._in": "one read of the socket and one record that is not whole: all else is decrypted at once",
    "websocket.WireProtocol._held": "Limits.max_message and a header, and one read of the socket",
    "websocket.WireProtocol._parts": "Limits.max_message together, Limits.max_fragments of them",
    # from the session to the disk
    "desk.Desk._heap": "4 for each timer that is set, and 64",
    "writer.Writer._queue": "BACKLOG_MAX and one frame, and what clocks of our own add while the disk stands still",
    "writer.Writer._waiting": "BACKLOG_MAX and one frame, and what clocks of our own add while the disk stands still",
    # from the disk to the session
    "session.Session._kept": "window_frames and window_bytes; beyond them nothing is queued and the session is over",
    "session.Session._ready": "window_bytes and one message",
    "session.Session._volatile": "one for each key; the coordinator has none",
    "peers.Peers._touched": "one for each session",
    "peers.Peers._owes_ack": "one for each session",
    # from the session to the socket
    "outbox.Outbox._frames": "Limits.outbox_bytes and Limits.outbox_frames, and the Close",
    "outbox.Outbox._slots": "one for each frame that waits",
    "tls.TlsSocket._out": "one record: it is emptied after each",
}
"""What a frame passes through or is kept in."""

ASIDE = {
    "archive.Archive._kept": "MatchLimits.matches_kept, and what ends, or is asked for and watched, within a second",
    "archive.Archive._wanted": "one for each session, and for each request of a page",
    "archive.Archive._unread": "one for each session, and for each request of a page",
    "archive.Archive.farewells": "one for each room",
    "archive.Archive.let_go": "one for each status of a match",
    "archive.Archive.newest": "NEWEST",
    "archive.Archive.returns": "one for each room",
    "chronicle.Chronicle._kept": "LINES_KEPT",
    "deadlines.Deadlines._heap": "for each socket as many as moved its deadline forward within the longest of them",
    "desk.Desk.unplaced": "one for each open table of the match",
    "front_door.FrontDoor._challenged": "one for each socket that is not authenticated: Limits.max_unauthenticated",
    "front_door.FrontDoor._paces": "SessionLimits.sessions",
    "hearing.Hearing._crowded": "one for each session, emptied after every pass",
    "listener.Listener._by_fd": "one for each socket: sessions, strangers, and for a second those that close",
    "listener.Listener._open": "one for each socket",
    "listener.Listener._ended": "one for each socket, emptied after every pass",
    "listener.Listener._strangers": "one for each socket that is not authenticated",
    "office.Office.damaged": "one for each match of the journal that is damaged",
    "office.Office.alarms": "200",
    "office.Office.desks": "twice MatchLimits.matches, and what the archive keeps",
    "office.Office.watchers": "one for each room",
    "office.Office.verdicts": "one for each word of a closed list",
    "outage.Outage._away": "one for each table server that is away",
    "unheard.Unheard._frames": "SessionLimits.unacknowledged, and UNHEARD_BYTES together and one frame",
    "peers.Peer.watching": "one for each match that is in memory",
    "peers.Peers._by_identity": "SessionLimits.sessions",
    "peers.Peers._by_conn": "one for each socket",
    "peers.Peers._by_role": "one for each role and each identity that has it: SessionLimits.sessions",
    "peers.Peers.draining": "SessionLimits.sessions",
    "picture.Picture._chronicles": "one for each match that is in memory",
    "picture.Picture._orders": "one for each match that is in memory",
    "placement.Holdings._by_server": "one for each table server that holds a table",
    "placement.Holdings._by_table": "one for each open table",
    "timers.Timers._due": "one for each key: sessions, servers, desks",
    "timers.Timers._heap": "4 for each timer that is set, and 64",
    "tourneys.Tourneys.desks": "one for each tourney that is defined",
    "tourneys.Tourneys._snapshot_at": "one for each tourney that is defined",
    "tourney_desk.TourneyDesk._heap": "one for each time a start was planned and has not come",
    "writer.Writer._drains": "one for each wait of our own",
}


def growing(value: ast.expr) -> bool:
    """Whether this makes something that can grow."""
    if isinstance(value, ast.Dict):
        return not value.keys
    if isinstance(value, ast.List | ast.ListComp | ast.DictComp | ast.SetComp):
        return True
    if not isinstance(value, ast.Call):
        return False
    name = value.func.attr if isinstance(value.func, ast.Attribute) else getattr(value.func, "id", "")
    if name == "field":
        return any(word.arg == "factory" and getattr(word.value, "id", "") in GROWING for word in value.keywords)
    return name in GROWING


def queues() -> Iterator[str]:
    """Every attribute of the shell and of the session that can grow, by module and class."""
    for path in (*sorted((ROOT / "coordinator" / "shell").glob("*.py")), ROOT / "protocol" / "session.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for room in (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)):
            for node in ast.walk(room):
                if isinstance(node, ast.Assign):
                    target, value = node.targets[0], node.value
                elif isinstance(node, ast.AnnAssign) and node.value is not None:
                    target, value = node.target, node.value
                else:
                    continue
                own = isinstance(target, ast.Attribute) and getattr(target.value, "id", "") == "self"
                if growing(value) and (own or node in room.body):
                    yield f"{path.stem}.{room.name}.{target.attr if isinstance(target, ast.Attribute) else target.id}"  # type: ignore[attr-defined]


def test_whatever_can_grow_says_what_bounds_it() -> None:
    listed = {**ON_THE_WAY, **ASIDE}
    assert set(queues()) == set(listed), "Mend: give it a bound, and write here which one it is."


# --- floods while the disk stands still -----------------------------------------------------------------------------

BACKLOG = 64
CREDIT = 16
QUIET = Limits(dead_after_s=1e9)


async def frames(program: Program) -> None:
    """Requests in numbered frames, as they should be."""
    for number in range(1, 500):
        await program.say(m.Subscribe("cup", ref=number))


async def unnumbered(program: Program) -> None:
    """Requests outside the numbering, for which there is no credit."""
    for number in range(1, 500):
        await program.send(build_frame(0, 0, [encode_message(m.Subscribe("cup", ref=number))]))


async def unheard(program: Program) -> None:
    """The same about matches that the journal must be asked for."""
    for number in range(1, 500):
        await program.send(build_frame(0, 0, [encode_message(m.Subscribe(f"cup-{number}", ref=number))]))


async def acknowledgements(program: Program) -> None:
    """One request that waits for the disk, and acknowledgements behind it."""
    await program.say(m.Subscribe("cup", ref=1))
    for _ in range(500):
        await program.send(build_frame(0, 0, []))
    await program.send(build_frame(9, 0, []))  # this one ends it, as a frame is missing


async def hellos(program: Program) -> None:
    """New sessions, each of which waits to be told how it stands."""
    for _ in range(500):
        await program.dial()
        await program.send(handshake_frame(program.hello_words(session=None)))
        if isinstance(read_answer(await program.payload()), m.Error):
            return


@pytest.mark.parametrize(
    ("flood", "code", "most"),
    [
        # Each frame of one subscription is an answer and a settlement.
        (frames, 4014, 1 + 2 * CREDIT),
        (unnumbered, 4029, BACKLOG),
        (unheard, 4014, BACKLOG),
        (acknowledgements, 4010, 3),
        (hellos, 4029, BACKLOG),
    ],
)
async def test_what_waits_for_the_disk_is_bounded_whatever_a_peer_does(monkeypatch, mock_clock, flood, code, most):
    monkeypatch.setattr("coordinator.shell.front_door.BACKLOG_MAX", BACKLOG)
    store = GatedStore()
    limits = SessionLimits(unacknowledged=CREDIT)
    async with premises(store=store, limits=QUIET, session_limits=limits) as house:
        lobby, eager = await house.lobby(), house.program("eager", "spectator")
        await eager.hello()
        store.gate.clear()
        await lobby.say(m.OpenMatch("cup", "one", ref=lobby.ref()))
        await house.until(lambda: "cup" in house.office.desks)
        seen = [house.office.writer.backlog]

        def watch() -> None:
            seen.append(house.office.writer.backlog)

        flush = house.office.peers.flush

        def watched() -> None:
            watch()
            flush()

        monkeypatch.setattr(house.office.peers, "flush", watched)
        await flood(eager)
        assert await eager.close_code() == code
        watch()
        assert BACKLOG // 32 < max(seen) <= most + 2
        assert len(house.peer("eager").unheard) <= CREDIT
        store.gate.set()
        await lobby.next(m.MatchOpened)
        await house.until(lambda: not house.office.writer.backlog)
        # It was cut and not forgotten: it comes back, and is heard.
        await eager.hello(session=None)
        assert (await lobby.ask(m.StartMatch("cup", ref=1))).code == "field_too_small"


async def test_a_timer_that_is_set_again_and_again_leaves_no_heap(mock_clock):
    async with ladder(mock_clock) as (house, lobby, _server):
        number = await fixed(lobby)
        desk = house.office.desks["lad"]
        for each in range(200):
            word = m.Ruling("lad", "extend", challenge_no=number, by_ms=1, ref=lobby.ref(), key=f"extension {each}")
            await lobby.say(word)
        await lobby.quiet()
        assert not [told for told in lobby.heard[-200:] if isinstance(told, m.Error) and told.code != "unknown_match"]
        assert len(desk._heap) <= 64 + 4 * len(desk.state.timers)


async def test_nothing_is_kept_for_a_session_that_is_over(mock_clock):
    """A peer that fell behind is cut at the next flush; until then what it is told is not kept any more."""
    async with premises(session_limits=SessionLimits(session_bytes=3_000)) as house:
        await house.lobby()
        peer = house.peer("lobby")
        assert peer.session is not None
        for _ in range(1_000):
            house.office.peers.send(peer, m.MatchStarted("x" * 60, 1))
        assert peer.session._ready_bytes <= 3_000 + 200
        house.office.peers.flush()
        assert peer.session is None
