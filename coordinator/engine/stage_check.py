"""What is wrong with one stage: each mechanism against its format and its own limits.

Implements R-ST-02.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise

from coordinator.engine.check_parts import (
    GREATEST_TABLE,
    LEAST_TABLE,
    MOST_HANDS,
    MOST_PCT,
    MOST_PLAYERS,
    MOST_SCORE,
    bad_attributes,
    bad_id,
    bad_text,
    either,
    named,
    not_here,
    outside,
    outside_time,
    outside_wait,
    plainly,
)
from coordinator.engine.definition import (
    BaseGrowth,
    CarryOut,
    Clock,
    Cut,
    Duplicate,
    Elimination,
    End,
    Grouping,
    Round,
    Stage,
)
from coordinator.engine.dominion_check import dominion_chain, dominion_problems
from coordinator.engine.field_flow import MOST_BOUTS
from coordinator.engine.formats import format_of, timeline_of
from coordinator.engine.interruption import interruption_mistakes
from coordinator.engine.island_check import island_mistakes, revival_mistakes
from coordinator.engine.ladder_check import ladder_mistakes
from coordinator.engine.mistake import Mistake
from coordinator.engine.scoring import placement_points_default

UI_TABLE = 3
SIDES = 2


def stage_problems(stage: Stage, path: str) -> list[Mistake]:
    """The mistakes of one stage; ``path`` is where it stands in its match."""
    if not LEAST_TABLE <= stage.table_size <= GREATEST_TABLE:
        size = outside(f"{path}.table_size", stage.table_size, LEAST_TABLE, GREATEST_TABLE, "R-HI-08")
        return [*bad_id(f"{path}.id", stage.id), *size]
    checks = (
        _named,
        _matrix,
        _round,
        _grouping,
        _states,
        _elimination,
        _end,
        _growth,
        _seating,
        _scoring,
        _payment,
        _byes,
        _bouts,
        _cuts,
        _advance,
        _carry,
        _tables,
        island_mistakes,
        ladder_mistakes,
        revival_mistakes,
        interruption_mistakes,
        _clock,
        _duplicate,
        dominion_problems,
    )
    return [mistake for check in checks for mistake in check(stage, path)]


def _named(stage: Stage, path: str) -> Iterator[Mistake]:
    yield from bad_id(f"{path}.id", stage.id)
    yield from bad_text(f"{path}.title", stage.title)
    yield from bad_attributes(f"{path}.game_attrs", stage.game_attrs)


def _matrix(stage: Stage, path: str) -> Iterator[Mistake]:
    """R-ST-02: the mechanisms that a format does not leave open."""
    rule = "R-ST-02"
    name = named(stage)
    reranks = format_of(stage).reranks
    processing = "per_round" if reranks else "none"
    if stage.format == "island":
        if stage.leave != "allowed":
            yield Mistake(f"{path}.leave", f"players may always leave {name}", '"allowed"', 'leave = "allowed"', rule)
        if stage.join != "any_time":
            yield Mistake(f"{path}.join", f"players may always join {name}", '"any_time"', 'join = "any_time"', rule)
    elif timeline_of(stage) == "clock":
        if stage.leave != "allowed":
            message = f"players may leave {name} between bouts"
            yield Mistake(f"{path}.leave", message, '"allowed"', 'leave = "allowed"', rule)
    elif stage.leave != "forbidden" and not format_of(stage).leaves:
        yield Mistake(f"{path}.leave", f"nobody may leave {name}", '"forbidden"', 'leave = "forbidden"', rule)
    if stage.join != "none" and stage.format != "island" and not format_of(stage).joins:
        yield Mistake(f"{path}.join", f"nobody may join {name} once it runs", '"none"', "leave join out", rule)
    if stage.intervention:
        yield Mistake(
            f"{path}.intervention",
            f"{name} knows no game intervention",
            "false",
            "leave intervention out",
            rule,
        )
    if stage.rerank is not None and stage.rerank != reranks:
        does = "ranks after every bout" if reranks else "ranks only at its end"
        yield Mistake(f"{path}.rerank", f"{name} {does}", "true" if reranks else "false", "leave rerank out", rule)
    if stage.score_processing != processing:
        yield Mistake(
            f"{path}.score_processing",
            f"{name} processes scores {'after every round' if reranks else 'not at all'}",
            f'"{processing}"',
            f'score_processing = "{processing}"',
            rule,
        )


def _grouping(stage: Stage, path: str) -> Iterator[Mistake]:
    rule, grouping, name = "R-ST-02", stage.grouping, named(stage)
    at = f"{path}.grouping"
    kinds = dict.fromkeys(format_of(stage).groupings)
    if grouping.kind is not None and grouping.kind not in kinds:
        kind_list = either(kinds)
        yield Mistake(f"{at}.kind", f"{name} does not group by {grouping.kind!r}", kind_list, "", rule)
    if grouping.kind == "ui" and stage.table_size != UI_TABLE:
        message = f"ui grouping is for tables of {UI_TABLE}, these have {stage.table_size}"
        yield Mistake(f"{at}.kind", message, "a table size of 3", 'kind = "snake"', "R-GR-03")
    if grouping.direction != "serpentine" and grouping.kind != "snake":
        yield Mistake(
            f"{at}.direction",
            "only snake grouping has a direction",
            'kind = "snake"',
            "leave it out",
            "R-GR-02",
        )
    if format_of(stage).timeline == "pool":
        if grouping.shuttle_size is not None:
            size = grouping.shuttle_size
            yield from outside(f"{at}.shuttle_size", size, stage.table_size, MOST_PLAYERS, "R-ME-04")
        yield from outside_time(f"{at}.max_wait_ms", grouping.max_wait_ms, "R-ME-04")
        return
    if grouping.shuttle_size is not None:
        yield not_here(f"{at}.shuttle_size", "only a melee has a shuttle", "R-ME-04")
    if grouping.max_wait_ms != Grouping().max_wait_ms:
        yield not_here(f"{at}.max_wait_ms", "only in a melee do players wait for a shuttle", "R-ME-04")


def _round(stage: Stage, path: str) -> Iterator[Mistake]:
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
    if format_of(stage).timeline == "pool":
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


def _states(stage: Stage, path: str) -> Iterator[Mistake]:
    score, base = stage.initial_player_state.score, stage.initial_game_state.base_score
    yield from outside(f"{path}.initial_player_state.score", score, -MOST_SCORE, MOST_SCORE, "R-ST-01")
    yield from outside(f"{path}.initial_game_state.base_score", base, 1, MOST_SCORE, "R-SC-03")


def _elimination(stage: Stage, path: str) -> Iterator[Mistake]:
    at, line = f"{path}.elimination", stage.elimination
    if format_of(stage).elimination != "score":
        if line is not None:
            message = f"{named(stage)} does not eliminate by score"
            yield Mistake(at, message, "no elimination", "leave elimination out", "R-ST-02")
        return
    rule, expected = "R-ME-02", "exactly one of ratio_of_base and absolute"
    if line is None and stage.format == "island":
        return
    if line is None:
        message = "a melee needs a line below which players are out"
        yield Mistake(at, message, expected, "elimination = { ratio_of_base = 0.25 }", rule)
        return
    if (line.ratio_of_base is None) == (line.absolute is None):
        given = "neither" if line.ratio_of_base is None else "both"
        yield Mistake(at, f"the line is given by {given} of its two words", expected, "ratio_of_base = 0.25", rule)
    if line.ratio_of_base is not None and not 0 < line.ratio_of_base <= MOST_PCT:
        message = f"{plainly(line.ratio_of_base)} times the base score is no line"
        yield Mistake(f"{at}.ratio_of_base", message, f"a number above 0, at most {MOST_PCT}", rule=rule)
    if line.absolute is not None:
        yield from outside(f"{at}.absolute", line.absolute, -MOST_SCORE, MOST_SCORE, rule)
        yield from _out_of_reach(stage, line, f"{at}.absolute")


def _out_of_reach(stage: Stage, line: Elimination, at: str) -> Iterator[Mistake]:
    """R-ME-02, R-MP-01: a line that nobody can fall below, in a melee that would never end (R-ME-01)."""
    if not stage.min_payment or stage.end.max_ms is not None or stage.format != "melee" or line.absolute is None:
        return
    least = 0 if line.compare == "le" else 1
    if line.absolute < least:
        message = f"nobody pays more than there is to pay with, so nobody is ever below {line.absolute}"
        yield Mistake(at, message, f"{least} or more, or end.max_s", "ratio_of_base = 0.25", "R-ME-02")


def _end(stage: Stage, path: str) -> Iterator[Mistake]:
    at, end, rule = f"{path}.end", stage.end, "R-ME-05"
    if timeline_of(stage) == "clock":
        if (end.remaining_below, end.max_ms) != (None, None):
            yield not_here(at, f"{named(stage)} ends by its bouts; only advance_count is its own", rule)
        if end.advance_count is not None:
            yield from outside(f"{at}.advance_count", end.advance_count, 1, MOST_PLAYERS, rule)
        return
    if stage.format != "melee":
        if end != End():
            yield not_here(at, f"{named(stage)} ends by its bouts; end belongs to a melee", rule)
        return
    if end.remaining_below is None:
        message = "a melee needs to know below how many players it ends"
        yield Mistake(f"{at}.remaining_below", message, "a number of players", "remaining_below = 19", rule)
    else:
        yield from outside(f"{at}.remaining_below", end.remaining_below, 2, MOST_PLAYERS, rule)
    if end.advance_count is not None:
        yield from outside(f"{at}.advance_count", end.advance_count, 1, MOST_PLAYERS, rule)
    if end.max_ms is not None:
        yield from outside_time(f"{at}.max_ms", end.max_ms, rule)


def _growth(stage: Stage, path: str) -> Iterator[Mistake]:
    """R-ME-03: each kind of growth with its own words and no others."""
    rule, at, growth = "R-ME-03", f"{path}.base_growth", stage.base_growth
    own = {"none": (), "arith": ("add", "add_step"), "geometric": ("ratio",), "table": ("values",)}[growth.kind]
    plain = BaseGrowth()
    for word, kind in (("add", "arith"), ("add_step", "arith"), ("ratio", "geometric"), ("values", "table")):
        if word not in own and getattr(growth, word) != getattr(plain, word):
            yield Mistake(f"{at}.{word}", f"{word} belongs to growth of kind {kind}", f'kind = "{kind}"', rule=rule)
    if growth.kind == "none":
        if growth.max_base is not None:
            yield Mistake(f"{at}.max_base", "a base score that does not rise needs no cap", "a kind", rule=rule)
        return
    yield from _ticks(growth, at)
    yield from _law(stage, at)
    if growth.max_base is not None:
        base0 = stage.initial_game_state.base_score
        yield from outside(f"{at}.max_base", growth.max_base, base0, MOST_SCORE, rule)


def _ticks(growth: BaseGrowth, at: str) -> Iterator[Mistake]:
    rule, plain = "R-ME-03", BaseGrowth()
    if growth.by == "time":
        yield from outside_time(f"{at}.every_ms", growth.every_ms, rule)
        if growth.every_hands != plain.every_hands:
            yield Mistake(f"{at}.every_hands", "ticks by time do not count hands", 'by = "hands"', rule=rule)
    else:
        yield from outside(f"{at}.every_hands", growth.every_hands, 1, MOST_PLAYERS, rule)
        if growth.every_ms != plain.every_ms:
            yield Mistake(f"{at}.every_ms", "ticks by hands do not count time", 'by = "time"', rule=rule)


def _law(stage: Stage, at: str) -> Iterator[Mistake]:
    rule, growth, base0 = "R-ME-03", stage.base_growth, stage.initial_game_state.base_score
    if growth.kind == "arith":
        if growth.add is not None:
            yield from outside(f"{at}.add", growth.add, 0, MOST_SCORE, rule)
        yield from outside(f"{at}.add_step", growth.add_step, 0, MOST_SCORE, rule)
        if growth.add_step == 0 and (base0 // 2 if growth.add is None else growth.add) == 0:
            message = f"nothing is added to the base score of {base0}"
            yield Mistake(f"{at}.add", message, "a whole number above 0", "add = 1", rule)
    elif growth.kind == "geometric":
        if not 1 <= growth.ratio <= MOST_PCT:
            message = f"a ratio of {plainly(growth.ratio)} does not raise the base score"
            yield Mistake(f"{at}.ratio", message, f"a number from 1 to {MOST_PCT}", "ratio = 1.1", rule)
    else:
        if not growth.values:
            message = "growth by table needs its values"
            yield Mistake(f"{at}.values", message, "a list of base scores", f"values = [{base0}, {2 * base0}]", rule)
        for number, value in enumerate(growth.values):
            yield from outside(f"{at}.values[{number}]", value, 1, MOST_SCORE, rule)
        if growth.values and growth.values[0] != base0:
            message = f"the table starts at {growth.values[0]}, the stage at a base score of {base0}"
            yield Mistake(f"{at}.values[0]", message, str(base0), "let both say the same", rule)


def _seating(stage: Stage, path: str) -> Iterator[Mistake]:
    """R-AS-01: how long a seating of a melee lasts."""
    rule, at, hands = "R-AS-01", f"{path}.hands_per_seating", stage.hands_per_seating
    if stage.format != "melee":
        if hands is not None:
            yield not_here(at, "only a melee counts hands per seating", rule)
        if stage.regroup != "random":
            yield not_here(f"{path}.regroup", "only a melee regroups between bouts of its own", rule)
        return
    if isinstance(hands, int):
        yield from outside(at, hands, 1, MOST_HANDS, rule)
    if hands is not None and stage.round.type == "fixed_hands" and stage.round.hands not in (1, hands):
        message = f"round.hands says {stage.round.hands} and hands_per_seating {hands}"
        yield Mistake(f"{path}.round.hands", message, "one of the two", "round = { hands = 1 }", rule)


def _scoring(stage: Stage, path: str) -> Iterator[Mistake]:
    rule, points = "R-SC-02", stage.placement_points
    if stage.scoring != "placement":
        instead = 'scoring = "placement"' if stage.scoring == "total" else "leave it out"
        if points is not None:
            message = "placement points count only where scoring is by placement"
            yield Mistake(f"{path}.placement_points", message, instead, rule=rule)
        if stage.tied_places != "break":
            message = "tied places are shared only where scoring is by placement"
            yield Mistake(f"{path}.tied_places", message, instead, rule=rule)
    elif not format_of(stage).reranks:
        message = f"{named(stage)} does not process scores, so places earn no points"
        yield Mistake(f"{path}.scoring", message, '"total"', 'scoring = "total"', "R-ST-02")
    if points is not None:
        yield from _points(points, stage.table_size, f"{path}.placement_points")
    chain = stage.tie_chain
    if format_of(stage).duels:
        yield from dominion_chain(stage, path)
    elif chain is not None and format_of(stage).one_table and chain[-1:] == ("swiss_rank",):
        if chain not in (("swiss_rank",), ("last_hand", "swiss_rank")):
            expected = '["swiss_rank"] or ["last_hand", "swiss_rank"]'
            yield Mistake(f"{path}.tie_chain", "the rank brought along separates everybody", expected, rule="R-DM-12")
    elif chain is not None and any(element not in ("last_hand", "registration") for element in chain):
        message = f"{named(stage)} cannot be told apart by all of {', '.join(chain)}"
        expected = '["last_hand", "registration"] or ["registration"]'
        yield Mistake(f"{path}.tie_chain", message, expected, rule="R-TB-03")
    elif chain is not None and (len(dict.fromkeys(chain)) != len(chain) or chain[-1:] != ("registration",)):
        yield Mistake(
            f"{path}.tie_chain",
            "a tie chain names each way once and ends with registration, which separates everybody",
            '["last_hand", "registration"] or ["registration"]',
            rule="R-TB-03",
        )


def _points(points: Sequence[int], size: int, at: str) -> Iterator[Mistake]:
    usual = f"placement_points = {list(placement_points_default(size))}"
    if len(points) != size:
        message = f"{len(points)} placement points for a table of {size}"
        yield Mistake(at, message, f"{size} whole numbers, falling", usual, "R-SC-02")
    elif any(after >= before for before, after in pairwise(points)):
        yield Mistake(at, "a better place must earn more points", "whole numbers, falling", usual, "R-SC-02")
    for place, value in enumerate(points):
        yield from outside(f"{at}[{place}]", value, -MOST_SCORE, MOST_SCORE, "R-SC-02")


def _payment(stage: Stage, path: str) -> Iterator[Mistake]:
    rule, fee = "R-MP-01", stage.platform_fee
    if fee < 0 or fee > MOST_SCORE or (fee.denominator != 1 and fee > 1):
        yield Mistake(
            f"{path}.platform_fee",
            f"{plainly(fee)} is no fee",
            "a whole amount, or a rate from 0 to 1",
            rule=rule,
        )
    if not stage.min_payment:
        if fee != 0:
            message = "a platform fee is taken out of the smallest payment, which is off"
            yield Mistake(f"{path}.platform_fee", message, "min_payment = true", rule=rule)
        if stage.winner_cap != "per_payer":
            message = "the winner's cap belongs to the smallest payment, which is off"
            yield Mistake(f"{path}.winner_cap", message, "min_payment = true", rule=rule)


def _byes(stage: Stage, path: str) -> Iterator[Mistake]:
    rule = "R-CA-01"
    if stage.bye_points is not None:
        if stage.scoring != "placement":
            message = "bye points count only where scoring is by placement"
            yield Mistake(f"{path}.bye_points", message, "bye_delta", rule=rule)
        elif not 0 <= stage.bye_points <= MOST_SCORE:
            message = f"{plainly(stage.bye_points)} bye points"
            yield Mistake(f"{path}.bye_points", message, "a number of at least 0", rule=rule)
    if stage.bye_delta != 0:
        if stage.scoring != "total":
            message = "a bye delta counts only where scoring is by total"
            yield Mistake(f"{path}.bye_delta", message, "bye_points", rule=rule)
        elif format_of(stage).duels:
            yield not_here(f"{path}.bye_delta", "a bye is worth main_points.default_win", "R-DM-03")
        elif not format_of(stage).reranks:
            yield not_here(f"{path}.bye_delta", f"nobody sits out in {named(stage)}", rule)
        yield from outside(f"{path}.bye_delta", stage.bye_delta, -MOST_SCORE, MOST_SCORE, rule)


def _bouts(stage: Stage, path: str) -> Iterator[Mistake]:
    at, bouts, rule = f"{path}.bouts", stage.bouts, "R-HI-06"
    if format_of(stage).timeline == "pool":
        if bouts is not None:
            ends = "its duration" if stage.format == "island" else "end.remaining_below"
            yield not_here(at, f"{named(stage)} has no bouts; it ends by {ends}", rule)
    elif format_of(stage).one_table:
        if bouts not in (None, 1):
            yield Mistake(at, "a default stage plays one round at one table", "1", "leave bouts out", "R-DF-01")
    elif timeline_of(stage) == "clock" and bouts == "until_done":
        message = "bouts by the clock are counted"
        yield Mistake(at, message, f"a whole number from 1 to {MOST_BOUTS}", "bouts = 12", "R-CS-01")
    elif format_of(stage).duels and bouts == "until_done":
        message = "a Dominion Swiss says how many bouts it has before it starts, or leaves that to the field"
        yield Mistake(at, message, f"a whole number from 1 to {MOST_BOUTS}", "leave bouts out", "R-DM-02")
    elif stage.format == "swiss_shift" and not isinstance(bouts, int):
        message = "a Swiss shift needs to know how many bouts it has"
        yield Mistake(at, message, f"a whole number from 1 to {MOST_BOUTS}", "bouts = 3", "R-SW-01")
    if isinstance(bouts, int) and format_of(stage).timeline != "pool":
        yield from outside(at, bouts, 1, MOST_BOUTS, rule)


def _cuts(stage: Stage, path: str) -> Iterator[Mistake]:
    rule = "R-SW-02"
    if format_of(stage).elimination not in ("table", "field"):
        if stage.cut is not None:
            yield not_here(f"{path}.cut", f"{named(stage)} is not cut after bouts", rule)
        if stage.cuts:
            yield not_here(f"{path}.cuts", f"{named(stage)} is not cut after bouts", rule)
        return
    if stage.cut is not None:
        yield from _cut(stage.cut, f"{path}.cut")
    for number, cut in enumerate(stage.cuts):
        yield from _cut(cut, f"{path}.cuts[{number}]")
    if isinstance(stage.bouts, int) and stage.bouts >= 1:
        given, bouts = len(stage.cuts), stage.bouts
        if given > bouts or (0 < given < bouts and stage.cut is None):
            expected = "one for each bout, or cut for those without their own"
            yield Mistake(f"{path}.cuts", f"{given} cuts for {bouts} bouts", expected, rule=rule)
    elif len(stage.cuts) > MOST_BOUTS:
        yield Mistake(f"{path}.cuts", f"{len(stage.cuts)} cuts", f"at most {MOST_BOUTS}", rule=rule)
    percents = any(cut.mode == "percent" for cut in (stage.cut or Cut(), *stage.cuts))
    if stage.percent_round != "out_floor" and not percents:
        yield not_here(f"{path}.percent_round", "no cut is by percent", rule)


def _cut(cut: Cut, at: str) -> Iterator[Mistake]:
    rule, value = "R-SW-02", cut.value
    if cut.mode == "percent":
        if not 0 <= value <= 100:
            yield Mistake(f"{at}.value", f"a cut of {plainly(value)} percent", "a number from 0 to 100", rule=rule)
    elif cut.mode == "none":
        if value != 0:
            message = f"a cut of mode none has no value, this says {plainly(value)}"
            yield Mistake(f"{at}.value", message, "another mode", 'mode = "fixed"', rule)
    else:
        least = 1 if cut.mode == "keep" else 0
        if value.denominator != 1 or not least <= value <= MOST_PLAYERS:
            verb = "keeps" if cut.mode == "keep" else "costs"
            expected = f"a whole number from {least} to {MOST_PLAYERS}"
            yield Mistake(f"{at}.value", f"the cut {verb} {plainly(value)} players", expected, rule=rule)


def _advance(stage: Stage, path: str) -> Iterator[Mistake]:
    take, size = stage.advance_per_table, stage.table_size
    if stage.format != "knockout":
        message = f"{named(stage)} does not eliminate at the table"
        if take != 1:
            yield not_here(f"{path}.advance_per_table", message, "R-KO-02")
        if stage.half_rounding != "floor":
            yield not_here(f"{path}.half_rounding", message, "R-KO-04")
        if stage.align_to_table:
            yield not_here(f"{path}.align_to_table", message, "R-KO-04")
        return
    if take != "half" and not 1 <= take < size:
        message = f"{take} of {size} advance from each table"
        yield Mistake(
            f"{path}.advance_per_table",
            message,
            f'a whole number from 1 to {size - 1}, or "half"',
            rule="R-KO-02",
        )
    if stage.half_rounding != "floor" and (take != "half" or size % 2 == 0):
        message = "rounding matters only where half of an odd table advances"
        yield Mistake(f"{path}.half_rounding", message, 'advance_per_table = "half"', rule="R-KO-04")


def _carry(stage: Stage, path: str) -> Iterator[Mistake]:
    pct = stage.round_carry_pct
    yield from outside(f"{path}.round_carry_pct", pct, 0, MOST_PCT, "R-CA-02")
    if pct != 100 and not format_of(stage).reranks:
        yield not_here(f"{path}.round_carry_pct", f"{named(stage)} carries nothing between rounds", "R-CA-02")
    if pct != 100 and format_of(stage).duels:
        yield not_here(f"{path}.round_carry_pct", "a Dominion Swiss counts every bout in full", "R-DM-05")
    yield from carry_mistakes(stage.carry_out, f"{path}.carry_out")


def carry_mistakes(carry: CarryOut, at: str) -> Iterator[Mistake]:
    """R-CA-03, R-CA-04: a carry-over with the words of its own mode and no others."""
    plain = CarryOut()
    words = (("divisor", ("divide",)), ("coef", ("sqrt",)), ("base", ("sqrt_median",)))
    for word, modes in words:
        if carry.mode not in modes and getattr(carry, word) != getattr(plain, word):
            message = f"{word} belongs to carry of mode {modes[0]}"
            yield Mistake(f"{at}.{word}", message, f'mode = "{modes[0]}"', rule="R-CA-03")
    if carry.mode == "divide":
        yield from outside(f"{at}.divisor", carry.divisor, 1, MOST_SCORE, "R-CA-03")
    elif carry.mode == "sqrt" and not 0 < carry.coef <= MOST_SCORE:
        yield Mistake(
            f"{at}.coef",
            f"a coefficient of {plainly(carry.coef)}",
            "a number above 0",
            "coef = 1.0",
            "R-CA-03",
        )
    elif carry.mode == "sqrt_median":
        yield from outside(f"{at}.base", carry.base, 1, MOST_SCORE, "R-CA-03")
    if carry.cap is not None:
        yield from outside(f"{at}.cap", carry.cap, 1, MOST_SCORE, "R-CA-04")


def _tables(stage: Stage, path: str) -> Iterator[Mistake]:
    yield from outside_time(f"{path}.table_timeout_ms", stage.table_timeout_ms, "R-HI-06")


def _clock(stage: Stage, path: str) -> Iterator[Mistake]:
    """R-CS-01: bouts by the clock, and what they leave no room for."""
    rule, at, clock = "R-CS-01", f"{path}.clock", stage.clock
    if timeline_of(stage) != "clock":
        if clock != Clock():
            yield not_here(at, f"{named(stage)} does not go by the clock", rule)
        return
    yield from outside_time(f"{at}.bout_ms", clock.bout_ms, rule)
    yield from outside_wait(f"{at}.grace_ms", clock.grace_ms, rule)
    if clock.unfinished_board == "finish" and clock.grace_ms != Clock().grace_ms:
        yield not_here(f"{at}.grace_ms", "boards that are played to their end need no grace", rule)
    if clock.boards_per_bout is not None:
        yield from outside(f"{at}.boards_per_bout", clock.boards_per_bout, 1, MOST_HANDS, rule)
        if stage.round.hands not in (1, clock.boards_per_bout):
            message = f"round.hands says {stage.round.hands} and boards_per_bout {clock.boards_per_bout}"
            yield Mistake(f"{path}.round.hands", message, "one of the two", "round = { hands = 1 }", rule)
    name = named(stage)
    if stage.scoring != "duplicate":
        message = f"{name} compares the same boards everywhere"
        yield Mistake(f"{path}.scoring", message, '"duplicate"', 'scoring = "duplicate"', rule)
    if stage.base_growth.kind != "none":
        yield not_here(f"{path}.base_growth", "the same board has the same base score at every table", rule)
    if stage.min_payment:
        yield not_here(f"{path}.min_payment", "what a board is worth does not depend on who has how much", rule)
    if stage.bye_delta != 0:
        yield not_here(f"{path}.bye_delta", f"a bye has no effect on the score in {name}", rule)
    if stage.round_carry_pct != 100:
        yield not_here(f"{path}.round_carry_pct", f"{name} averages over all boards played", rule)
    if stage.tie_chain is not None:
        yield not_here(f"{path}.tie_chain", "equal averages go by more boards, then by registration", "R-DU-04")


def _duplicate(stage: Stage, path: str) -> Iterator[Mistake]:
    """R-DU-01 to R-DU-05: how boards are compared."""
    at, rule = f"{path}.duplicate", stage.duplicate
    if timeline_of(stage) != "clock":
        if stage.scoring == "duplicate":
            message = f"{named(stage)} does not deal the same boards everywhere"
            yield Mistake(f"{path}.scoring", message, '"total" or "placement"', 'scoring = "total"', "R-DU-01")
        if rule != Duplicate():
            yield not_here(at, f"{named(stage)} does not compare boards", "R-DU-01")
        return
    if not 0 <= rule.datum.trim_fraction < Fraction(1, 2):
        message = f"{plainly(rule.datum.trim_fraction)} at each end leaves nothing to average"
        yield Mistake(f"{at}.datum.trim_fraction", message, "a number from 0 to below 0.5", rule="R-DU-02")
    if rule.datum.trim_fixed is not None:
        yield from outside(f"{at}.datum.trim_fixed", rule.datum.trim_fixed, 0, MOST_HANDS, "R-DU-02")
        if rule.datum.trim_fraction != Duplicate().datum.trim_fraction:
            message = "the datum is trimmed by a share and by a number"
            yield Mistake(f"{at}.datum.trim_fixed", message, "one of the two", "trim_fraction = 0.25", "R-DU-02")
    if rule.datum.round not in (0, 10):
        message = f"a datum is not rounded to {rule.datum.round}"
        yield Mistake(f"{at}.datum.round", message, "0 or 10", "round = 10", "R-DU-02")
    yield from outside(f"{at}.min_results", rule.min_results, 1, MOST_HANDS, "R-DU-02")
    yield from outside(f"{at}.closes_at", rule.closes_at, max(1, rule.min_results), MOST_HANDS, "R-DU-02")
    if rule.required_boards is None:
        message = "how many boards make a result is not said"
        yield Mistake(f"{at}.required_boards", message, "a number of boards", "required_boards = 20", "R-DU-05")
    else:
        yield from outside(f"{at}.required_boards", rule.required_boards, 1, MOST_PLAYERS, "R-DU-05")
        if isinstance(stage.bouts, int) and rule.required_boards > stage.bouts * stage.bout_boards:
            most = stage.bouts * stage.bout_boards
            message = f"{rule.required_boards} boards are required and the stage has {most}"
            yield Mistake(f"{at}.required_boards", message, f"at most {most}", rule="R-DU-05")
    if rule.directions and len(rule.directions) != stage.table_size:
        message = f"{len(rule.directions)} directions for a table of {stage.table_size}"
        names = 'directions = ["NS", "EW", "NS", "EW"]'
        yield Mistake(
            f"{at}.directions", message, "one for each seat", names if stage.table_size == 4 else "", "R-DU-01"
        )
