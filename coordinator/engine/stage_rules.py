"""What the stage in play makes of its definition: its base score now, its points, its chain, its rounds."""

from collections.abc import Sequence

from coordinator.engine import duplicate, growth, ranking, rounds, scoring
from coordinator.engine.definition import MatchDefinition, Stage
from coordinator.engine.numbers import MOST_EXACT, Number, exact
from coordinator.engine.state import Entrant, MatchState, Table

_NOT_IN = ("out", "offered", "left", "joining")
"""The states of entrants who are not in the stage in play."""


def base_at_tick(stage: Stage, tick: int) -> int:
    """R-ME-03: the base score of a stage at a tick, always in closed form and never beyond what peers keep exactly."""
    rule = stage.base_growth
    base0 = stage.initial_game_state.base_score
    add = base0 // 2 if rule.add is None else rule.add
    return growth.base_at(
        rule.kind,
        base0,
        tick,
        add=add,
        add_step=rule.add_step,
        ratio=rule.ratio,
        values=rule.values,
        max_base=_most_base(stage),
    )


def tick_now(state: MatchState, t: int) -> int:
    """R-ME-03: the tick the stage in play has reached, by its clock or by its scored hands.

    Ticks are no longer counted once the base score cannot change any more.
    """
    stage = state.current
    rule = state.stage_rules.base_growth
    if _at_rest(state):
        return stage.tick
    if rule.by == "hands":
        return stage.hands // rule.every_hands
    return growth.tick_at(t - stage.opened_at, rule.every_ms)


def base_now(state: MatchState, t: int) -> int:
    """R-ME-03: the base score for hands that start at ``t``."""
    rules, stage = state.stage_rules, state.current
    if rules.base_growth.kind == "none":
        return stage.base_score
    tick = tick_now(state, t)
    return stage.base_score if tick == stage.tick else base_at_tick(rules, tick)


def next_base_at(state: MatchState) -> int | None:
    """When the next tick of the stage in play falls due by the clock; None if its base score does not rise by it."""
    stage = state.current
    rule = state.stage_rules.base_growth
    if rule.by != "time" or _at_rest(state):
        return None
    return stage.opened_at + (stage.tick + 1) * rule.every_ms


def _at_rest(state: MatchState) -> bool:
    """Whether no later tick changes the base score of the stage in play; one tick without a rise does not say so."""
    stage, rules = state.current, state.stage_rules
    rule = rules.base_growth
    if rule.kind == "none":
        return True
    if rule.kind == "table":
        return stage.tick >= len(rule.values) - 1
    return stage.base_score >= _most_base(rules) or (rule.kind == "geometric" and rule.ratio == 1)


def _most_base(stage: Stage) -> int:
    limit = stage.base_growth.max_base
    return MOST_EXACT if limit is None else min(limit, MOST_EXACT)


def tie_chain(definition: MatchDefinition, stage: Stage) -> tuple[str, ...]:
    """R-TB-03: the chain that splits equals in this stage."""
    if stage.tie_chain is not None:
        return stage.tie_chain
    return ranking.chain_for(definition.event_class, stage.format)


def placement_points(stage: Stage) -> tuple[int, ...]:
    """R-SC-02: points by place at the table."""
    return stage.placement_points or scoring.placement_points_default(stage.table_size)


def bye_worth(stage: Stage) -> tuple[int, Number]:
    """R-CA-01: what a bye is worth as (score, placement points); the one that is not scored by is 0."""
    if stage.scoring == "total":
        return stage.bye_delta, 0
    if stage.scoring == "duplicate":
        return 0, 0  # R-CS-01: without score effect
    if stage.bye_points is not None:
        return 0, exact(stage.bye_points)
    return 0, scoring.bye_points(placement_points(stage))


def scored_quantity(stage: Stage, entrant: Entrant) -> Number:
    """R-SC: what a stage ranks by and what is carried out of it."""
    return entrant.score if stage.scoring == "total" else entrant.points


def rank_players(definition: MatchDefinition, stage: Stage, entrants: Sequence[Entrant]) -> list[str]:
    """The strict order of players by the scored quantity, then real score, then the tie chain (R-SC-02, R-TB-03)."""
    ordered = ranking.order(rank_columns(definition, stage, entrants), [e.reg_seq for e in entrants])
    players = [e.player_id for e in entrants]
    return [players[row] for row in ordered]


def still_in(state: MatchState) -> list[Entrant]:
    """The entrants who are still in, in no order that matters.

    Most of a huge field is read in the order of registration, which is the order in memory and several times quicker
    than looking players up by rank.
    """
    active, entrants = state.current.active, state.entrants
    if 2 * len(active) < len(entrants):
        return [entrants[player_id] for player_id in active]
    return [entrant for entrant in entrants.values() if entrant.state not in _NOT_IN]


def rank_columns(definition: MatchDefinition, stage: Stage, entrants: Sequence[Entrant]) -> list[Sequence[Number]]:
    """The columns that decide between entrants, the most important first; registration always comes last."""
    if stage.scoring == "duplicate":  # R-DU-04
        boards = [e.boards for e in entrants]
        return [duplicate.means([e.points for e in entrants], boards), boards]
    columns: list[Sequence[Number]] = [[e.points for e in entrants]] if stage.scoring == "placement" else []
    columns.append([e.score for e in entrants])
    columns += ranking.tie_columns(tie_chain(definition, stage), [e.last_hand for e in entrants])
    return columns


def round_is_over(stage: Stage, table: Table) -> bool:
    """R-RF-01, R-RT-01: whether the players of a table part after the hand just scored."""
    played = len(table.results)
    rule = stage.round
    if rule.type == "fixed_hands":
        return rounds.fixed_hands_over(played, rule.hands)
    assert rule.target is not None, "a checked target round has a target"
    assert rule.max_hands is not None, "a checked target round has an end"
    return rounds.target_over(table.totals, played, rule.target, rule.max_hands) is not None


def places_at_table(definition: MatchDefinition, stage: Stage, table: Table, seated: Sequence[Entrant]) -> list[int]:
    """R-HI-07: the strict places inside a table's round, in seat order.

    Under total score what was carried into the round counts (R-CA-02); placement points and target rounds look at
    this round alone (R-SC-02, R-RT-01).
    """
    alone = stage.scoring != "total" or stage.round.type == "target"
    totals = table.totals if alone else [entrant.score for entrant in seated]
    return ranking.table_places(
        totals, [e.last_hand for e in seated], [e.reg_seq for e in seated], tie_chain(definition, stage)
    )
