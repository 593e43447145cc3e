"""What is wrong with one stage: each mechanism against its format and its own limits.

Implements R-ST-02.
"""

from collections.abc import Iterator

from coordinator.engine.checks.bouts import bout_mistakes, bye_mistakes
from coordinator.engine.checks.carry import carry_mistakes
from coordinator.engine.checks.clock import clock_mistakes
from coordinator.engine.checks.cut import advance_mistakes, cut_mistakes
from coordinator.engine.checks.dominion import dominion_mistakes
from coordinator.engine.checks.duplicate import duplicate_mistakes
from coordinator.engine.checks.grouping import grouping_mistakes
from coordinator.engine.checks.growth import growth_mistakes
from coordinator.engine.checks.interruption import interruption_mistakes
from coordinator.engine.checks.island import island_mistakes
from coordinator.engine.checks.ladder import ladder_mistakes
from coordinator.engine.checks.limits import GREATEST_TABLE, LEAST_TABLE, MOST_SCORE
from coordinator.engine.checks.mistake import Mistake
from coordinator.engine.checks.parts import bad_attributes, bad_id, bad_text, named, outside, outside_time
from coordinator.engine.checks.payment import payment_mistakes
from coordinator.engine.checks.pool import elimination_mistakes, end_mistakes, seating_mistakes
from coordinator.engine.checks.revival import revival_mistakes
from coordinator.engine.checks.rounds import round_mistakes
from coordinator.engine.checks.scoring import scoring_mistakes, tie_chain_mistakes
from coordinator.engine.definition import Stage
from coordinator.engine.formats import format_of, timeline_of


def stage_mistakes(stage: Stage, path: str) -> list[Mistake]:
    """The mistakes of one stage; ``path`` is where it stands in its match."""
    if not LEAST_TABLE <= stage.table_size <= GREATEST_TABLE:
        size = outside(f"{path}.table_size", stage.table_size, LEAST_TABLE, GREATEST_TABLE, "R-HI-08")
        return [*bad_id(f"{path}.id", stage.id), *size]
    checks = (
        _named,
        _open_doors,
        _mechanisms,
        round_mistakes,
        grouping_mistakes,
        _states,
        elimination_mistakes,
        end_mistakes,
        growth_mistakes,
        seating_mistakes,
        scoring_mistakes,
        tie_chain_mistakes,
        payment_mistakes,
        bye_mistakes,
        bout_mistakes,
        cut_mistakes,
        advance_mistakes,
        carry_mistakes,
        _timeout,
        island_mistakes,
        ladder_mistakes,
        revival_mistakes,
        interruption_mistakes,
        clock_mistakes,
        duplicate_mistakes,
        dominion_mistakes,
    )
    return [mistake for check in checks for mistake in check(stage, path)]


def _named(stage: Stage, path: str) -> Iterator[Mistake]:
    yield from bad_id(f"{path}.id", stage.id)
    yield from bad_text(f"{path}.title", stage.title)
    yield from bad_attributes(f"{path}.game_attrs", stage.game_attrs)


def _open_doors(stage: Stage, path: str) -> Iterator[Mistake]:
    """R-ST-02: whether players may leave and join is settled by most formats."""
    rule, name = "R-ST-02", named(stage)
    if stage.format == "island":
        if stage.leave != "allowed":
            yield Mistake(f"{path}.leave", f"players may always leave {name}", '"allowed"', 'leave = "allowed"', rule)
        if stage.join != "any_time":
            yield Mistake(f"{path}.join", f"players may always join {name}", '"any_time"', 'join = "any_time"', rule)
        return
    if timeline_of(stage) == "clock":
        if stage.leave != "allowed":
            message = f"players may leave {name} between bouts"
            yield Mistake(f"{path}.leave", message, '"allowed"', 'leave = "allowed"', rule)
    elif stage.leave != "forbidden" and not format_of(stage).leaves:
        yield Mistake(f"{path}.leave", f"nobody may leave {name}", '"forbidden"', 'leave = "forbidden"', rule)
    if stage.join != "none" and not format_of(stage).joins:
        yield Mistake(f"{path}.join", f"nobody may join {name} once it runs", '"none"', "leave join out", rule)


def _mechanisms(stage: Stage, path: str) -> Iterator[Mistake]:
    """R-ST-02: the other mechanisms that no format leaves open."""
    rule, name, reranks = "R-ST-02", named(stage), format_of(stage).reranks
    if stage.intervention:
        message = f"{name} knows no game intervention"
        yield Mistake(f"{path}.intervention", message, "false", "leave intervention out", rule)
    if stage.rerank is not None and stage.rerank != reranks:
        does = "ranks after every bout" if reranks else "ranks only at its end"
        yield Mistake(f"{path}.rerank", f"{name} {does}", "true" if reranks else "false", "leave rerank out", rule)
    processing, when = ("per_round", "after every round") if reranks else ("none", "not at all")
    if stage.score_processing != processing:
        message, mend = f"{name} processes scores {when}", f'score_processing = "{processing}"'
        yield Mistake(f"{path}.score_processing", message, f'"{processing}"', mend, rule)


def _states(stage: Stage, path: str) -> Iterator[Mistake]:
    score, base = stage.initial_player_state.score, stage.initial_game_state.base_score
    yield from outside(f"{path}.initial_player_state.score", score, -MOST_SCORE, MOST_SCORE, "R-ST-01")
    yield from outside(f"{path}.initial_game_state.base_score", base, 1, MOST_SCORE, "R-SC-03")


def _timeout(stage: Stage, path: str) -> Iterator[Mistake]:
    yield from outside_time(f"{path}.table_timeout_ms", stage.table_timeout_ms, "R-HI-06")
