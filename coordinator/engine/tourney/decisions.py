"""What becomes of each command to a tourney: events, or a refusal that names the field and changes nothing."""

from collections.abc import Callable, Iterable
from typing import Any

from coordinator.engine.dues import Due
from coordinator.engine.refusal import Refused
from coordinator.engine.tourney import commands, events, field, naming
from coordinator.engine.tourney.check import tourney_mistakes
from coordinator.engine.tourney.definition import Entry, StartPoint, TourneyDefinition
from coordinator.engine.tourney.state import EntryState, Instance, TourneyState

Decision = tuple[events.TourneyEvent, ...] | Refused


def decide(state: TourneyState, command: commands.TourneyCommand) -> Decision:
    """Answer a command with the events it leads to at first, or refuse it. The state stays as it is."""
    if state.status == "new" and type(command) is not commands.OpenTourney:
        return Refused("unknown_tourney", "no such tourney is open", field="tourney_id")
    return _DECIDE[type(command)](state, command)


def _open_tourney(state: TourneyState, command: commands.OpenTourney) -> Decision:
    if state.status != "new":
        return ()
    return _checked(command.definition) or (
        events.TourneyOpened(command.t, command.definition, command.seed, command.secret),
    )


def _redefine_tourney(state: TourneyState, command: commands.RedefineTourney) -> Decision:
    if state.status == "open" and command.definition == state.definition:
        return ()
    return _checked(command.definition) or (events.TourneyRedefined(command.t, command.definition),)


def _checked(definition: TourneyDefinition) -> Refused | None:
    wrong = tourney_mistakes(definition)
    if not wrong:
        return None
    return Refused("definition_refused", wrong[0].message, field=wrong[0].path, expected=wrong[0].expected)


def _retire_tourney(state: TourneyState, command: commands.RetireTourney) -> Decision:
    return () if state.status == "retired" else (events.TourneyRetired(command.t),)


def _plan_start(state: TourneyState, command: commands.PlanStart) -> Decision:
    """R-HI-02: the calendar says when a start point fires next. Said again, or of another definition, it is nothing."""
    if state.status != "open":
        return ()
    point = state.definition.start_point(command.start_point)
    if point is None or point.mode != "at_time":
        return ()
    latest = state.planned.get(point.id)
    if latest is not None and (point.once or command.start_at <= latest):
        return ()
    if point.once and any(naming.match_id(state.definition, state.tourney_id, n) in state.matches for n in point.opens):
        return ()  # it was played under another name of its start point
    return (planned(state, point, command.t, command.label, command.start_at),)


def planned(state: TourneyState, point: StartPoint, t: int, label: str, start_at: int | None) -> events.InstancePlanned:
    """The next instance of a start point under the definition that holds now."""
    definition = state.definition
    instance_id = plain = naming.instance_id(definition, point, label)
    again = 1
    while instance_id in state.instances:  # a new definition starts once more on the same day
        again += 1
        instance_id = f"{plain}-{again}"
    series = naming.series_of(definition, point, instance_id)
    return events.InstancePlanned(t, instance_id, point.id, series, start_at)


def _enter_player(state: TourneyState, command: commands.EnterPlayer) -> Decision:
    """R-HI-02, R-HI-03: register a player. Asked twice, the first entry stands."""
    instance = instance_at(state, command.at, command.player_id, command.t)
    if isinstance(instance, Refused):
        return instance
    known = instance.entries.get(command.player_id)
    if known is not None:
        if command.payment_ref in (None, known.payment_ref) or not known.fee:
            return ()
        return Refused(
            "wrong_match_words", "the fee is paid already", "payment_ref", "the payment that was named first"
        )
    definition, point = state.rules_of(instance), state.point_of(instance)
    refused = _not_now(definition, point, instance, command.t)
    if refused is not None:
        return refused
    if point.full_count is not None and len(instance.entries) >= point.full_count:
        return Refused("match_full", f"all {point.full_count} places are taken", "instance_id")
    match = field.match_for(state, instance, command)
    if isinstance(match, Refused):
        return match
    payment = command.payment_ref if match.entry.fee else None
    if payment is not None and payment in state.payments:
        return Refused("payment_used", "this payment was used before", "payment_ref", "a payment of its own")
    return (
        events.EntryMade(
            command.t,
            instance.instance_id,
            command.player_id,
            command.name,
            instance.next_reg_seq,
            match.id,
            command.lobby,
            match.entry.fee,
            payment,
            command.rating,
        ),
    )


def _not_now(definition: TourneyDefinition, point: StartPoint, instance: Instance, t: int) -> Refused | None:
    """Whether registration for an instance is closed: its end belongs to what comes after it."""
    if field.fed(definition, point):
        return Refused("join_forbidden", "players come here through links alone", "instance_id")
    if instance.status == "planned":
        return Refused("registration_not_open", "registration is not open yet", "instance_id")
    if instance.status != "registering" or (instance.register_until is not None and t >= instance.register_until):
        return Refused("match_closed", "registration is closed", "instance_id", "an instance that registers")
    return None


def instance_at(state: TourneyState, at: str, player_id: str, t: int) -> Instance | Refused:
    """The instance of this name; of a start point the one that has the player already, or the next that takes players.

    So a request that is made again, after the answer was lost and the start has passed, enters nobody twice.
    """
    exact = state.instances.get(at)
    if exact is not None:
        return exact
    tourney_id, points = state.tourney_id, state.definition.start_points
    names = {f"{tourney_id}.{point.id}": point.id for point in points}
    if len(points) == 1:
        names[tourney_id] = points[0].id
    if at not in names:
        return Refused("unknown_instance", f"there is no start {at!r}", "instance_id", f"one of: {', '.join(names)}")
    found = [instance for instance in state.instances.values() if instance.start_point == names[at]]
    for instance in found:
        if player_id in instance.entries and instance.status in ("registering", "running"):
            return instance
    for instance in found:
        if instance.status == "registering" and (instance.register_until is None or t < instance.register_until):
            return instance
    planned_next = next((instance for instance in found if instance.status == "planned"), None)
    if planned_next is not None and field.fed(state.rules_of(planned_next), state.point_of(planned_next)):
        return planned_next  # nobody ever registers there, which says more than that it is too early
    if planned_next is not None:
        return Refused("registration_not_open", "registration is not open yet", "instance_id")
    return Refused("match_closed", "nothing of this start point takes players now", "instance_id")


def _withdraw_entry(state: TourneyState, command: commands.WithdrawEntry) -> Decision:
    instance = state.instances.get(command.instance_id)
    if instance is None:
        return _unknown_instance(command.instance_id)
    entry = instance.entries.get(command.player_id)
    if entry is None:
        return Refused("unknown_player", f"{command.player_id!r} is not registered", field="player_id")
    until = instance.withdraw_until
    if instance.status != "registering" or (until is not None and command.t >= until):
        return Refused("leave_forbidden", "the time to withdraw is over", "instance_id", "a withdrawal in time")
    return _taken_back(state, instance, [entry], "asked", command.t)


def _cancel_instance(state: TourneyState, command: commands.CancelInstance) -> Decision:
    """What has not begun, or stands still, may be called off; all fees go back."""
    instance = state.instances.get(command.instance_id)
    if instance is None:
        return _unknown_instance(command.instance_id)
    if instance.status in ("over", "cancelled"):
        return Refused("match_closed", f"the instance is {instance.status}", "instance_id", "one that is not over")
    live = [match for match in state.matches.values() if match.instance_id == instance.instance_id]
    if instance.status == "running" and any(match.status == "running" for match in live):
        return Refused("already_started", "its matches run", "instance_id", "an instance that has not begun")
    return _cancelled(state, instance, "by_operator", command.t)


def _fire_start_timer(state: TourneyState, command: commands.FireStartTimer) -> Decision:
    due = state.timers.get(command.timer_id)
    if due is None or due > command.t:
        return Refused("not_due", f"timer {command.timer_id!r} is not due", field="timer_id")
    kind, _, instance_id = command.timer_id.partition("/")
    instance = state.instances[instance_id]
    if kind == "open":
        return (events.RegistrationOpened(command.t, instance_id),)
    return _start(state, instance, command.t, command.busy)


def _start(state: TourneyState, instance: Instance, t: int, busy: tuple[str, ...]) -> Decision:
    """R-HI-02: the moment of a start point. With too few players it is called off and the fees go back."""
    definition, point = state.rules_of(instance), state.point_of(instance)
    assert instance.start_at is not None, "a start timer has an instant"
    if t - instance.start_at > point.late_ms:
        return _cancelled(state, instance, "late", t)
    if field.fed(definition, point):
        return (events.InstanceFired(t, instance.instance_id, ((),) * len(point.opens)),)
    elsewhere = [
        entry
        for entry in instance.entries.values()
        if entry.player_id in busy and definition.match(entry.match).entry.not_playing
    ]
    return start_with(state, instance, t, elsewhere)


def start_with(
    state: TourneyState, instance: Instance, t: int, elsewhere: Iterable[EntryState]
) -> tuple[events.TourneyEvent, ...]:
    """Start with everybody but those who are ``elsewhere``; a match that too few are left for is called off alone."""
    definition, point = state.rules_of(instance), state.point_of(instance)
    gone = {entry.player_id: entry for entry in elsewhere}
    there = [entry for entry in instance.entries.values() if entry.player_id not in gone]
    fields = field.dealt(definition, point, there)
    whole = [
        players if field.playable(definition.match(name), len(players)) else ()
        for name, players in zip(point.opens, fields, strict=True)
    ]
    first = _taken_back(state, instance, gone.values(), "playing", t)
    if len(there) < point.min_players or not any(whole):
        rest = _cancelled(state, instance, "too_few", t, without=gone)
        return first + rest
    playing = {player_id for players in whole for player_id in players}
    left_over = [entry for entry in there if entry.player_id not in playing]
    fired = events.InstanceFired(t, instance.instance_id, tuple(whole))
    return (*first, *_taken_back(state, instance, left_over, "too_few", t), fired)


def _taken_back(
    state: TourneyState, instance: Instance, entries: Iterable[EntryState], reason: Any, t: int
) -> tuple[events.TourneyEvent, ...]:
    gone = list(entries)
    back = [events.EntryTakenBack(t, instance.instance_id, entry.player_id, reason) for entry in gone]
    return (*back, *_refunds(state, instance, gone, reason, t))


def _cancelled(
    state: TourneyState,
    instance: Instance,
    reason: events.CancelReason,
    t: int,
    without: dict[str, EntryState] | None = None,
) -> tuple[events.TourneyEvent, ...]:
    left = [entry for entry in instance.entries.values() if entry.player_id not in (without or {})]
    cancelled = events.InstanceCancelled(t, instance.instance_id, reason)
    return (cancelled, *_refunds(state, instance, left, reason, t))


def _refunds(
    state: TourneyState, instance: Instance, entries: Iterable[EntryState], reason: str, t: int
) -> tuple[events.TourneyEvent, ...]:
    """The fees of these players as they were paid, each under a key of its own."""
    definition = state.rules_of(instance)
    owed = []
    for entry in entries:
        if entry.fee:
            rule: Entry = definition.match(entry.match).entry
            owed.append(
                Due(
                    key=f"{instance.instance_id}/refund/{entry.reg_seq}",
                    kind="refund",
                    lobby=entry.lobby,
                    source=instance.instance_id,
                    player_id=entry.player_id,
                    fee_kind=rule.fee_kind,
                    item_id=rule.item_id,
                    amount=entry.fee,
                    payment_ref=entry.payment_ref,
                    reason=reason,
                )
            )
    return (events.DuesOwed(t, tuple(owed)),) if owed else ()


def _end_tourney_match(state: TourneyState, command: commands.EndTourneyMatch) -> Decision:
    match = state.matches.get(command.match_id)
    if match is None:
        return Refused("unknown_match", f"no match {command.match_id!r} of this tourney", field="match_id")
    if match.status in ("over", "cancelled"):
        return ()
    told = (command.t, command.match_id, command.ranking, command.late, command.disqualified)
    return (events.TourneyMatchEnded(*told),)


def _halt_tourney_match(state: TourneyState, command: commands.HaltTourneyMatch) -> Decision:
    match = state.matches.get(command.match_id)
    if match is None:
        return Refused("unknown_match", f"no match {command.match_id!r} of this tourney", field="match_id")
    if match.status != "running":
        return ()
    return (
        events.TourneyMatchHalted(
            command.t, match.match_id, match.name, match.series, match.instance_id, command.reason
        ),
    )


def _confirm_due(state: TourneyState, command: commands.ConfirmDue) -> Decision:
    """A lobby confirms; said again it changes nothing."""
    if command.key in state.confirmed:
        return ()
    if command.key not in state.dues:
        return Refused("unknown_due", f"nothing is owed under {command.key!r}", "key", "the key of an award or refund")
    return (events.DueConfirmed(command.t, command.key),)


def _unknown_instance(instance_id: str) -> Refused:
    return Refused("unknown_instance", f"there is no instance {instance_id!r}", "instance_id")


_DECIDE: dict[type, Callable[[TourneyState, Any], Decision]] = {
    commands.OpenTourney: _open_tourney,
    commands.RedefineTourney: _redefine_tourney,
    commands.RetireTourney: _retire_tourney,
    commands.PlanStart: _plan_start,
    commands.EnterPlayer: _enter_player,
    commands.WithdrawEntry: _withdraw_entry,
    commands.CancelInstance: _cancel_instance,
    commands.FireStartTimer: _fire_start_timer,
    commands.EndTourneyMatch: _end_tourney_match,
    commands.HaltTourneyMatch: _halt_tourney_match,
    commands.ConfirmDue: _confirm_due,
}
