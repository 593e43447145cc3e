"""What follows from an event of a tourney for the outside. Pure; nothing of it leaves before the event is on disk."""

from collections.abc import Callable
from typing import Any

import attrs

from coordinator.engine.deals import commitment
from coordinator.engine.definition import Start
from coordinator.engine.tourney import effects as fx
from coordinator.engine.tourney import events, field, naming
from coordinator.engine.tourney.evolution import open_timer, start_timer
from coordinator.engine.tourney.state import LinkedMatch, TourneyState

Effects = tuple[fx.TourneyEffect, ...]


def effects(state: TourneyState, event: events.TourneyEvent) -> Effects:
    """The effects of one event, which the state has applied already."""
    rule = _EFFECTS.get(type(event))
    return rule(state, event) if rule is not None else ()


def launch(state: TourneyState, match: LinkedMatch) -> fx.LaunchMatch:
    """The order that opens a match. It says the same however often it is given."""
    definition = state.rules_of(match).match(match.name).definition
    by_word = Start(mode="manual", min_players=definition.start.min_players)
    return fx.LaunchMatch(
        match.match_id,
        attrs.evolve(definition, start=by_word),
        naming.match_seed(state.seed, match.match_id),
        naming.match_secret(state.secret, match.match_id),
        match.players,
    )


def next_starts(state: TourneyState, t: int) -> Effects:
    """What to ask the calendar: for each start point the next instant after the latest one planned.

    The instance planned last is always one whose registration is not open yet, where the start point comes again.
    """
    if state.status != "open":
        return ()
    wanted: list[fx.TourneyEffect] = []
    for point in state.definition.start_points:
        if point.mode != "at_time":
            continue
        latest = state.planned.get(point.id)
        if latest is None:
            # One that nobody could register for any more is not worth planning.
            wanted.append(fx.PlanNext(point.id, t + point.register_until_ms))
        elif not point.once and latest - point.window_ms <= t:
            wanted.append(fx.PlanNext(point.id, max(latest, t + point.register_until_ms)))
    return tuple(wanted)


def _defined(state: TourneyState, event: events.TourneyOpened | events.TourneyRedefined) -> Effects:
    return next_starts(state, event.t)


def _instance_planned(state: TourneyState, event: events.InstancePlanned) -> Effects:
    timers = (open_timer(event.instance_id), start_timer(event.instance_id))
    wake_ups = tuple([fx.SetWakeUp(timer, state.timers[timer]) for timer in timers if timer in state.timers])
    instance = state.instances[event.instance_id]
    if field.fed(state.rules_of(instance), state.point_of(instance)):  # whose registration never opens
        return (*wake_ups, *next_starts(state, event.t))
    return wake_ups


def _registration_opened(state: TourneyState, event: events.RegistrationOpened) -> Effects:
    return (fx.TellInstance(event.instance_id), *next_starts(state, event.t))


def _entry_made(state: TourneyState, event: events.EntryMade) -> Effects:
    timer = start_timer(event.instance_id)
    if state.instances[event.instance_id].register_until is None and timer in state.timers:
        return (fx.SetWakeUp(timer, state.timers[timer]),)
    return ()


def _entry_taken_back(state: TourneyState, event: events.EntryTakenBack) -> Effects:
    if event.reason == "asked":
        return ()
    return (fx.TellTakenBack(event.instance_id, event.player_id, event.reason),)


def _instance_cancelled(state: TourneyState, event: events.InstanceCancelled) -> Effects:
    players = tuple(state.instances[event.instance_id].entries)
    told = fx.TellCancelled(event.instance_id, event.reason, players)
    return (told, *next_starts(state, event.t))


def _instance_fired(state: TourneyState, event: events.InstanceFired) -> Effects:
    return next_starts(state, event.t)


def _match_opened(state: TourneyState, event: events.TourneyMatchOpened) -> Effects:
    order = launch(state, state.matches[event.match_id])
    players = tuple([player.player_id for player in event.players])
    return (order, fx.TellLaunched(event.match_id, order.definition.id, commitment(order.secret), players))


def _match_halted(state: TourneyState, event: events.TourneyMatchHalted) -> Effects:
    return (fx.RaiseAlarm("tourney_stuck", f"{event.match_id}: {event.reason}"),)


def _instance_closed(state: TourneyState, event: events.InstanceClosed) -> Effects:
    return (fx.TellClosed(event.instance_id),)


def _dues_owed(state: TourneyState, event: events.DuesOwed) -> Effects:
    return (fx.SendDues(event.dues),)


_EFFECTS: dict[type, Callable[[TourneyState, Any], Effects]] = {
    events.TourneyOpened: _defined,
    events.TourneyRedefined: _defined,
    events.InstancePlanned: _instance_planned,
    events.RegistrationOpened: _registration_opened,
    events.EntryMade: _entry_made,
    events.EntryTakenBack: _entry_taken_back,
    events.InstanceFired: _instance_fired,
    events.InstanceCancelled: _instance_cancelled,
    events.InstanceClosed: _instance_closed,
    events.TourneyMatchOpened: _match_opened,
    events.TourneyMatchHalted: _match_halted,
    events.DuesOwed: _dues_owed,
}
