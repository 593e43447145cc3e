"""Why a player is in, with which score, comes back or goes. The state is that before the event."""

from coordinator.engine import carry, events
from coordinator.engine.definition import Stage
from coordinator.engine.numbers import Number
from coordinator.engine.stage_rules import scored_quantity
from coordinator.engine.state import MatchState
from coordinator.reasons.endings import below_the_line
from coordinator.reasons.ranked import standing
from coordinator.reasons.reason import Reason, Rival, Value


def registered(state: MatchState, event: events.PlayerRegistered, player_id: str) -> list[Reason]:
    """R-HI-02."""
    if event.player_id != player_id:
        return []
    says = f"registered with number {event.reg_seq}, which decides where nothing else does"
    return [Reason("entry", 0, ("R-HI-02", "R-TB-02"), says, {"registration": event.reg_seq})]


def withdrawn(state: MatchState, event: events.PlayerWithdrawn, player_id: str) -> list[Reason]:
    """R-HI-02: before the start anybody may."""
    if event.player_id != player_id:
        return []
    return [Reason("left", 0, ("R-HI-02",), "withdrew before the start")]


def stage_opened(state: MatchState, event: events.StageOpened, player_id: str) -> list[Reason]:
    """What a player starts a stage with: the initial score, and what is carried in (R-CA-03, R-CA-04)."""
    if player_id not in event.players:
        return []
    rules = state.rules.stages[event.stage_no]
    score = event.scores[event.players.index(player_id)]
    initial = rules.initial_player_state.score
    inputs: dict[str, Value] = {"stage": rules.id, "score": score, "initial_score": initial}
    if state.stage is None or player_id not in state.current.ranking:
        says = f"begins stage {rules.id} with {score}, as everybody who is new to it"
        return [Reason("carry", event.t, ("R-ST-01",), says, inputs)]
    before, ended = state.stage_rules, state.current
    rule, goes_on = before.carry_out, ended.ranking[: ended.advancing]
    quantities = {other: scored_quantity(before, state.entrants[other]) for other in goes_on}
    own, best = quantities[player_id], max(goes_on, key=lambda other: quantities[other])
    uncapped = _carried(before, list(quantities.values()), None)[goes_on.index(player_id)]
    inputs |= {
        "from_stage": before.id,
        "brought": own,
        "mode": rule.mode,
        "carried": score - initial,
        "best_brought": quantities[best],
    }
    says = f"begins stage {rules.id} with {score}: {initial} and {score - initial} carried from {own} in {before.id}"
    says += f" ({_formula(before)})"
    if rule.cap is not None:
        inputs |= {"cap": rule.cap, "uncapped": uncapped}
        if uncapped != score - initial:
            says += f", scaled down from {uncapped} so that the best carries {rule.cap}"
    compared: tuple[Rival, ...] = ()
    if best != player_id:
        values = standing(state, [state.entrants[player_id], state.entrants[best]])
        compared = (values.rival(state, player_id, best, goes_on.index(player_id) < goes_on.index(best)),)
    rules_of = ("R-CA-03", "R-CA-04") if rule.cap is not None else ("R-CA-03",)
    return [Reason("carry", event.t, rules_of, says, inputs, compared)]


def _carried(stage: Stage, quantities: list[Number], cap: int | None) -> list[int]:
    rule = stage.carry_out
    return carry.stage_carry(quantities, rule.mode, divisor=rule.divisor, coef=rule.coef, cap=cap, base=rule.base)


def _formula(stage: Stage) -> str:
    rule = stage.carry_out
    return {
        "none": "nothing is carried",
        "divide": f"divided by {rule.divisor}",
        "full": "all of it",
        "sqrt": f"square root times {rule.coef}",
        "sqrt_median": f"square root, scaled so that the median carries {rule.base}",
    }[rule.mode]


def late_entered(state: MatchState, event: events.LateEntered, player_id: str) -> list[Reason]:
    """R-DM-11."""
    if event.player_id != player_id:
        return []
    says = f"came late and plays from bout {event.from_bout} on; the bouts before count as absent"
    return [Reason("entry", event.t, ("R-DM-11",), says, {"from_bout": event.from_bout, "registration": event.reg_seq})]


def admitted(state: MatchState, event: events.EntrantAdmitted, player_id: str) -> list[Reason]:
    """R-CS-01."""
    if event.player_id != player_id:
        return []
    inputs: dict[str, Value] = {"score": event.score, "bout_no": state.current.bout_no}
    return [Reason("wait", event.t, ("R-CS-01",), "came in and plays from the next bout on", inputs)]


def joined(state: MatchState, event: events.PlayerJoined, player_id: str) -> list[Reason]:
    """R-IS-02."""
    if event.player_id != player_id:
        return []
    inputs: dict[str, Value] = {"score": event.score, "stage": state.stage_rules.id}
    if event.next_stage:
        says = "came after the end of the island and waits for the next stage"
        return [Reason("wait", event.t, ("R-IS-02",), says, inputs)]
    kept = state.current.gone.get(player_id)
    says = f"joins with {event.score}" + (", as a newcomer" if kept is None else f", having left with {kept}")
    return [Reason("entry", event.t, ("R-IS-02",), says, inputs)]


def left(state: MatchState, event: events.PlayersLeft, player_id: str) -> list[Reason]:
    """R-IS-03, R-IS-05."""
    if player_id not in event.players:
        return []
    at = event.players.index(player_id)
    rested = event.reason == "rest_over"
    inputs: dict[str, Value] = {"score": event.scores[at], "units": event.units[at], "reason": event.reason}
    says = "left since the rest was over" if rested else "left as asked"
    says += f" with {event.scores[at]}, worth {event.units[at]}"
    return [Reason("left", event.t, ("R-IS-05", "R-IS-03") if rested else ("R-IS-03",), says, inputs)]


def entrants_left(state: MatchState, event: events.EntrantsLeft, player_id: str) -> list[Reason]:
    """R-CS-01."""
    if player_id not in event.players:
        return []
    return [Reason("left", event.t, ("R-CS-01",), "left between two bouts; what was played stands")]


def retired(state: MatchState, event: events.PlayerRetired, player_id: str) -> list[Reason]:
    """R-DM-11."""
    if event.player_id != player_id:
        return []
    return [Reason("left", event.t, ("R-DM-11", "R-DM-05"), "left for good and stays ranked")]


def rests_ended(state: MatchState, event: events.RestsEnded, player_id: str) -> list[Reason]:
    """R-IS-05."""
    if player_id not in event.players:
        return []
    inputs: dict[str, Value] = {"waiting": len(state.current.pool)}
    return [Reason("wait", event.t, ("R-IS-05", "R-ME-04"), "rests no longer and waits for the next shuttle", inputs)]


def orphaned(state: MatchState, event: events.TablesOrphaned, player_id: str) -> list[Reason]:
    """R-RC-02."""
    table_id = state.entrants[player_id].table_id if player_id in state.entrants else None
    if table_id is None or table_id not in event.table_ids:
        return []
    table = state.tables[table_id]
    inputs: dict[str, Value] = {"table_id": table_id, "server_id": event.server_id, "reason": event.reason}
    says = f"waits: table {table_id} lost its table server"
    if table.in_hand or table.interrupted:
        says += f", and hand {table.hand_no} will be repeated with the same cards and the same course"
    return [Reason("wait", event.t, ("R-RC-02",), says, inputs)]


def paused(state: MatchState, event: events.MatchPaused, player_id: str) -> list[Reason]:
    """R-ME-03: the clock of the match stands still for everybody who is in."""
    entrant = state.entrants.get(player_id)
    if entrant is None or entrant.state in ("out", "left", "done"):
        return []
    says = f"waits with everybody: the match clock stands still ({event.reason}), and nobody loses time"
    return [Reason("wait", event.t, ("R-ME-03",), says, {"reason": event.reason})]


def drain_started(state: MatchState, event: events.DrainStarted, player_id: str) -> list[Reason]:
    """R-ME-05, R-IS-04."""
    if player_id not in state.current.pool:
        return []
    rules = state.stage_rules
    inputs: dict[str, Value] = {"left": len(state.current.active), "remaining_below": rules.end.remaining_below}
    why = f"{len(state.current.active)} are left" if event.reason == "remaining" else "its time is up"
    says = f"waits for the end of the stage: {why}, no new table is formed and running hands count"
    return [Reason("wait", event.t, ("R-IS-04",) if rules.island is not None else ("R-ME-05",), says, inputs)]


def time_up(state: MatchState, event: events.BoutTimeUp, player_id: str) -> list[Reason]:
    """R-CS-01: nothing changes for a player but that no board starts any more."""
    entrant = state.entrants.get(player_id)
    if entrant is None or entrant.table_id is None:
        return []
    says = f"no board starts any more at table {entrant.table_id}: the time of bout {event.bout_no} is up"
    return [Reason("wait", event.t, ("R-CS-01",), says, {"bout_no": event.bout_no})]


def voided(state: MatchState, event: events.BoardsVoided, player_id: str) -> list[Reason]:
    """R-CS-01."""
    table_id = state.entrants[player_id].table_id if player_id in state.entrants else None
    if table_id is None or table_id not in event.table_ids:
        return []
    says = f"the board in play at table {table_id} is void: its grace was over"
    return [Reason("table", event.t, ("R-CS-01",), says, {"table_id": table_id})]


def offered(state: MatchState, event: events.RevivalOffered, player_id: str) -> list[Reason]:
    """R-RV-01: out, but may come back."""
    if event.player_id != player_id:
        return []
    rule, entrant = state.stage_rules.revival, state.entrants[player_id]
    assert rule is not None, "an offer is made where the stage has revival"
    said, inputs = below_the_line(state, player_id)
    inputs |= {
        "mode": rule.mode,
        "fee": event.fee,
        "revivals_had": entrant.revivals,
        "entrants": state.current.entrants,
        "remaining": event.remaining,
        "due": event.due,
    }
    by_mode = {"list": "R-RV-02", "linear": "R-RV-03", "exponential": "R-RV-04", "direct": "R-RV-05"}
    price = "one of its packs" if event.packs else str(event.fee)
    says = f"out unless revived for {price}: {said}"
    return [Reason("offer", event.t, ("R-ME-02", "R-RV-01", by_mode[rule.mode], "R-RV-06"), says, inputs)]


def revived(state: MatchState, event: events.PlayerRevived, player_id: str) -> list[Reason]:
    """R-RV-01."""
    if event.player_id != player_id:
        return []
    inputs: dict[str, Value] = {"fee": event.fee, "score": event.score, "payment_ref": event.payment_ref}
    says = f"back with {event.score}: the fee of {event.fee} was paid in time"
    return [Reason("back", event.t, ("R-RV-01",), says, inputs)]


def revivals_closed(state: MatchState, event: events.RevivalsClosed, player_id: str) -> list[Reason]:
    """R-RV-01: an elimination is final."""
    if player_id not in event.players:
        return []
    at = event.players.index(player_id)
    place = event.places[at]
    why = {
        "declined": "the offer was declined",
        "balance": "the fee could not be paid",
        "timeout": "the offer was not taken in time",
        "end": "the stage ends, which no revival undoes",
        "left": "the player left",
    }[event.reason]
    standing_now = len(state.current.active) + len(state.current.offers)
    inputs: dict[str, Value] = {"reason": event.reason, "place": place, "still_standing": standing_now}
    says = f"out: {why}" if place is None else f"out in place {place}: {why}; {standing_now} were in or could come back"
    return [Reason("out", event.t, ("R-RV-01", "R-ME-05"), says, inputs)]
