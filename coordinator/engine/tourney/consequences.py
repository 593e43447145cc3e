"""What must follow from an event of a tourney that has just been applied. Pure: it reads the state and answers.

Implements R-HI-01.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from coordinator.engine.carry import stage_carry
from coordinator.engine.dues import Due, awards
from coordinator.engine.tourney import events, field, naming
from coordinator.engine.tourney.decisions import planned, start_with
from coordinator.engine.tourney.definition import Link, StartPoint, TourneyDefinition
from coordinator.engine.tourney.state import Instance, LinkedMatch, TourneyState

Events = tuple[events.TourneyEvent, ...]


def follow(state: TourneyState, event: events.TourneyEvent) -> Events:
    """The events that must come next, in order; empty when nothing follows."""
    rule = _FOLLOW.get(type(event))
    return rule(state, event) if rule is not None else ()


def _defined(state: TourneyState, event: events.TourneyOpened | events.TourneyRedefined) -> Events:
    """A start point that waits for players always has an instance that takes them (R-HI-02)."""
    waiting = {each.start_point for each in state.instances.values() if each.status == "registering"}
    points = [point for point in state.definition.start_points if point.mode == "when_full"]
    return tuple(_next_to_fill(state, point, event.t) for point in points if point.id not in waiting)


def _next_to_fill(state: TourneyState, point: StartPoint, t: int) -> events.InstancePlanned:
    return planned(state, point, t, str(state.filled.get(point.id, 0) + 1), None)


def _instance_planned(state: TourneyState, event: events.InstancePlanned) -> Events:
    instance = state.instances[event.instance_id]
    if instance.opens_at > event.t or field.fed(state.rules_of(instance), state.point_of(instance)):
        return ()
    return (events.RegistrationOpened(event.t, event.instance_id),)


def _entry_made(state: TourneyState, event: events.EntryMade) -> Events:
    """R-HI-02: the player who fills an instance starts it."""
    instance = state.instances[event.instance_id]
    point = state.point_of(instance)
    if point.mode != "when_full" or len(instance.entries) != point.full_count:
        return ()
    return start_with(state, instance, event.t, ())


def _instance_fired(state: TourneyState, event: events.InstanceFired) -> Events:
    """The matches of a start point open, each with its players; whoever comes after them fills the next instance."""
    instance = state.instances[event.instance_id]
    definition = state.rules_of(instance)
    opened: list[events.TourneyEvent] = []
    for name, players in zip(state.point_of(instance).opens, event.fields, strict=True):
        if definition.feeding(name):
            continue
        match_id = naming.match_id(definition, instance.series, name)
        if not players:
            opened.append(events.TourneyMatchCancelled(event.t, match_id, name, instance.series, instance.instance_id))
            continue
        entries = [instance.entries[player_id] for player_id in players]
        entrants = tuple([events.FieldPlayer(each.player_id, each.name, each.lobby) for each in entries])
        opened.append(
            events.TourneyMatchOpened(event.t, match_id, name, instance.series, instance.instance_id, entrants)
        )
    return (*opened, *_more_to_fill(state, instance, event.t), *_fed_matches(state, instance, event.t))


def _more_to_fill(state: TourneyState, instance: Instance, t: int) -> Events:
    """The next instance of a start point that waits for players."""
    if state.status != "open":
        return ()
    point = state.definition.start_point(instance.start_point)
    if point is None or point.mode != "when_full":
        return ()
    return (_next_to_fill(state, point, t),)


def _instance_cancelled(state: TourneyState, event: events.InstanceCancelled) -> Events:
    """What the start point would have opened is off; what waits for it goes on without, or is off as well."""
    instance = state.instances[event.instance_id]
    definition = state.rules_of(instance)
    off: list[events.TourneyEvent] = []
    for name in _expected(state, instance):
        match_id = naming.match_id(definition, instance.series, name)
        known = state.matches.get(match_id)
        opens_here = name in state.point_of(instance).opens
        if (known is None and opens_here) or (known is not None and known.status == "halted"):
            off.append(events.TourneyMatchCancelled(event.t, match_id, name, instance.series, instance.instance_id))
    return (*off, *_more_to_fill(state, instance, event.t))


def _match_ended(state: TourneyState, event: events.TourneyMatchEnded) -> Events:
    """R-HI-03: the places win what they win, and R-HI-01: the best go on."""
    match = state.matches[event.match_id]
    won = _awards(state, match)
    owed = (events.DuesOwed(event.t, won),) if won else ()
    return (*owed, *_after(state, match, event.t))


def _match_cancelled(state: TourneyState, event: events.TourneyMatchCancelled) -> Events:
    return _after(state, state.matches[event.match_id], event.t)


def _awards(state: TourneyState, match: LinkedMatch) -> tuple[Due, ...]:
    lobbies = {player.player_id: player.lobby for player in match.players}
    ranking = [player_id for player_id, _ in match.ranking]
    prizes = state.rules_of(match).match(match.name).prizes
    return awards(
        match.match_id,
        prizes,
        ranking,
        lambda player_id: lobbies.get(player_id, ""),
        without=match.disqualified,
    )


def _after(state: TourneyState, match: LinkedMatch, t: int) -> Events:
    """A match is over or off: the matches that waited for it open, or the instances it belongs to are over."""
    more = _fed_matches(state, state.instances[match.instance_id], t)
    if more:
        return more
    closed = []
    for instance in state.instances.values():
        if instance.series != match.series or instance.status != "running":
            continue
        definition = state.rules_of(instance)
        expected = [naming.match_id(definition, match.series, name) for name in _expected(state, instance)]
        if all(_final(state.matches.get(match_id)) for match_id in expected):
            closed.append(events.InstanceClosed(t, instance.instance_id))
    return tuple(closed)


def _fed_matches(state: TourneyState, instance: Instance, t: int) -> Events:
    """R-HI-01: the matches all of whose feeding matches are over, and whose hour has come if they have one."""
    definition, series = state.rules_of(instance), instance.series
    found: list[events.TourneyEvent] = []
    for match in definition.matches:
        match_id = naming.match_id(definition, series, match.id)
        links = _links_here(state, instance, match.id)
        if not links or match_id in state.matches or not _hour_has_come(state, definition, series, match.id):
            continue
        names = [naming.match_id(definition, series, link.from_match) for link in links]
        feeders = [state.matches[name] for name in names if _final(state.matches.get(name))]
        if len(feeders) < len(links):
            continue
        found.append(_fed_match(definition, instance, match.id, links, feeders, t))
    return tuple(found)


def _fed_match(
    definition: TourneyDefinition,
    instance: Instance,
    name: str,
    links: tuple[Link, ...],
    feeders: list[LinkedMatch],
    t: int,
) -> events.TourneyEvent:
    match_id, series = naming.match_id(definition, instance.series, name), instance.series
    if all(feeder.status == "cancelled" for feeder in feeders):
        return events.TourneyMatchCancelled(t, match_id, name, series, instance.instance_id)
    players = _going_on(links, feeders)
    if not field.playable(definition.match(name), len(players)):
        reason = f"{len(players)} players came through its links, and it cannot be played with so many"
        return events.TourneyMatchHalted(t, match_id, name, series, instance.instance_id, reason)
    return events.TourneyMatchOpened(t, match_id, name, series, instance.instance_id, players)


def _going_on(links: tuple[Link, ...], feeders: list[LinkedMatch]) -> tuple[events.FieldPlayer, ...]:
    """R-HI-01, R-CA-03: all firsts in the order of the links, then all seconds, and so on; nobody twice."""
    rows: list[list[events.FieldPlayer]] = []
    for link, feeder in zip(links, feeders, strict=True):
        known = {player.player_id: player for player in feeder.players}
        placed = [row for row in feeder.ranking if row[0] not in feeder.disqualified]
        top: list[tuple[str, int | Fraction]] = placed[: link.n]
        rule = link.carry
        scores = [score for _, score in top]
        carried = stage_carry(
            scores, rule.mode, divisor=rule.divisor, coef=rule.coef, cap=rule.cap, base=rule.base or None
        )
        rows.append(
            [
                events.FieldPlayer(
                    player_id,
                    known[player_id].name if player_id in known else player_id,
                    known[player_id].lobby if player_id in known else "",
                    score,
                )
                for (player_id, _), score in zip(top, carried, strict=True)
            ]
        )
    going: dict[str, events.FieldPlayer] = {}
    for place in range(max(len(row) for row in rows)):
        for row in rows:
            if place < len(row):
                going.setdefault(row[place].player_id, row[place])
    return tuple(going.values())


def _expected(state: TourneyState, instance: Instance) -> tuple[str, ...]:
    """The matches that belong to an instance: those it opens, and those its players can reach."""
    return state.rules_of(instance).reached(state.point_of(instance).opens)


def _links_here(state: TourneyState, instance: Instance, name: str) -> tuple[Link, ...]:
    """The links into a match that count in the series of an instance: of a start point that comes again its own."""
    definition = state.rules_of(instance)
    if instance.series == definition.id:
        return definition.feeding(name)
    own = _expected(state, instance)
    return tuple(link for link in definition.feeding(name) if link.from_match in own)


def _hour_has_come(state: TourneyState, definition: TourneyDefinition, series: str, name: str) -> bool:
    """Whether nothing but its feeding matches holds a match up: a start point of its own must have fired."""
    points = [point.id for point in definition.start_points if name in point.opens]
    if not points:
        return True
    fired = [each.start_point for each in state.instances.values() if each.series == series and _begun(each)]
    return any(point in fired for point in points)


def _begun(instance: Instance) -> bool:
    return instance.status in ("running", "over")


def _final(match: LinkedMatch | None) -> bool:
    return match is not None and match.status in ("over", "cancelled")


_FOLLOW: dict[type, Callable[[TourneyState, Any], Events]] = {
    events.TourneyOpened: _defined,
    events.TourneyRedefined: _defined,
    events.InstancePlanned: _instance_planned,
    events.EntryMade: _entry_made,
    events.InstanceFired: _instance_fired,
    events.InstanceCancelled: _instance_cancelled,
    events.TourneyMatchEnded: _match_ended,
    events.TourneyMatchCancelled: _match_cancelled,
}
