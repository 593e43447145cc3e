"""What is wrong with a Dominion Swiss, and with its words in another stage (R-DM-01 to R-DM-12)."""

from collections.abc import Iterator

import attrs

from coordinator.engine.checks.limits import MOST_PLAYERS, MOST_SCORE
from coordinator.engine.checks.mistake import Mistake
from coordinator.engine.checks.parts import named, not_here, outside
from coordinator.engine.definition import MainPoints, MatchDefinition, Stage
from coordinator.engine.dominion import CHAIN
from coordinator.engine.field_flow import MOST_BOUTS
from coordinator.engine.formats import format_of
from coordinator.engine.stage_rules import is_final

PAIR = 2


def dominion_mistakes(stage: Stage, path: str) -> Iterator[Mistake]:
    """The mistakes of a stage around what only a Dominion Swiss knows."""
    if not format_of(stage).duels:
        yield from _elsewhere(stage, path)
        return
    if stage.table_size != PAIR:
        message = f"a game is for two, this table has {stage.table_size} seats"
        yield Mistake(f"{path}.table_size", message, "2", "table_size = 2", "R-DM-01")
    if stage.round.type == "fixed_hands" and stage.round.hands != 1:
        message = f"a bout is one game, this round has {stage.round.hands} hands"
        yield Mistake(f"{path}.round.hands", message, "1", "round = { hands = 1 }", "R-DM-01")
    if stage.scoring != "total":
        message = "a Dominion Swiss gives main points, see main_points"
        yield Mistake(f"{path}.scoring", message, '"total"', "leave scoring out", "R-DM-03")
    if stage.min_payment:
        yield not_here(f"{path}.min_payment", "victory points are not paid by anybody", "R-DM-04")
    for field in attrs.fields(MainPoints):
        worth = getattr(stage.main_points, field.name)
        yield from outside(f"{path}.main_points.{field.name}", worth, -MOST_SCORE, MOST_SCORE, "R-DM-03")
    if stage.top_cut is not None:
        yield from outside(f"{path}.top_cut", stage.top_cut, 1, MOST_PLAYERS, "R-DM-01")
    if stage.late_until_round is not None:
        if stage.join != "any_time":
            yield not_here(f"{path}.late_until_round", "nobody may join this stage late", "R-DM-11")
        most = stage.bouts if isinstance(stage.bouts, int) else MOST_BOUTS
        yield from outside(f"{path}.late_until_round", stage.late_until_round, 1, most, "R-DM-11")


def dominion_chain(stage: Stage, path: str) -> Iterator[Mistake]:
    """R-DM-05: a chain of its own names each of the keys once at most and ends with the order of entry."""
    chain = stage.tie_chain
    if chain is None:
        return
    known = all(element in CHAIN for element in chain)
    if not known or len(dict.fromkeys(chain)) != len(chain) or chain[-1:] != ("entry_order",):
        message = "the chain of a Dominion Swiss names keys of its own, each once, and ends with entry_order"
        usual = f"tie_chain = [{', '.join(f'{chr(34)}{element}{chr(34)}' for element in CHAIN)}]"
        yield Mistake(f"{path}.tie_chain", message, ", ".join(CHAIN), usual, "R-DM-05")


def finals_apart(definition: MatchDefinition) -> Iterator[Mistake]:
    """R-DM-12: in the final of a Dominion Swiss, to which fewer may come, everybody plays alone."""
    for path, stage in definition.placed():
        if stage.round.sides and is_final(definition, stage):
            message = "in the final of a Dominion Swiss everybody plays alone"
            yield not_here(f"{path}.round.sides", message, "R-DM-12")


def _elsewhere(stage: Stage, path: str) -> Iterator[Mistake]:
    words = {"main_points": "R-DM-03", "rematch": "R-DM-10", "late_until_round": "R-DM-11", "top_cut": "R-DM-01"}
    for word, rule in words.items():
        if getattr(stage, word) != attrs.fields_dict(Stage)[word].default:
            yield not_here(f"{path}.{word}", f"{named(stage)} knows no {word}", rule)
