"""Records: one command with all its events as bytes and back, each bound by a running hash to all before it.

A record is there or it is not; no command is ever half in the journal. Its body is a msgpack map of
``format, rules, layout, seq, t, wall_ms, command, events, effects``, where a command or an event is
``[name, {field: value}]``. ``effects`` is a running digest over everything that was sent out so far, so that a replay
can prove that it would send the same; ``layout`` names the fields that effects had, since the digest of another version
cannot be compared. The hash of a record is BLAKE2b over the hash before it and the body; the first one follows on a
hash of the match's own name, so that records cannot change places between matches.
"""

from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b
from types import MappingProxyType
from typing import Any, get_args

import attrs
import msgspec

from coordinator.engine import RULES_VERSION
from coordinator.engine.commands import OpenMatch
from coordinator.engine.effects import Effect
from coordinator.engine.state import MatchState
from coordinator.engine.tourney.commands import OpenTourney
from coordinator.engine.tourney.effects import TourneyEffect
from coordinator.engine.tourney.state import TourneyState
from coordinator.errors import JournalDamaged, JournalNewer
from coordinator.journal.kinds import COMMANDS, EVENTS, MATCH, AnyCommand, AnyEvent, Kind, kind_of
from coordinator.journal.shapes import Misshapen, Shape, UnknownField, shape_of, write_plain

FORMAT = 2
"""Version of the layout of a record; it rises when an older reader could not read it."""

HASH_BYTES = 16

NOTHING_SENT = bytes(HASH_BYTES)
"""The effects digest before the first effect."""

Upcaster = Callable[[dict[str, Any]], dict[str, Any]]
"""From the body of one format to the body of the next, both as plain data; ``format`` itself need not be touched."""


def _to_2(body: dict[str, Any]) -> dict[str, Any]:
    """Format 1 did not say how its effects were laid out."""
    return {**body, "layout": ""}


UPCASTERS: Mapping[int, Upcaster] = MappingProxyType({1: _to_2})
"""For each older format the pure function that lifts a body to the next one. Never edited after a release."""


class _Body(msgspec.Struct, forbid_unknown_fields=True):
    """The layout of :data:`FORMAT`, in this order."""

    format: int
    rules: int
    layout: str
    seq: int
    t: int
    wall_ms: int
    command: tuple[str, Any]
    events: tuple[tuple[str, Any], ...]
    effects: bytes


_HASHER = blake2b(digest_size=HASH_BYTES)
"""Copied for each hash, at half of what making one costs."""

_ENCODER = msgspec.msgpack.Encoder(enc_hook=write_plain)
_DECODER = msgspec.msgpack.Decoder()
AnyState = MatchState | TourneyState
AnyEffect = Effect | TourneyEffect

_EFFECTS = "".join([shape_of(kind).text for kind in get_args(AnyEffect)])
EFFECTS_LAYOUT = blake2b(_EFFECTS.encode(), digest_size=4).hexdigest()
"""The effects with all their fields: with others a digest over them says nothing."""


@attrs.frozen
class MatchEntry:
    """A match in the journal's table of contents. ``opened_wall_ms`` is Unix time in milliseconds."""

    match_id: str
    definition_id: str
    opened_wall_ms: int

    @classmethod
    def of(cls, match_id: str, command: AnyCommand, wall_ms: int) -> "MatchEntry":
        """The entry that belongs to a match with this first command."""
        definition_id = command.definition.id if isinstance(command, OpenMatch | OpenTourney) else ""
        return cls(match_id, definition_id, wall_ms)


@attrs.frozen
class FinishedEntry:
    """A match that is finished, in the journal's table of contents: as long as record ``seq`` with ``hash`` is its
    newest one, a start need not take the match up.

    ``status`` is that of the match, ``finished_wall_ms`` Unix time in milliseconds. ``summary`` is a line about the
    match for lists, as bytes that the journal does not look into.
    """

    match_id: str
    seq: int
    hash: bytes
    status: str
    finished_wall_ms: int
    summary: bytes


class PendingRecord(msgspec.Struct, frozen=True):
    """A sealed record on its way to the disk. ``opening`` comes with the first record of a match and only there."""

    match_id: str
    seq: int
    body: bytes
    hash: bytes
    opening: MatchEntry | None = None


@attrs.frozen
class StoredRecord:
    """A record as the store holds it; nothing about it is believed until :func:`open_record` has looked."""

    match_id: str
    seq: int
    body: bytes
    hash: bytes


@attrs.frozen
class Record:
    """A record that was verified and read. ``effects`` is the running digest after it, ``hash`` the running hash."""

    seq: int
    rules: int
    layout: str
    t: int
    wall_ms: int
    command: AnyCommand
    events: tuple[AnyEvent, ...]
    effects: bytes
    hash: bytes


@attrs.frozen
class Snapshot:
    """The state of a match after record ``seq``: a shortcut, never the truth.

    ``state`` is empty where only its hash was kept. ``effects`` and ``record_hash`` are those of record
    ``seq``; ``hash`` covers all other fields but ``state``.
    """

    match_id: str
    seq: int
    layout: str
    state: bytes
    state_hash: bytes
    effects: bytes
    record_hash: bytes
    hash: bytes

    @classmethod
    def take(cls, chain: "Chain", state: AnyState) -> "Snapshot":
        """The state as it is right now, after the newest record of its chain."""
        raw = state_bytes(state)
        layout = kind_of(chain.match_id).layout
        taken = cls(chain.match_id, chain.seq, layout, raw, hash_of(raw), chain.effects, chain.hash, b"")
        return attrs.evolve(taken, hash=taken.seal())

    def seal(self) -> bytes:
        """What ``hash`` has to be."""
        covered = (self.match_id, self.seq, self.layout, self.state_hash, self.effects, self.record_hash)
        return hash_of(_ENCODER.encode(covered))

    @property
    def intact(self) -> bool:
        """Whether every field is as it was written."""
        return self.hash == self.seal() and (not self.state or self.state_hash == hash_of(self.state))

    @property
    def usable(self) -> bool:
        """Whether a match can be taken up from here by this version of the rules."""
        return self.intact and bool(self.state) and self.layout == kind_of(self.match_id).layout


@attrs.define
class Chain:
    """Where the journal of one match stands: the number, hash and effects digest of its newest record.

    A desk seals through it, a reader follows with it; after the same records both stand alike.
    """

    match_id: str
    seq: int
    hash: bytes
    effects: bytes

    @classmethod
    def start(cls, match_id: str) -> "Chain":
        """The chain of a match that has no record yet."""
        genesis = blake2b(match_id.encode(), digest_size=HASH_BYTES, person=b"match journal").digest()
        return cls(match_id, 0, genesis, NOTHING_SENT)

    def seal(
        self, command: AnyCommand, events: Sequence[AnyEvent], effects: Sequence[AnyEffect], wall_ms: int
    ) -> PendingRecord:
        """Make the next record. ``wall_ms`` is Unix time in milliseconds, for people only.

        Raises OverflowError, with the chain unmoved, for a whole number beyond 64 bits.
        """
        seq = self.seq + 1
        digest = effects_digest(self.effects, effects)
        body = _ENCODER.encode(
            _Body(
                FORMAT,
                RULES_VERSION,
                EFFECTS_LAYOUT,
                seq,
                command.t,
                wall_ms,
                (type(command).__name__, command),
                tuple([(type(event).__name__, event) for event in events]),
                digest,
            )
        )
        self.hash = running_hash(self.hash, body)
        self.effects = digest
        self.seq = seq
        opening = MatchEntry.of(self.match_id, command, wall_ms) if seq == 1 else None
        return PendingRecord(self.match_id, seq, body, self.hash, opening)

    def follow(self, stored: StoredRecord) -> Record:
        """Verify and read the next record.

        Raises JournalDamaged where it is missing or altered and JournalNewer where this version cannot read it.
        """
        if stored.seq != self.seq + 1:
            raise JournalDamaged(self.match_id, self.seq + 1, f"it is missing, record {stored.seq:,} comes next")
        record = open_record(stored, self.hash)
        self.seq, self.hash, self.effects = record.seq, record.hash, record.effects
        return record


def written(value: object) -> bytes:
    """An event, an effect or a part of one as a record holds it; unlike ``==`` it tells 2 from the fraction 2/1."""
    return _ENCODER.encode(value)


def running_hash(previous: bytes, body: bytes) -> bytes:
    """The hash of a record from the hash before it and its body."""
    return hash_of(previous + body)


def effects_digest(previous: bytes, effects: Sequence[AnyEffect]) -> bytes:
    """The running digest after the effects of one more record; a record without effects leaves it alone."""
    if not effects:
        return previous
    named = [(type(effect).__name__, effect) for effect in effects]
    return hash_of(previous + _ENCODER.encode(named))


def open_record(stored: StoredRecord, previous_hash: bytes, *, upcasters: Mapping[int, Upcaster] = UPCASTERS) -> Record:
    """Verify one record against the hash before it, lift it to the present format and read it.

    Raises JournalDamaged where its bytes are not those that were written, JournalNewer where a newer version wrote it.
    """
    if running_hash(previous_hash, stored.body) != stored.hash:
        raise JournalDamaged(stored.match_id, stored.seq, "its bytes do not match its hash")
    try:
        plain = _DECODER.decode(stored.body)
        if type(plain) is not dict or type(plain.get("format")) is not int:
            raise Misshapen("a map with a format number")
        # Bytes are bytes here; msgspec would also take text for them, as JSON writes it.
        body = msgspec.convert(_lifted(plain, stored, upcasters), _Body, builtin_types=(bytes,))
    except (msgspec.MsgspecError, RecursionError, Misshapen) as fault:
        raise JournalDamaged(stored.match_id, stored.seq, f"it cannot be read ({fault})") from fault
    if body.rules > RULES_VERSION:
        raise _newer(stored, f"it follows rules version {body.rules}, this one knows {RULES_VERSION}")
    if body.seq != stored.seq:
        raise JournalDamaged(stored.match_id, stored.seq, f"it says that it is record {body.seq:,}")
    command = _read(COMMANDS, "command", body.command, stored)
    events = tuple([_read(EVENTS, "event", named, stored) for named in body.events])
    return Record(body.seq, body.rules, body.layout, body.t, body.wall_ms, command, events, body.effects, stored.hash)


def _lifted(plain: dict[str, Any], stored: StoredRecord, upcasters: Mapping[int, Upcaster]) -> dict[str, Any]:
    if plain["format"] > FORMAT:
        raise _newer(stored, f"it has format {plain['format']}, this one knows {FORMAT}")
    for version in range(plain["format"], FORMAT):
        upcast = upcasters.get(version)
        if upcast is None:
            raise Misshapen(f"no format {version}")
        plain = {**upcast(plain), "format": version + 1}
    return plain


def _read(shapes: Mapping[str, Shape[Any]], kind: str, named: tuple[str, Any], stored: StoredRecord) -> Any:
    name, plain = named
    shape = shapes.get(name)
    if shape is None:
        raise _newer(stored, f"it holds the {kind} {name}, which this one does not know")
    try:
        return shape.build(plain)
    except UnknownField as fault:
        raise _newer(stored, f"it holds a {kind} with more fields ({fault})") from fault
    except Misshapen as fault:
        raise JournalDamaged(stored.match_id, stored.seq, f"its {kind} {name} is misshapen ({fault})") from fault


def _newer(stored: StoredRecord, what: str) -> JournalNewer:
    return JournalNewer(f"Record {stored.seq:,} of match {stored.match_id!r}", what)


def state_bytes(state: AnyState) -> bytes:
    """The whole state; two states are equal, order of insertion included, exactly when these bytes are."""
    return _ENCODER.encode(state)


def hash_of(raw: bytes) -> bytes:
    """The hash of bytes that stand alone, such as those of a state."""
    hasher = _HASHER.copy()
    hasher.update(raw)
    return hasher.digest()


def state_hash(state: AnyState) -> bytes:
    """The hash of a whole state."""
    return hash_of(state_bytes(state))


def state_from(raw: bytes, kind: Kind = MATCH) -> Any:
    """The state that :func:`state_bytes` wrote. Raises :class:`~coordinator.journal.shapes.Misshapen` for others."""
    try:
        plain = _DECODER.decode(raw)
    except (msgspec.MsgspecError, RecursionError) as fault:
        raise Misshapen(f"msgpack ({fault})") from fault
    # Fields have defaults for the sake of a match that is not open yet; a state that was written has them all.
    if not isinstance(plain, dict) or len(plain) != kind.fields:
        raise Misshapen("a map with every field of its state")
    return kind.state.build(plain)
