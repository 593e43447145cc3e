"""What is wrong with the policies for interrupted hands (R-RC-01, R-RC-02)."""

from collections.abc import Iterator

from coordinator.engine.checks.mistake import Mistake
from coordinator.engine.checks.parts import not_here
from coordinator.engine.definition import Stage
from coordinator.engine.interruption import CAUSES, policy_of


def interruption_mistakes(stage: Stage, path: str) -> Iterator[Mistake]:
    """R-RC-01, R-RC-02, R-DU-01: a seen board is never dealt afresh, only boards have an average, and so on."""
    duplicate = stage.scoring == "duplicate"
    for cause in CAUSES:
        at, policy = f"{path}.interruption.{cause}", policy_of(stage, cause)
        if policy == "redeal" and duplicate:
            message = "every table plays the same boards, so a board is never dealt afresh"
            yield Mistake(at, message, '"repeat", "void" or "average"', f'{cause} = "repeat"', "R-DU-01")
        if policy == "average" and not duplicate:
            yield not_here(at, "only the boards of a duplicate stage have an average", "R-DU-01")
        if policy == "resume" and cause in ("aborted", "seat_gone"):
            message = "a table that was given back has no server that could go on"
            yield Mistake(at, message, '"repeat"', f'{cause} = "repeat"', "R-RC-02")
    if stage.offline_out_at_stage_end and stage.format != "melee":
        message = "only a melee puts out who is away at its end"
        yield not_here(f"{path}.offline_out_at_stage_end", message, "R-RC-01")
