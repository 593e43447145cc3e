from fractions import Fraction
from pathlib import Path
from typing import Any, get_args

import attrs
import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coordinator.engine import RULES_VERSION, commands, events
from coordinator.engine import effects as fx
from coordinator.engine.match import new_state, step
from coordinator.errors import JournalDamaged, JournalNewer
from coordinator.journal import records as journal_records
from coordinator.journal.records import (
    FORMAT,
    NOTHING_SENT,
    UPCASTERS,
    Chain,
    MatchEntry,
    Snapshot,
    StoredRecord,
    effects_digest,
    open_record,
    running_hash,
    state_bytes,
    state_from,
    state_hash,
)
from coordinator.journal.shapes import Misshapen
from tests.journal.small_match import WALL_MS, as_stored, played, sealed
from tests.journal.strategies import values

COMMANDS = st.one_of([values(kind) for kind in get_args(commands.Command)])
EVENTS = st.one_of([values(kind) for kind in get_args(events.Event)])
EFFECTS = st.one_of([values(kind) for kind in get_args(fx.Effect)])

GOLDEN = Path(__file__).parent / "golden"


def a_hand() -> tuple[commands.EndHand, tuple[events.Event, ...], tuple[fx.Effect, ...]]:
    command = commands.EndHand(61_000, "ts-1", 7, 2, 3, 1, {"p2": 20, "p1": -10, "p3": -10})
    happened = (
        events.HandScored(61_000, 7, 3, 1, (20, -10, -10), (20, -10, -10)),
        events.RoundEnded(61_000, 7, (1, 2, 2), (5, Fraction(3, 2), Fraction(2))),
    )
    leaving = (
        fx.CloseTable("ts-1", 7, 2, "round_over"),
        fx.TellEliminated("s1", "p3", None, -10),
        fx.PublishStandings(),
    )
    return command, happened, leaving


def with_part(whole: Any, name: str, value: object) -> Any:
    return attrs.evolve(whole, **{name: value})


def forged(plain: dict) -> tuple[StoredRecord, bytes]:
    """A record with another body, and the hash before it, so that only the body is at fault."""
    before = Chain.start("m").hash
    body = msgpack.packb(plain)
    return StoredRecord("m", plain.get("seq", 1), body, running_hash(before, body)), before


def a_body(**changes: object) -> dict:
    [record] = sealed(steps=played(3, 1)[:1])
    return {**msgpack.unpackb(record.body), **changes}


@given(COMMANDS, st.lists(EVENTS, max_size=3), st.lists(EFFECTS, max_size=2), st.integers(0, 2**62))
def test_every_command_and_event_comes_back_exactly(command, happened, leaving, wall_ms):
    pending = Chain.start("m").seal(command, happened, leaving, wall_ms)
    record = Chain.start("m").follow(as_stored(pending))
    assert (record.seq, record.rules, record.t, record.wall_ms) == (1, RULES_VERSION, command.t, wall_ms)
    # `==` takes 2 for the fraction 2/1; `repr` does not.
    assert repr((record.command, record.events)) == repr((command, tuple(happened)))


def test_every_kind_is_tried_above():
    """The round trip is over the unions; this is what keeps a class from being left out of one."""
    for module, union in ((commands, commands.Command), (events, events.Event), (fx, fx.Effect)):
        kinds = {kind for kind in vars(module).values() if attrs.has(kind) and kind.__module__ == module.__name__}
        assert kinds - set(get_args(union)) <= {commands.Placement}


def test_a_body_is_the_documented_map_for_any_reader_of_msgpack():
    command, happened, leaving = a_hand()
    body = msgpack.unpackb(Chain.start("m").seal(command, happened, leaving, WALL_MS).body)
    assert list(body) == ["format", "rules", "layout", "seq", "t", "wall_ms", "command", "events", "effects"]
    assert (body["format"], body["seq"], body["t"], body["wall_ms"]) == (FORMAT, 1, 61_000, WALL_MS)
    assert body["command"] == ["EndHand", {**attrs.asdict(command), "dropped": []}]
    assert [name for name, _ in body["events"]] == ["HandScored", "RoundEnded"]
    assert body["events"][1][1]["points"] == [5, "3/2", "2/1"]


def test_golden_bytes_of_a_record(monkeypatch):
    """What was ever written must be read for ever: other bytes here mean a new format and an upcaster."""
    # As they were when the bytes were kept.
    monkeypatch.setattr(journal_records, "EFFECTS_LAYOUT", "0golden0")
    monkeypatch.setattr(journal_records, "RULES_VERSION", 2)
    command, happened, leaving = a_hand()
    pending = Chain.start("golden").seal(command, happened, leaving, WALL_MS)
    assert pending.body == (GOLDEN / "end_hand_format_2.msgpack").read_bytes()
    assert pending.hash.hex() == "5da49f9930fddc510e084f4cf44952cd"
    record = Chain.start("golden").follow(as_stored(pending))
    assert repr((record.command, record.events)) == repr((command, happened))


def test_golden_bytes_of_an_older_record_are_read_with_the_hash_they_had():
    command, happened, _ = a_hand()
    body, hashed = (GOLDEN / "end_hand_format_1.msgpack").read_bytes(), "c9b07fb5008466e9e77d50957ceaade5"
    record = Chain.start("golden").follow(StoredRecord("golden", 1, body, bytes.fromhex(hashed)))
    assert repr((record.command, record.events)) == repr((command, happened))
    assert (record.layout, record.hash.hex()) == ("", hashed)


def test_a_record_from_before_hands_could_be_dropped_is_read():
    command, happened, _ = a_hand()
    old = (GOLDEN / "end_hand_before_drops.msgpack").read_bytes()
    before = Chain.start("golden")
    body_hash = running_hash(before.hash, old)
    assert body_hash.hex() == "4456576194016e7d438aa0e8b43a8601"
    record = before.follow(StoredRecord("golden", 1, old, body_hash))
    assert repr((record.command, record.events)) == repr((command, happened))


def test_the_sealing_and_the_following_chain_stand_alike():
    steps = played(9)
    sealing, following = Chain.start("m"), Chain.start("m")
    for command, outcome in steps:
        pending = sealing.seal(command, outcome.events, outcome.effects, WALL_MS)
        assert following.follow(as_stored(pending)).events == outcome.events
        assert following == sealing
    assert sealing.seq == len(steps) >= 20


def test_only_the_first_record_opens_a_match():
    first, *others = sealed()
    assert first.opening == MatchEntry("m", "test", WALL_MS)
    assert [record.opening for record in others] == [None] * len(others)


def test_effects_digest_depends_on_every_effect_and_their_order():
    _, _, leaving = a_hand()
    digests = [NOTHING_SENT]
    for effect in leaving:
        digests.append(effects_digest(digests[-1], [effect]))
    assert len(set(digests)) == 4
    assert effects_digest(digests[1], ()) == digests[1]
    assert effects_digest(NOTHING_SENT, leaving) != effects_digest(NOTHING_SENT, leaving[::-1])


def test_a_seal_that_fails_leaves_the_chain_where_it_was():
    chain = Chain.start("m")
    before = attrs.evolve(chain)
    with pytest.raises(OverflowError):
        chain.seal(commands.StartMatch(0), [events.MatchStarted(2**64)], [fx.PublishStandings()], 0)
    assert chain == before


@pytest.mark.parametrize("part", ["body", "hash"])
def test_every_flipped_bit_of_a_record_is_noticed_and_named(part):
    chain = Chain.start("m")
    for record in map(as_stored, sealed()):
        value = getattr(record, part)
        for bit in range(len(value) * 8):
            flipped = bytearray(value)
            flipped[bit // 8] ^= 1 << bit % 8
            with pytest.raises(JournalDamaged) as caught:
                open_record(with_part(record, part, bytes(flipped)), chain.hash)
            assert (caught.value.match_id, caught.value.seq) == ("m", record.seq)
        chain.follow(record)


def test_every_truncated_body_is_noticed_and_named():
    chain = Chain.start("m")
    for record in map(as_stored, sealed()):
        for length in range(len(record.body)):
            with pytest.raises(JournalDamaged) as caught:
                open_record(attrs.evolve(record, body=record.body[:length]), chain.hash)
            assert caught.value.seq == record.seq
        chain.follow(record)


def test_records_cannot_change_places_between_matches():
    [mine, *_], [theirs, *_] = sealed("m"), sealed("n")
    assert mine.body == theirs.body
    with pytest.raises(JournalDamaged):
        Chain.start("n").follow(attrs.evolve(as_stored(mine), match_id="n"))


def test_a_record_out_of_its_turn_is_named():
    first, second, third, *_ = map(as_stored, sealed())
    chain = Chain.start("m")
    chain.follow(first)
    with pytest.raises(JournalDamaged, match="Match 'm', record 2: it is missing, record 3 comes next"):
        chain.follow(third)
    with pytest.raises(JournalDamaged):
        chain.follow(first)
    assert chain.follow(second).seq == 2


@pytest.mark.parametrize(
    "changes",
    [
        {"format": FORMAT + 1},
        {"rules": RULES_VERSION + 1},
        {"command": ["FlyToTheMoon", {}]},
        {"events": [["MoonReached", {"t": 1}]]},
        {"events": [["MatchStarted", {"t": 1, "weather": "fine"}]]},
    ],
    ids=lambda changes: str(changes)[:40],
)
def test_what_a_newer_version_wrote_is_said_to_be_newer(changes):
    stored, before = forged(a_body(**changes))
    with pytest.raises(JournalNewer, match="Record 1 of match 'm' was written by a newer version"):
        open_record(stored, before)


@pytest.mark.parametrize(
    "changes",
    [
        {"format": "1"},
        {"format": 0},
        {"format": -5},
        {"seq": True},
        {"t": "now"},
        {"t": None},
        {"extra": 1},
        {"layout": None},
        {"command": 7},
        {"command": ["StartMatch"]},
        {"command": ["StartMatch", {}]},
        {"command": ["StartMatch", {"t": 1.0}]},
        {"command": ["StartMatch", [1]]},
        {"events": {}},
        {"events": [["MatchStarted", {"t": "1"}]]},
        {"effects": "text"},
    ],
    ids=str,
)
def test_a_misshapen_body_with_a_right_hash_is_damage(changes):
    stored, before = forged(a_body(**changes))
    with pytest.raises(JournalDamaged) as caught:
        open_record(attrs.evolve(stored, seq=1), before)
    assert (caught.value.match_id, caught.value.seq) == ("m", 1)


@given(st.binary(max_size=40))
def test_garbage_with_a_right_hash_is_damage(body):
    before = Chain.start("m").hash
    with pytest.raises(JournalDamaged):
        open_record(StoredRecord("m", 1, body, running_hash(before, body)), before)


def test_deeply_nested_garbage_is_damage():
    before = Chain.start("m").hash
    body = b"\x91" * 100_000
    with pytest.raises(JournalDamaged):
        open_record(StoredRecord("m", 1, body, running_hash(before, body)), before)


def test_a_record_that_names_another_number_is_damage():
    stored, before = forged(a_body(seq=5))
    with pytest.raises(JournalDamaged, match="it says that it is record 5"):
        open_record(attrs.evolve(stored, seq=1), before)


def test_an_older_format_is_lifted_step_by_step():
    """In formats -1 and 0, which never were, a body had a `clock` and its time stood in seconds."""

    def to_0(body: dict) -> dict:
        return {**{key: value for key, value in body.items() if key != "clock"}, "t": body["clock"]}

    def to_1(body: dict) -> dict:
        return {**body, "t": body["t"] * 1000}

    old = a_body(format=-1, clock=12)
    del old["t"]
    stored, before = forged(old)
    record = open_record(stored, before, upcasters={**UPCASTERS, -1: to_0, 0: to_1})
    assert record.t == 12_000
    with pytest.raises(JournalDamaged, match="no format -1"):
        open_record(stored, before, upcasters={**UPCASTERS, 0: to_1})


def test_a_state_comes_back_with_the_order_of_its_dicts():
    state = new_state()
    for command, _ in played(9, 3):
        step(state, command)
    again = state_from(state_bytes(state))
    assert again == state
    assert (list(again.entrants), list(again.tables)) == (list(state.entrants), list(state.tables))
    assert state_hash(again) == state_hash(state)


def test_a_state_hash_sees_the_order_of_insertion():
    state, other = new_state(), new_state()
    state.timers.update({"a": 1, "b": 2})
    other.timers.update({"b": 2, "a": 1})
    assert state == other
    assert state_hash(state) != state_hash(other)


@given(st.binary(max_size=40))
def test_other_bytes_are_no_state(raw):
    with pytest.raises(Misshapen):
        state_from(raw)


def test_a_snapshot_notices_a_change_of_any_field():
    chain, state = Chain.start("m"), new_state()
    for command, outcome in played(3, 1):
        step(state, command)
        chain.seal(command, outcome.events, outcome.effects, WALL_MS)
    snapshot = Snapshot.take(chain, state)
    assert snapshot.usable
    for field in attrs.fields(Snapshot):
        value = getattr(snapshot, field.name)
        changed = value[:-1] + b"\0" if isinstance(value, bytes) else value * 2
        assert not with_part(snapshot, field.name, changed).intact, field.name


def test_a_snapshot_without_its_state_is_whole_but_of_no_use():
    snapshot = attrs.evolve(Snapshot.take(Chain.start("m"), new_state()), state=b"")
    assert snapshot.intact
    assert not snapshot.usable
