"""The rules' own design advice: what is legal and still unwise."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from coordinator.engine.checks.mistake import Mistake
from coordinator.engine.checks.parts import plainly
from coordinator.engine.definition import Elimination, MatchDefinition, Round, Stage
from coordinator.engine.dominion import possible_bouts
from coordinator.engine.field_flow import field_per_bout, flow
from coordinator.engine.formats import format_of
from coordinator.engine.stage_rules import bouts_planned
from coordinator.engine.target_advisor import HIGH, LOW, MOST_HANDS, MOST_TARGET, advise_target

SEARCHED: Final = 1_000
"""So far upwards a better number of players is looked for."""


def warnings(definition: MatchDefinition) -> list[Mistake]:
    """The rules' own design advice for a definition without problems; nothing is refused for it."""
    found: list[Mistake] = []
    last = len(definition.stages) - 1
    for number, (path, stage) in enumerate(definition.placed()):
        found += _advice(definition, stage, path, first=number == 0, last=number == last)
    return found


def field_advice(definition: MatchDefinition, players: int) -> list[Mistake]:
    """What is unwise for a field of so many: a knockout without a final, bouts that can only be rematches."""
    found: list[Mistake] = []
    entering = {step.stage_id: step.entrants for step in flow(definition, players)}
    for path, stage in definition.placed():
        least, most = entering.get(stage.id, (0, 0))
        if format_of(stage).duels and stage.rematch != "allow" and least >= stage.table_size:
            found += _rematches(stage, path, least)
    path, last = definition.placed()[-1]
    least, most = entering.get(last.id, (0, 0))
    if last.format == "knockout" and last.bouts is None and least == most >= last.table_size:
        found += _no_final(last, path, least)
    return found


def _rematches(stage: Stage, path: str, players: int) -> Iterator[Mistake]:
    """R-DM-10."""
    possible, planned = possible_bouts(players), bouts_planned(stage, players) or 0
    if planned > possible:
        message = f"{players} players meet in {possible} bouts at most, {planned - possible} more are rematches"
        yield Mistake(f"{path}.bouts", message, f"at most {possible}", "", "R-DM-10")


def _no_final(stage: Stage, path: str, players: int) -> Iterator[Mistake]:
    """R-KO-01: byes and whole tables may leave fewer than a table, who never meet."""
    if _has_final(stage, players):
        return
    fewer = next((count for count in range(players - 1, stage.table_size - 1, -1) if _has_final(stage, count)), None)
    more = next((count for count in range(players + 1, players + SEARCHED) if _has_final(stage, count)), None)
    message = f"{players} players end without a final: those who are left are too few for a table and never meet"
    better = " or ".join(str(count) for count in (fewer, more) if count is not None)
    yield Mistake(path, message, f"{better} players" if better else "a number that ends at one table", rule="R-KO-01")


def _has_final(stage: Stage, players: int) -> bool:
    return field_per_bout(stage, players)[-1:] == (stage.table_size,)


def _advice(definition: MatchDefinition, stage: Stage, path: str, *, first: bool, last: bool) -> Iterator[Mistake]:
    a_round = stage.round
    if a_round.type == "fixed_hands" and a_round.hands > 4 and stage.scoring != "duplicate" and stage.ladder is None:
        message = f"beyond four hands the result can often no longer change; this round has {a_round.hands}"
        yield Mistake(f"{path}.round.hands", message, "1, 2 or 3", rule="R-RF-01")
    yield from _target_advice(a_round, path)
    if definition.event_class == "championship" and stage.carry_out.mode == "full" and not last:
        message = "a championship normally avoids carrying the full score into the next stage"
        yield Mistake(f"{path}.carry_out.mode", message, 'mode = "sqrt"', rule="R-CA-03")
    shuttle = stage.grouping.shuttle_size
    if shuttle is not None and shuttle < 2 * stage.table_size:
        message = f"a shuttle of {shuttle} fills one table, so the same players soon meet again"
        yield Mistake(f"{path}.grouping.shuttle_size", message, f"{2 * stage.table_size} or more", rule="R-ME-04")
    if not first and stage.grouping.kind == "random" and format_of(stage).reranks:
        message = "random grouping is meant for the first stage; later ones know a ranking"
        yield Mistake(f"{path}.grouping.kind", message, '"swiss" or "snake"', rule="R-GR-04")
    if stage.format == "melee":
        yield from _melee_advice(stage, path)


def _target_advice(a_round: Round, path: str) -> Iterator[Mistake]:
    """R-RT-02, by the experiment of R-RT-03: a hand is worth 1 to 100 to its winner.

    A target that such hands cannot reach belongs to a game of other scores, and nothing is said about it.
    """
    if a_round.type != "target" or a_round.target is None or a_round.max_hands is None:
        return
    target, max_hands = a_round.target, a_round.max_hands
    if max_hands <= 2:
        message = f"a target round of at most {max_hands} hands seldom reaches its target"
        yield Mistake(f"{path}.round.max_hands", message, "more than 2", rule="R-RT-02")
    elif target <= min(MOST_TARGET, HIGH * max_hands) and max_hands <= MOST_HANDS:
        advice = advise_target(target, max_hands)
        for each in advice.recommendations:
            if not each.holds:
                field = "target" if each.no == 2 else "max_hands"
                expected = "a higher target" if each.no == 2 else f"{advice.b_min} or more"
                message = f"if a hand is worth {LOW} to {HIGH}, {each.says}"
                yield Mistake(f"{path}.round.{field}", message, expected, rule="R-RT-02")


def _melee_advice(stage: Stage, path: str) -> Iterator[Mistake]:
    line, score, base = (
        stage.elimination or Elimination(),
        stage.initial_player_state.score,
        stage.initial_game_state,
    )
    lowest: Fraction | int | None = line.absolute
    if line.ratio_of_base is not None:
        lowest = line.ratio_of_base * base.base_score
    if lowest is not None and score < lowest:
        message = f"everybody starts with {score}, below the line of {plainly(Fraction(lowest))}"
        yield Mistake(f"{path}.initial_player_state.score", message, "a score above the line", rule="R-ME-02")
    if stage.base_growth.kind == "none" and stage.end.max_ms is None:
        message = "the base score never rises, so the stage may last very long"
        yield Mistake(f"{path}.base_growth", message, 'kind = "arith"', rule="R-ME-03")
    if stage.base_growth.kind == "geometric" and stage.base_growth.ratio == 1:
        yield Mistake(f"{path}.base_growth.ratio", "a ratio of 1 never raises the base score", "1.1", rule="R-ME-03")
