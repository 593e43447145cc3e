"""What happens to a hand that is interrupted: the stage's declared policy for each cause (R-RC-02).

``repeat`` plays the hand again with the same deal, base score and action log; ``redeal`` again with fresh cards;
``resume`` leaves it with its table server, which goes on when it is back; ``void`` counts it as played for nothing;
``average`` does so and gives everybody the average of the board; ``let_stand`` parts the table on its finished hands.
"""

from collections.abc import Iterator

from coordinator.engine import events
from coordinator.engine.check_parts import not_here
from coordinator.engine.definition import Cause, Interruption, Policy, Stage
from coordinator.engine.mistake import Mistake
from coordinator.engine.state import MatchState, Table

CAUSES: tuple[Cause, ...] = ("server_lost", "restart", "outage", "aborted", "seat_gone")


def policy_of(rules: Stage, cause: str) -> Policy:
    """What the stage has declared for this cause; what is no interruption by itself (a drain) repeats."""
    policy: Policy = getattr(rules.interruption, cause) if cause in CAUSES else "repeat"
    return policy


def waits_for_its_server(rules: Stage, table: Table, cause: str) -> bool:
    """Whether the hand in play at this table is left with the server that is away."""
    return table.in_hand and policy_of(rules, cause) == "resume"


def settled_at_once(state: MatchState, event: events.TablesOrphaned) -> tuple[events.Event, ...]:
    """The hands among the interrupted ones that are not simply repeated, and what becomes of them."""
    policy = policy_of(state.stage_rules, event.reason)
    interrupted = tuple(table_id for table_id in event.table_ids if state.tables[table_id].interrupted)
    if not interrupted or policy == "repeat" or policy == "resume":
        return ()
    if policy == "redeal":
        return (events.HandsRedealt(event.t, interrupted),)
    return tuple(events.HandVoided(event.t, table_id, policy) for table_id in interrupted)


def interruption_mistakes(stage: Stage, path: str) -> Iterator[Mistake]:
    """R-RC-01, R-RC-02, R-DU-01: a seen board is never dealt afresh, only boards have an average, and so on."""
    duplicate = stage.scoring == "duplicate"
    declared: Interruption = stage.interruption
    for cause in CAUSES:
        at, policy = f"{path}.interruption.{cause}", policy_of(stage, cause)
        if policy == "redeal" and duplicate:
            message = "every table plays the same boards, so a board is never dealt afresh"
            yield Mistake(at, message, '"repeat", "void" or "average"', f'{cause} = "repeat"', "R-DU-01")
        if policy == "average" and not duplicate:
            yield not_here(at, "only the boards of a duplicate stage have an average", "R-DU-01")
    if declared.aborted == "resume":
        message = "a table that was given back has no server that could go on"
        yield Mistake(f"{path}.interruption.aborted", message, '"repeat"', 'aborted = "repeat"', "R-RC-02")
    if stage.offline_out_at_stage_end and stage.format != "melee":
        message = "only a melee puts out who is away at its end"
        yield not_here(f"{path}.offline_out_at_stage_end", message, "R-RC-01")
    if declared.seat_gone == "resume":
        message = "a table that was given back has no server that could go on"
        yield Mistake(f"{path}.interruption.seat_gone", message, '"repeat"', 'seat_gone = "repeat"', "R-RC-02")
