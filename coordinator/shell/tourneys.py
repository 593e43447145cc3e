"""All tourneys of a daemon: their desks, and what these share with the office and the calendar.

Opening a match from a tourney is two journals. The tourney's record comes first and names the match, its players, its
seed and its secret; the match's own records follow. Whatever of that a crash cuts off is done at the next start, since
every step of it can be done again without harm. The other way round, a match that ended while its tourney did not hear
of it is told at the next start.
"""

from collections.abc import Callable, Container, Iterator, Mapping
from secrets import token_hex
from typing import TYPE_CHECKING

import structlog

from coordinator.engine import commands, events
from coordinator.engine import match as match_engine
from coordinator.engine.refusal import Refused
from coordinator.engine.stage_rules import final_quantity
from coordinator.engine.tourney import commands as tc
from coordinator.engine.tourney import effects as fx
from coordinator.engine.tourney.decisions import instance_at
from coordinator.engine.tourney.definition import TourneyDefinition
from coordinator.engine.tourney.events import EntryMade, FieldPlayer
from coordinator.engine.tourney.state import EntryState, Instance
from coordinator.engine.tourney.tourney import TourneyOutcome, new_tourney
from coordinator.journal.kinds import TOURNEY_PREFIX, stream_of
from coordinator.journal.records import Chain, Snapshot
from coordinator.journal.replay import recover_tourney
from coordinator.journal.store import Store
from coordinator.shell.calendar import Calendar, Moment, next_start
from coordinator.shell.desk import Desk
from coordinator.shell.tourney_desk import TourneyAnswer, TourneyDesk
from coordinator.shell.tourney_words import TourneyWords, instance_row, rows
from protocol import messages
from protocol.codec import encode_message

if TYPE_CHECKING:
    from coordinator.shell.office import Office

SNAPSHOT_EVERY = 5_000

_log = structlog.get_logger(__name__)


class Tourneys:
    """The desks of all tourneys, by id. One per office."""

    def __init__(
        self,
        office: "Office",
        store: Store,
        definitions: Mapping[str, TourneyDefinition],
        calendar: Calendar | None = None,
    ) -> None:
        self.desks: dict[str, TourneyDesk] = {}
        self.version = 0
        """Grows with everything that happens in a tourney."""
        self.calendar = Calendar() if calendar is None else calendar
        self._office = office
        self._store = store
        self._definitions = definitions
        self._words = TourneyWords(office.peers, office.raise_alarm, office.dues.tell)
        self._started = False
        self._snapshot_at: dict[str, int] = {}
        office.watchers.append(self._watch)

    # --- a daemon's life --------------------------------------------------------------------------------------------

    def recover(self, stream: str) -> None:
        """Take up one tourney of the journal where it stood. Raises what recovery raises."""
        tourney_id = stream.removeprefix(TOURNEY_PREFIX)
        found = recover_tourney(self._store, tourney_id)
        self.calendar.skip_to(found.t)
        self.desks[tourney_id] = TourneyDesk(
            tourney_id, found.state, found.chain, self._office.writer, self, self.calendar, last_ms=found.t
        )
        self._snapshot_at[tourney_id] = found.chain.seq

    def start(self) -> None:
        """Once the writer runs, and before anybody can connect: go on with the tourneys that were, open new ones."""
        if self._started:
            return
        self._started = True
        for tourney_id, desk in self.desks.items():
            if desk.state.status == "new":
                continue
            for match_id, match in list(desk.state.matches.items()):
                if match.status == "running":
                    self._office.archive.look_up_at_once(match_id)
                    if match_id in self._office.desks:
                        self._hear(desk, self._office.desks[match_id])
            definition = self._definitions.get(tourney_id)
            if definition is None:
                desk.submit(tc.RetireTourney(desk.now_ms()))
            else:
                desk.submit(tc.RedefineTourney(desk.now_ms(), definition))
            desk.take_up()
        for tourney_id, definition in self._definitions.items():
            # One that was set aside, its journal being damaged, is not begun anew.
            if tourney_id not in self.desks and stream_of(tourney_id) not in self._office.damaged:
                chain = Chain.start(stream_of(tourney_id))
                desk = TourneyDesk(tourney_id, new_tourney(), chain, self._office.writer, self, self.calendar)
                self.desks[tourney_id] = desk
                desk.submit(tc.OpenTourney(desk.now_ms(), definition, token_hex(16), token_hex(32)))

    def take_snapshots(self) -> None:
        """Before a clean stop: keep every state."""
        for desk in self.desks.values():
            try:
                self._snapshot(desk)
            except Exception as error:
                desk.fail(error)

    # --- what lobbies ask -------------------------------------------------------------------------------------------

    def at(self, name: str) -> TourneyDesk | None:
        """The desk of the tourney that an instance, a start point or a match belongs to; its id has no dot."""
        return self.desks.get(name.partition(".")[0])

    def enter(self, message: messages.Enter, name: str, lobby: str, answer: TourneyAnswer) -> None:
        """Register a player; the answer rests on the disk."""
        unknown = Refused("unknown_instance", f"there is no start {message.at!r}", "at", "a start of a tourney")
        self._ask(
            message.at,
            lambda t: tc.EnterPlayer(
                t,
                message.at,
                message.player_id,
                name,
                lobby,
                message.payment_ref,
                message.rating,
                self.playing_in(message.player_id),
            ),
            answer,
            unknown,
        )

    def entry_of(self, at: str, player_id: str, outcome: TourneyOutcome) -> tuple[Instance, EntryState] | None:
        """Where a player stands who was just entered, or was entered there before."""
        desk = self.at(at)
        assert desk is not None, "who was entered was entered somewhere"
        made = next((event for event in outcome.events if isinstance(event, EntryMade)), None)
        at = at if made is None else made.instance_id
        instance = instance_at(desk.state, at, player_id, desk.now_ms())
        if isinstance(instance, Refused) or player_id not in instance.entries:
            return None
        return instance, instance.entries[player_id]

    def withdraw(self, instance_id: str, player_id: str, answer: TourneyAnswer) -> None:
        """Take a player out of an instance."""
        unknown = Refused("unknown_instance", f"there is no instance {instance_id!r}", "instance_id")
        self._ask(instance_id, lambda t: tc.WithdrawEntry(t, instance_id, player_id), answer, unknown)

    def confirm(self, key: str, answer: TourneyAnswer) -> None:
        """A lobby has an award or a refund."""
        unknown = Refused("unknown_due", f"nothing is owed under {key!r}", "key")
        self._ask(key, lambda t: tc.ConfirmDue(t, key), answer, unknown)

    def cancel(self, instance_id: str, answer: TourneyAnswer) -> None:
        """An operator calls an instance off."""
        unknown = Refused("unknown_instance", f"there is no instance {instance_id!r}", "instance_id")
        self._ask(instance_id, lambda t: tc.CancelInstance(t, instance_id), answer, unknown)

    def _ask(
        self, name: str, command: Callable[[int], tc.TourneyCommand], answer: TourneyAnswer, unknown: Refused
    ) -> None:
        """Submit a command to the desk that a name belongs to, or answer that there is none."""
        desk = self.at(name)
        if desk is None:
            self._office.writer.append(None, answer, unknown)
        else:
            desk.submit(command(desk.now_ms()), answer)

    def instance_rows(self, tourney_id: str | None) -> list[messages.InstanceRow]:
        """What can be entered and what runs, of one tourney or of all."""
        whole = [desk for desk in self.desks.values() if desk.failure is None]
        wanted = [desk for desk in whole if tourney_id is None or desk.tourney_id == tourney_id]
        return [row for desk in wanted for row in rows(desk.state)]

    def open_instances(self) -> list[bytes]:
        """Which instances take players, for a lobby that may have missed it."""
        return [
            encode_message(messages.InstanceOpen(instance_row(desk.state, instance)))
            for desk in self.desks.values()
            for instance in desk.state.instances.values()
            if instance.status == "registering" and desk.failure is None
        ]

    def playing_in(self, player_id: str) -> str | None:
        """A running match that still has a player."""
        return next((match_id for match_id, active in self._playing() if player_id in active), None)

    def _playing(self) -> Iterator[tuple[str, Container[str]]]:
        """The running matches, and who is still in each."""
        for desk in self._office.desks.values():
            state = desk.state
            if state.status == "running" and state.stage is not None:
                yield desk.match_id, state.stage.active

    # --- what desks ask of their surroundings -----------------------------------------------------------------------

    def next_start(self, desk: TourneyDesk, start_point: str, after_ms: int) -> Moment | None:
        """Ask the calendar."""
        definition = desk.state.definition
        point = definition.start_point(start_point)
        return None if point is None else next_start(point, definition.time_zone, after_ms)

    def launch(self, order: fx.LaunchMatch) -> str | None:
        """Open a match with its players and start it. Every step that was done before is left alone."""

        def note(result: match_engine.Outcome | Refused) -> None:
            if isinstance(result, Refused):
                _log.error("a match of a tourney was refused", match=order.match_id, code=result.code)

        # A match begins rarely, and cannot be opened under a name that the journal has.
        self._office.archive.look_up_at_once(order.match_id)
        desk = self._office.desks.get(order.match_id)
        if desk is None:
            self._office.open_match(order.match_id, order.definition, order.seed, note, secret=order.secret)
            desk = self._office.desks.get(order.match_id)
            if desk is None:
                return "the match could not be opened"
        elif desk.state.secret != order.secret:
            return "another match has its name"
        if desk.failure is None and desk.state.status == "registering":
            for player in order.players:
                desk.submit(commands.RegisterPlayer(desk.now_ms(), player.player_id, player.name, player.carried), note)
            desk.submit(commands.StartMatch(desk.now_ms()), note)
        if desk.failure is not None:
            return desk.failure
        return None if desk.state.status != "registering" else "the match could not be started"

    def busy(self, players: tuple[str, ...]) -> tuple[str, ...]:
        """Those of these players who are in a running match."""
        playing = [active for _, active in self._playing()]
        return tuple([player_id for player_id in players if any(player_id in active for active in playing)])

    def wall_ms(self) -> int:
        """The wall clock in milliseconds."""
        return self._office.wall_ms()

    def released(self, desk: TourneyDesk, outcome: TourneyOutcome) -> None:
        """Carry out what is on disk."""
        self.version += 1
        self._words.carry_out(desk.state, outcome.effects)
        if desk.chain.seq - self._snapshot_at.get(desk.tourney_id, 0) >= SNAPSHOT_EVERY:
            self._snapshot(desk)

    def tourney_timer(self, desk: TourneyDesk, at_ms: int | None) -> None:
        """Look at a desk's timers when the next one is due by the calendar."""
        if at_ms is None:
            self._office.timers.cancel(desk)
        else:
            self._office.timers.set(desk, self.calendar.trio_time(at_ms), desk.fire_due)

    def failed(self, desk: TourneyDesk) -> None:
        """Tell the operator that a tourney stands still."""
        self._office.timers.cancel(desk)
        self._office.raise_alarm(None, "tourney_failed", f"tourney {desk.tourney_id!r} stands still: {desk.failure}")

    # --- what matches tell ------------------------------------------------------------------------------------------

    def match_failed(self, match_desk: Desk) -> None:
        """An assertion of ours failed in a match."""
        desk = self.at(match_desk.match_id)
        if desk is not None and match_desk.match_id in desk.state.matches:
            self._hear(desk, match_desk)

    def _watch(self, match_desk: Desk, outcome: match_engine.Outcome) -> None:
        kind = type(outcome.events[-1])
        if kind is events.MatchEnded or kind is events.MatchHalted:
            desk = self.at(match_desk.match_id)
            if desk is not None and match_desk.match_id in desk.state.matches:
                self._hear(desk, match_desk)

    def _hear(self, desk: TourneyDesk, match_desk: Desk) -> None:
        """How a match of a tourney stands: only its end, and that it cannot go on, are news."""
        state, match_id = match_desk.state, match_desk.match_id
        if match_desk.failure is not None or state.halted is not None:
            reason = match_desk.failure or state.halted or ""
            desk.submit(tc.HaltTourneyMatch(desk.now_ms(), match_id, reason))
        elif state.status == "over":
            ranking = tuple([(player_id, final_quantity(state, player_id)) for player_id in state.ranking])
            late = tuple(
                [
                    FieldPlayer(player_id, state.entrants[player_id].name, lobby)
                    for player_id, lobby in state.lobbies.items()
                ]
            )
            excluded = tuple([player_id for player_id in state.ranking if player_id in state.disqualified])
            desk.submit(tc.EndTourneyMatch(desk.now_ms(), match_id, ranking, late, excluded))

    # --- snapshots --------------------------------------------------------------------------------------------------

    def _snapshot(self, desk: TourneyDesk) -> None:
        if desk.failure is None and self._snapshot_at.get(desk.tourney_id) != desk.chain.seq:
            self._snapshot_at[desk.tourney_id] = desk.chain.seq
            self._office.writer.snapshot(Snapshot.take(desk.chain, desk.state))
