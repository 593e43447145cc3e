"""How the players of a table part, whatever the timeline: with the places and points of their round (R-HI-07)."""

from coordinator.engine import events
from coordinator.engine.stage_rules import places_at_table, points_at_table
from coordinator.engine.state import MatchState, Table


def parted(state: MatchState, table: Table, t: int, *, settled: bool = False) -> events.RoundEnded:
    """End the round of a table on its finished hands; whoever is disqualified is last there."""
    rules = state.stage_rules
    seated = [state.entrants[player_id] for player_id in table.seats]
    places = places_at_table(state.rules, rules, table, seated)
    if state.disqualified:
        order = sorted(range(len(places)), key=lambda seat: (table.seats[seat] in state.disqualified, places[seat]))
        for place, seat in enumerate(order, start=1):
            places[seat] = place
    points = points_at_table(rules, table, places)
    return events.RoundEnded(t, table.table_id, tuple(places), tuple(points), settled)
