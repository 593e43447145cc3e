"""What is wrong with the rounds of a stage (R-RF-01, R-RT-01)."""

from collections.abc import Iterator

from coordinator.engine.checks.limits import MOST_HANDS, MOST_SCORE
from coordinator.engine.checks.mistake import Mistake
from coordinator.engine.checks.parts import bad_id, named, outside
from coordinator.engine.definition import Round, Stage
from coordinator.engine.formats import format_of, timeline_of

SIDES = 2


def round_mistakes(stage: Stage, path: str) -> Iterator[Mistake]:
    """R-RF-01 for fixed hands, R-RT-01 for a target."""
    at, a_round = f"{path}.round", stage.round
    if a_round.type == "fixed_hands":
        yield from outside(f"{at}.hands", a_round.hands, 1, MOST_HANDS, "R-RF-01")
        for word in ("target", "max_hands", "sides"):
            if getattr(a_round, word) not in (None, ()):
                message = f"a round of fixed hands has no {word}"
                yield Mistake(f"{at}.{word}", message, "hands alone", 'type = "target"', "R-RF-01")
        return
    if timeline_of(stage) == "clock":
        message = "a continuous swiss stage plays fixed boards"
        yield Mistake(f"{at}.type", message, '"fixed_hands"', 'type = "fixed_hands"', "R-ST-02")
        return
    if timeline_of(stage) == "pool":
        message = f"{named(stage)} plays fixed hands"
        yield Mistake(f"{at}.type", message, '"fixed_hands"', 'type = "fixed_hands"', "R-ST-02")
        return
    if format_of(stage).duels:
        message = "a Dominion Swiss plays one game a bout"
        yield Mistake(f"{at}.type", message, "one hand", "round = { hands = 1 }", "R-DM-01")
        return
    yield from _target(stage, at)


def _target(stage: Stage, at: str) -> Iterator[Mistake]:
    rule, a_round = "R-RT-01", stage.round
    if a_round.sides:
        yield from _partners(stage, f"{at}.sides")
    elif stage.table_size != SIDES:
        message = f"a target round has exactly two sides, this table has {stage.table_size} seats"
        usual = "sides = [" + ", ".join(f'"{"AB"[seat % SIDES]}"' for seat in range(stage.table_size)) + "]"
        yield Mistake(f"{at}.type", message, "a table size of 2, or the side of each seat", usual, rule)
    if a_round.hands != Round().hands:
        message = "a target round ends by its target or its max_hands"
        yield Mistake(f"{at}.hands", message, "target and max_hands", f"max_hands = {a_round.hands}", rule)
    for word, most in (("target", MOST_SCORE), ("max_hands", MOST_HANDS)):
        value = getattr(a_round, word)
        if value is None:
            yield Mistake(f"{at}.{word}", f"a target round needs {word}", f"a whole number from 1 to {most}", rule=rule)
        else:
            yield from outside(f"{at}.{word}", value, 1, most, rule)


def _partners(stage: Stage, at: str) -> Iterator[Mistake]:
    """R-RT-01: two sides, and a seat belongs to one of them."""
    rule, sides = "R-RT-01", stage.round.sides
    if len(sides) != stage.table_size:
        message = f"{len(sides)} sides named for a table of {stage.table_size}"
        yield Mistake(at, message, "one for each seat", rule=rule)
    names = list(dict.fromkeys(sides))
    if len(names) != SIDES:
        message = f"a target round has exactly two sides, not {len(names)}"
        yield Mistake(at, message, 'two names, as in sides = ["NS", "EW", "NS", "EW"]', rule=rule)
    for name in names:
        yield from bad_id(at, name)
