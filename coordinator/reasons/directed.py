"""What a director has decided about a player. The state is that before the event."""

from coordinator.engine import boards, events
from coordinator.engine.directing import director_events as ev
from coordinator.engine.stage_rules import by_points
from coordinator.engine.state import Entrant, MatchState
from coordinator.reasons.reason import Reason, Value

SILENT = (ev.BoardRevised, ev.FieldReranked)
"""What follows of a word that is told itself."""


def penalty_given(state: MatchState, event: ev.PenaltyGiven, player_id: str) -> list[Reason]:
    """An input of every place to come: it counts where the stage ranks, and is carried as scores are."""
    if event.player_id != player_id:
        return []
    rules, entrant = state.rules.stages[0] if state.stage is None else state.stage_rules, state.entrants[player_id]
    counts_in = "points" if by_points(rules) else "score"
    before: Value = entrant.points if counts_in == "points" else entrant.score
    inputs: dict[str, Value] = {"penalty": event.points, f"{counts_in}_before": before, "reason": event.reason}
    says = f"a director books {event.points:+d} in the {counts_in} of stage {rules.id}{_why(event.reason)}"
    return [Reason("penalty", event.t, ("R-CA-02", "R-CA-03"), says, inputs)]


def disqualified(state: MatchState, event: ev.PlayerDisqualified, player_id: str) -> list[Reason]:
    """Out, behind everybody who is in; and the others of the table part on its finished hands."""
    entrant = state.entrants.get(player_id)
    if entrant is None:
        return []
    table_id = state.entrants[event.player_id].table_id
    if event.player_id == player_id:
        inputs: dict[str, Value] = {"reason": event.reason, "table_id": table_id, "place": event.place}
        says = f"disqualified by a director{_why(event.reason)}"
        says += "" if event.place is None else f", in the last place that was open, {event.place}"
        return [Reason("out", event.t, ("R-HI-05", "R-RC-02"), says, inputs)]
    if table_id is None or entrant.table_id != table_id:
        return []
    says = f"table {table_id} parts on its finished hands: {state.entrants[event.player_id].name} is disqualified"
    return [Reason("table", event.t, ("R-RC-02",), says, {"table_id": table_id})]


def reinstated(state: MatchState, event: ev.PlayerReinstated, player_id: str) -> list[Reason]:
    """Back, or at least without the word."""
    if event.player_id != player_id:
        return []
    says = f"reinstated by a director{_why(event.reason)}: " + (
        "in again, as if nothing had been"
        if event.back
        else "out all the same, and an ordinary player in the standings"
    )
    return [Reason("back", event.t, ("R-HI-05",), says, {"reason": event.reason, "back": event.back})]


def corrected(state: MatchState, event: ev.HandCorrected, player_id: str) -> list[Reason]:
    """What a hand is worth now."""
    seats = boards.seats_of(state, event.table_id)
    if player_id not in seats:
        return []
    seat = seats.index(player_id)
    new, old = event.scores[seat], event.before[seat] if event.before else None
    inputs: dict[str, Value] = {"table_id": event.table_id, "hand_no": event.hand_no, "score": new, "before": old}
    was = "and did not count before" if old is None else f"and no more {old:+d}"
    says = f"hand {event.hand_no} of table {event.table_id} counts {new:+d} {was}: corrected{_why(event.reason)}"
    return [Reason("table", event.t, ("R-HI-07", "R-SC-01"), says, inputs)]


def round_revised(state: MatchState, event: ev.RoundRevised, player_id: str) -> list[Reason]:
    """What the round of a table comes to after a director's word."""
    seats = boards.seats_of(state, event.table_id)
    if player_id not in seats:
        return []
    seat, parted = seats.index(player_id), state.current.parted[event.table_id]
    inputs: dict[str, Value] = {
        "table_id": event.table_id,
        "place": event.places[seat],
        "place_before": parted.places[seat],
        "points": event.points[seat],
        "points_before": parted.points[seat],
    }
    says = f"place {event.places[seat]} of {len(seats)} at table {event.table_id}, worked out anew"
    found = [Reason("table", event.t, ("R-HI-07",), says, inputs)]
    if player_id in event.back:
        found.append(Reason("back", event.t, ("R-KO-02",), "in again: that place goes on", inputs))
    if player_id in event.out:
        found.append(Reason("out", event.t, ("R-KO-02",), "out: that place does not go on", inputs))
    return found


def seating_taken_back(state: MatchState, event: ev.SeatingTakenBack, player_id: str) -> list[Reason]:
    """Who sat, or sat out, waits for the seating that follows."""
    entrant = state.entrants.get(player_id)
    if entrant is None or entrant.state not in ("playing", "bye"):
        return []
    inputs: dict[str, Value] = {"table_id": entrant.table_id, "reason": event.reason}
    says = f"the seating is taken back before a hand of it has started, and made anew{_why(event.reason)}"
    return [Reason("wait", event.t, ("R-HI-06",), says, inputs)]


def last_of_bout(state: MatchState, event: events.BoutEnded, player_id: str) -> list[Reason]:
    """The place of somebody disqualified."""
    place = event.out_places[event.out.index(player_id)]
    inputs: dict[str, Value] = {"place": place, "bout_no": event.bout_no, "stay": len(event.ranking)}
    inputs["reason"] = state.disqualified[player_id].reason
    says = f"place {place}: disqualified, so behind everybody who was in"
    return [Reason("place", event.t, ("R-HI-05",), says, inputs)]


def booked(entrant: Entrant) -> dict[str, Value]:
    """The penalties that a place rests on."""
    return {"penalty": entrant.penalty} if entrant.penalty else {}


def _why(reason: str) -> str:
    return f" ({reason})" if reason else ""
