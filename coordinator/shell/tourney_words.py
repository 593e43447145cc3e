"""From the effects of a tourney to messages for lobbies, and its instances as they are told."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from coordinator.engine.dues import Due
from coordinator.engine.tourney import effects as fx
from coordinator.engine.tourney.state import Instance, TourneyState
from coordinator.shell.dispatch import PLAYERS_PER_NOTICE
from coordinator.shell.peers import Peers
from protocol import messages

RaiseAlarm = Callable[[str | None, str, str], None]


class TourneyWords:
    """Carries the effects of tourneys out. Called only for what is on disk."""

    def __init__(self, peers: Peers, raise_alarm: RaiseAlarm, tell_dues: Callable[[Iterable[Due]], None]) -> None:
        self._peers = peers
        self._raise_alarm = raise_alarm
        self._carry: dict[type, Callable[[TourneyState, Any], None]] = {
            fx.TellInstance: self._tell_instance,
            fx.TellCancelled: self._tell_cancelled,
            fx.TellTakenBack: self._tell_taken_back,
            fx.TellLaunched: self._tell_launched,
            fx.TellClosed: self._tell_closed,
            fx.SendDues: lambda state, effect: tell_dues(effect.dues),
            fx.RaiseAlarm: self._alarm,
        }

    def carry_out(self, state: TourneyState, leaving: tuple[fx.TourneyEffect, ...]) -> None:
        """Send what the effects ask for; those that are not for the wire are passed over."""
        for effect in leaving:
            rule = self._carry.get(type(effect))
            if rule is not None:
                rule(state, effect)

    def _tell_instance(self, state: TourneyState, effect: fx.TellInstance) -> None:
        instance = state.instances.get(effect.instance_id)
        if instance is not None:  # the state may be ahead of what is told
            self._peers.tell_lobbies(messages.InstanceOpen(instance_row(state, instance)))

    def _tell_cancelled(self, state: TourneyState, effect: fx.TellCancelled) -> None:
        for start in range(0, max(len(effect.players), 1), PLAYERS_PER_NOTICE):
            players = list(effect.players[start : start + PLAYERS_PER_NOTICE])
            self._peers.tell_lobbies(messages.InstanceCancelled(effect.instance_id, effect.reason, players))

    def _tell_taken_back(self, state: TourneyState, effect: fx.TellTakenBack) -> None:
        self._peers.tell_lobbies(messages.EntryRemoved(effect.instance_id, effect.player_id, effect.reason))

    def _tell_launched(self, state: TourneyState, effect: fx.TellLaunched) -> None:
        self._peers.tell_lobbies(messages.MatchOpened(0, effect.match_id, effect.definition_id, effect.commitment))
        for number, player_id in enumerate(effect.players, start=1):
            self._peers.tell_lobbies(messages.Entered(0, effect.match_id, player_id, number))

    def _tell_closed(self, state: TourneyState, effect: fx.TellClosed) -> None:
        self._peers.tell_lobbies(messages.InstanceOver(effect.instance_id))

    def _alarm(self, state: TourneyState, effect: fx.RaiseAlarm) -> None:
        self._raise_alarm(None, effect.code, effect.message)


def rows(state: TourneyState) -> Iterator[messages.InstanceRow]:
    """The instances of a tourney that are not over, in the order of planning."""
    for instance in state.instances.values():
        if instance.status in ("planned", "registering", "running"):
            yield instance_row(state, instance)


def instance_row(state: TourneyState, instance: Instance) -> messages.InstanceRow:
    """One instance as it is told."""
    definition = state.rules_of(instance)
    point = state.point_of(instance)
    offers = []
    for name in point.opens:
        entry = definition.match(name).entry
        offers.append(
            messages.OfferRow(
                name,
                entry.fee,
                entry.fee_kind,
                entry.item_id,
                entry.places,
                entry.rating_from,
                entry.rating_to,
                bool(entry.members),
            )
        )
    return messages.InstanceRow(
        instance.instance_id,
        state.tourney_id,
        instance.start_point,
        (definition.title or definition.id)[:64],
        instance.status,
        instance.start_at,
        instance.opens_at,
        instance.register_until,
        instance.withdraw_until,
        len(instance.entries),
        point.min_players,
        point.full_count,
        offers,
    )
