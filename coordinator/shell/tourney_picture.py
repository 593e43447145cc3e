"""A tourney as the page and the API see it: read from its state, never stored beside it."""

from coordinator.engine.tourney.state import Instance, LinkedMatch, TourneyState
from coordinator.shell import view
from coordinator.shell.calendar import Calendar, shown
from coordinator.shell.tourney_desk import TourneyDesk

OVER_SHOWN = 20
OWED_SHOWN = 200


def summary(desk: TourneyDesk, calendar: Calendar) -> view.TourneySummary:
    """One tourney with what comes next."""
    state = desk.state
    definition = state.definition
    return {
        "tourney_id": desk.tourney_id,
        "title": definition.title or definition.id,
        "status": "halted" if desk.failure is not None else state.status,
        "time_zone": definition.time_zone,
        "now": shown(calendar.now_ms(), definition.time_zone),
        "instances": [_instance(state, each) for each in state.instances.values() if _to_come(each)],
        "dues": len(state.dues),
    }


def whole(desk: TourneyDesk, calendar: Calendar) -> view.TourneyView:
    """All that is told of a tourney."""
    state = desk.state
    over = [each for each in state.instances.values() if not _to_come(each)]
    return {
        **summary(desk, calendar),
        "description": state.definition.description,
        "over": [_instance(state, each) for each in reversed(over[-OVER_SHOWN:])],
        "matches": [
            {
                "match_id": match.match_id,
                "name": match.name,
                "status": match.status,
                "players": len(match.players),
                "reason": match.reason or _why_cancelled(state, match),
            }
            for match in reversed(state.matches.values())
        ],
        "owed": [
            {
                "key": due.key,
                "kind": due.kind,
                "lobby": due.lobby,
                "player_id": due.player_id,
                "place": due.place,
                "items": dict(due.items) if due.kind == "award" else {due.item_id or "coins": due.amount},
                "reason": due.reason,
            }
            for due in list(state.dues.values())[:OWED_SHOWN]
        ],
    }


def _why_cancelled(state: TourneyState, match: LinkedMatch) -> str:
    """A match that went with its whole instance was called off for the instance's reason."""
    instance = state.instances.get(match.instance_id)
    return instance.reason if instance and match.status == "cancelled" else ""


def _to_come(instance: Instance) -> bool:
    return instance.status in ("planned", "registering", "running")


def _instance(state: TourneyState, instance: Instance) -> view.InstanceView:
    definition = state.rules_of(instance)
    point = state.point_of(instance)
    return {
        "instance_id": instance.instance_id,
        "start_point": instance.start_point,
        "status": instance.status,
        "reason": instance.reason,
        "start_at_ms": instance.start_at,
        "start": None if instance.start_at is None else shown(instance.start_at, definition.time_zone),
        "opens_at_ms": instance.opens_at,
        "register_until_ms": instance.register_until,
        "entered": len(instance.entries),
        "min_players": point.min_players,
        "places": point.full_count,
        "matches": [each.match_id for each in state.matches.values() if each.instance_id == instance.instance_id],
    }
