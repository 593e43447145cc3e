"""What is wrong with a match: all mistakes at once, its own and those of its stages.

A file in which one stage cannot even be read is still checked piece by piece, through :func:`match_mistakes` and
:func:`~coordinator.engine.checks.stage.stage_mistakes`.
"""

from collections.abc import Iterator, Sequence

from coordinator.engine.checks.dominion import finals_apart
from coordinator.engine.checks.island import islands_apart
from coordinator.engine.checks.ladder import ladder_alone
from coordinator.engine.checks.limits import LEAST_TABLE, MOST_PLAYERS, MOST_STAGES
from coordinator.engine.checks.mistake import Mistake
from coordinator.engine.checks.parts import bad_attributes, bad_id, bad_text, outside, repeated
from coordinator.engine.checks.rewards import reward_mistakes
from coordinator.engine.checks.stage import stage_mistakes
from coordinator.engine.definition import MatchDefinition, Phase, Stage, Start
from coordinator.engine.field_flow import why_not
from coordinator.engine.formats import format_of


def definition_mistakes(definition: MatchDefinition) -> list[Mistake]:
    """All mistakes of a match, those of the match first, then stage by stage.

    A match without any is also followed from its ``full_count`` to the end (:func:`field_flow.why_not`).
    """
    found = match_mistakes(definition)
    for number, (path, stage) in enumerate(definition.placed()):
        found += stage_mistakes(stage, path)
        if format_of(stage).duels and stage.join != "none" and number > 0:
            message = "who joins late has no place among those whom earlier stages put out"
            expected = "late entry in the first stage"
            found.append(Mistake(f"{path}.join", message, expected, 'join = "none"', "R-DM-11"))
    found += finals_apart(definition)
    if not found and definition.start.mode == "when_full" and definition.start.full_count is not None:
        stuck = why_not(definition, definition.start.full_count)
        if stuck is not None:
            found.append(stuck)
    return found


def match_mistakes(definition: MatchDefinition) -> list[Mistake]:
    """The mistakes outside the stages: names, start and rewards (R-HI-02, R-HI-03)."""
    return [
        *bad_id("id", definition.id),
        *bad_id("game", definition.game),
        *bad_text("title", definition.title),
        *bad_text("description", definition.description),
        *_phases(definition.phases),
        *_start(definition.start, definition.stages),
        *reward_mistakes(definition.rewards, "rewards"),
        *islands_apart(definition),
        *ladder_alone(definition),
    ]


def _phases(phases: Sequence[Phase]) -> Iterator[Mistake]:
    if not phases:
        yield Mistake("phases", "a match needs at least one phase", "one [[phases]] or one [[stages]]", rule="R-HI-04")
    if sum(len(phase.stages) for phase in phases) > MOST_STAGES:
        yield Mistake("phases", f"a match has at most {MOST_STAGES} stages", rule="R-HI-03")
    phase_ids: dict[str, str] = {}
    stage_ids: dict[str, str] = {}
    for phase_no, phase in enumerate(phases):
        path = f"phases[{phase_no}]"
        yield from bad_id(f"{path}.id", phase.id)
        yield from repeated(f"{path}.id", phase.id, phase_ids)
        yield from bad_text(f"{path}.title", phase.title)
        yield from bad_attributes(f"{path}.game_attrs", phase.game_attrs)
        if not phase.stages:
            yield Mistake(f"{path}.stages", "a phase needs at least one stage", "[[phases.stages]]", rule="R-HI-04")
        for stage_no, stage in enumerate(phase.stages):
            yield from repeated(f"{path}.stages[{stage_no}].id", stage.id, stage_ids)


def _start(start: Start, stages: Sequence[Stage]) -> Iterator[Mistake]:
    rule = "R-HI-02"
    yield from outside("start.min_players", start.min_players, 2, MOST_PLAYERS, rule)
    if start.full_count is None:
        if start.mode == "when_full":
            yield Mistake(
                "start.full_count",
                "a match that starts when full does not say how many are enough",
                "a number of players",
                'full_count = 90, or mode = "manual"',
                rule,
            )
        return
    # An island waits for players, so it may open with fewer than fill a table (R-IS-01); of a ladder teams enter.
    least = stages[0].table_size if stages and stages[0].format not in ("island", "ladder") else LEAST_TABLE
    yield from outside("start.full_count", start.full_count, least, MOST_PLAYERS, rule)
    if start.full_count < start.min_players:
        message = f"{start.min_players} is more than full_count, {start.full_count}"
        yield Mistake("start.min_players", message, f"at most {start.full_count}", rule=rule)
