"""How each event changes the state of a tourney. Nothing here refuses, asks or decides."""

from collections.abc import Callable
from typing import Any

from coordinator.engine.tourney import events
from coordinator.engine.tourney.state import EntryState, Instance, LinkedMatch, TourneyState

REMEMBERED = 50
"""So many instances that are over, and owe nobody anything, are remembered; the journal has them all."""


def evolve(state: TourneyState, event: events.TourneyEvent) -> None:
    """Apply one event to the state that owns it."""
    _EVOLVE[type(event)](state, event)


def open_timer(instance_id: str) -> str:
    """Registration for an instance opens."""
    return f"open/{instance_id}"


def start_timer(instance_id: str) -> str:
    """An instance starts, or is called off (R-HI-02)."""
    return f"start/{instance_id}"


def _tourney_opened(state: TourneyState, event: events.TourneyOpened) -> None:
    state.tourney_id = event.definition.id
    state.seed = event.seed
    state.secret = event.secret
    state.status = "open"
    state.version = 1
    state.versions = {1: event.definition}


def _tourney_redefined(state: TourneyState, event: events.TourneyRedefined) -> None:
    _drop_empty(state)
    state.status = "open"
    state.version += 1
    state.versions[state.version] = event.definition
    _forget_versions(state)


def _tourney_retired(state: TourneyState, event: events.TourneyRetired) -> None:
    _drop_empty(state)
    state.status = "retired"


def _drop_empty(state: TourneyState) -> None:
    """What nobody has registered for is planned anew, from the instant it was planned for on."""
    for instance in list(state.instances.values()):
        if instance.status in ("planned", "registering") and not instance.entries:
            _drop_timers(state, instance.instance_id)
            del state.instances[instance.instance_id]
    state.planned = {}
    for instance in state.instances.values():
        if instance.start_at is not None:
            known = state.planned.get(instance.start_point, instance.start_at)
            state.planned[instance.start_point] = max(known, instance.start_at)


def _instance_planned(state: TourneyState, event: events.InstancePlanned) -> None:
    point = state.definition.start_point(event.start_point)
    assert point is not None, "a start point of the definition that holds is planned"
    opens_at, until, withdraw = event.t, None, None
    if event.start_at is None:
        state.filled[point.id] = state.filled.get(point.id, 0) + 1
    else:
        state.planned[point.id] = event.start_at
        opens_at = event.start_at - point.window_ms
        until = event.start_at - point.register_until_ms
        withdraw = until if point.withdraw_until_ms is None else event.start_at - point.withdraw_until_ms
        state.timers[start_timer(event.instance_id)] = event.start_at
        if opens_at > event.t:
            state.timers[open_timer(event.instance_id)] = opens_at
    state.instances[event.instance_id] = Instance(
        event.instance_id,
        event.start_point,
        event.series,
        state.version,
        event.start_at,
        opens_at,
        until,
        withdraw,
    )


def _registration_opened(state: TourneyState, event: events.RegistrationOpened) -> None:
    state.instances[event.instance_id].status = "registering"
    state.timers.pop(open_timer(event.instance_id), None)


def _entry_made(state: TourneyState, event: events.EntryMade) -> None:
    instance = state.instances[event.instance_id]
    instance.entries[event.player_id] = EntryState(
        event.player_id,
        event.name,
        event.reg_seq,
        event.match,
        event.lobby,
        event.fee,
        event.payment_ref,
        event.rating,
    )
    instance.entered[event.match] = instance.entered.get(event.match, 0) + 1
    instance.next_reg_seq = event.reg_seq + 1
    if event.payment_ref is not None:
        state.payments[event.payment_ref] = (event.instance_id, event.player_id)
    wait_ms = state.point_of(instance).wait_ms
    if instance.start_at is None and wait_ms is not None:
        instance.start_at = event.t + wait_ms
        state.timers[start_timer(event.instance_id)] = instance.start_at


def _entry_taken_back(state: TourneyState, event: events.EntryTakenBack) -> None:
    instance = state.instances[event.instance_id]
    instance.entered[instance.entries.pop(event.player_id).match] -= 1
    if not instance.entries and state.point_of(instance).mode == "when_full":
        instance.start_at = None  # the next one to come is the first player again
        state.timers.pop(start_timer(event.instance_id), None)


def _instance_fired(state: TourneyState, event: events.InstanceFired) -> None:
    instance = state.instances[event.instance_id]
    instance.status = "running"
    for name, players in zip(state.point_of(instance).opens, event.fields, strict=True):
        for player_id in players:
            instance.entries[player_id].match = name
    _drop_timers(state, event.instance_id)


def _instance_cancelled(state: TourneyState, event: events.InstanceCancelled) -> None:
    instance = state.instances[event.instance_id]
    instance.status = "cancelled"
    instance.reason = event.reason
    _drop_timers(state, event.instance_id)


def _instance_closed(state: TourneyState, event: events.InstanceClosed) -> None:
    state.instances[event.instance_id].status = "over"
    _forget(state)


def _match_opened(state: TourneyState, event: events.TourneyMatchOpened) -> None:
    state.matches[event.match_id] = LinkedMatch(
        event.match_id,
        event.name,
        event.series,
        event.instance_id,
        state.instances[event.instance_id].version,
        "running",
        event.players,
    )


def _match_ended(state: TourneyState, event: events.TourneyMatchEnded) -> None:
    match = state.matches[event.match_id]
    match.status = "over"
    match.players += event.late
    match.ranking = event.ranking
    match.disqualified = event.disqualified


def _match_halted(state: TourneyState, event: events.TourneyMatchHalted) -> None:
    _stopped(state, event).status = "halted"
    state.matches[event.match_id].reason = event.reason


def _match_cancelled(state: TourneyState, event: events.TourneyMatchCancelled) -> None:
    _stopped(state, event).status = "cancelled"


def _stopped(state: TourneyState, event: events.TourneyMatchHalted | events.TourneyMatchCancelled) -> LinkedMatch:
    """The match of the event, which may never have been opened."""
    version = state.instances[event.instance_id].version
    fresh = LinkedMatch(event.match_id, event.name, event.series, event.instance_id, version, "halted")
    return state.matches.setdefault(event.match_id, fresh)


def _dues_owed(state: TourneyState, event: events.DuesOwed) -> None:
    for due in event.dues:
        state.dues[due.key] = due


def _due_confirmed(state: TourneyState, event: events.DueConfirmed) -> None:
    state.confirmed[event.key] = state.dues.pop(event.key).source
    _forget(state)


def _drop_timers(state: TourneyState, instance_id: str) -> None:
    state.timers.pop(open_timer(instance_id), None)
    state.timers.pop(start_timer(instance_id), None)


def _forget(state: TourneyState) -> None:
    """Keep the newest instances that are over, and all that still owe something; a state must not grow for years."""
    finished = [instance for instance in state.instances.values() if instance.status in ("over", "cancelled")]
    if len(finished) <= REMEMBERED:
        return
    owing: dict[str, None] = {}
    for due in state.dues.values():
        match = state.matches.get(due.source)
        owing[due.source if match is None else match.series] = None
    for instance in finished[:-REMEMBERED]:
        if instance.series == state.tourney_id or instance.instance_id in owing:
            continue
        del state.instances[instance.instance_id]
        gone = {match.match_id: None for match in state.matches.values() if match.series == instance.series}
        gone[instance.instance_id] = None
        state.matches = {key: match for key, match in state.matches.items() if key not in gone}
        state.confirmed = {key: source for key, source in state.confirmed.items() if source not in gone}
        state.payments = {ref: use for ref, use in state.payments.items() if use[0] != instance.instance_id}
    _forget_versions(state)


def _forget_versions(state: TourneyState) -> None:
    used = {instance.version: None for instance in state.instances.values()}
    used |= {match.version: None for match in state.matches.values()}
    state.versions = {
        number: definition for number, definition in state.versions.items() if number == state.version or number in used
    }


_EVOLVE: dict[type, Callable[[TourneyState, Any], None]] = {
    events.TourneyOpened: _tourney_opened,
    events.TourneyRedefined: _tourney_redefined,
    events.TourneyRetired: _tourney_retired,
    events.InstancePlanned: _instance_planned,
    events.RegistrationOpened: _registration_opened,
    events.EntryMade: _entry_made,
    events.EntryTakenBack: _entry_taken_back,
    events.InstanceFired: _instance_fired,
    events.InstanceCancelled: _instance_cancelled,
    events.InstanceClosed: _instance_closed,
    events.TourneyMatchOpened: _match_opened,
    events.TourneyMatchEnded: _match_ended,
    events.TourneyMatchHalted: _match_halted,
    events.TourneyMatchCancelled: _match_cancelled,
    events.DuesOwed: _dues_owed,
    events.DueConfirmed: _due_confirmed,
}
