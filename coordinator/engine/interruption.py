"""What happens to a hand that is interrupted: the stage's declared policy for each cause (R-RC-02).

``repeat`` plays the hand again with the same deal, base score and action log; ``redeal`` again with fresh cards;
``resume`` leaves it with its table server, which goes on when it is back; ``void`` counts it as played for nothing;
``average`` does so and gives everybody the average of the board; ``let_stand`` parts the table on its finished hands.
"""

from coordinator.engine import events
from coordinator.engine.definition import Cause, Policy, Stage
from coordinator.engine.events import Events
from coordinator.engine.state import MatchState, Table

CAUSES: tuple[Cause, ...] = ("server_lost", "restart", "outage", "aborted", "seat_gone")


def policy_of(rules: Stage, cause: str) -> Policy:
    """What the stage has declared for this cause; what is no interruption by itself (a drain) repeats."""
    policy: Policy = getattr(rules.interruption, cause) if cause in CAUSES else "repeat"
    return policy


def waits_for_its_server(rules: Stage, table: Table, cause: str) -> bool:
    """Whether the hand in play at this table is left with the server that is away."""
    return table.in_hand and policy_of(rules, cause) == "resume"


def settled_at_once(state: MatchState, event: events.TablesOrphaned) -> Events:
    """The hands among the interrupted ones that are not simply repeated, and what becomes of them."""
    policy = policy_of(state.stage_rules, event.reason)
    interrupted = tuple(table_id for table_id in event.table_ids if state.tables[table_id].interrupted)
    if not interrupted or policy == "repeat" or policy == "resume":
        return ()
    if policy == "redeal":
        return (events.HandsRedealt(event.t, interrupted),)
    return tuple(events.HandVoided(event.t, table_id, policy) for table_id in interrupted)
