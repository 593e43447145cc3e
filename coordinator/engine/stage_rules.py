"""What the stage in play makes of its definition: its base score now, its points, its chain, its rounds.

Implements R-HI-07.
"""

from collections.abc import Sequence
from itertools import pairwise

from coordinator.engine import dominion, duplicate, growth, ranking, rounds, scoring
from coordinator.engine.definition import MatchDefinition, Stage
from coordinator.engine.formats import format_of
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
    if format_of(stage).duels:
        return dominion.CHAIN
    if is_final(definition, stage):
        return ("swiss_rank",)
    return ranking.chain_for(definition.event_class, stage.format)


def placement_points(stage: Stage) -> tuple[int, ...]:
    """R-SC-02: points by place at the table."""
    return stage.placement_points or scoring.placement_points_default(stage.table_size)


def bye_worth(stage: Stage) -> tuple[int, Number]:
    """R-CA-01: what a bye is worth as (score, placement points); the one that is not scored by is 0."""
    if format_of(stage).duels:
        return 0, stage.main_points.default_win
    if stage.scoring == "total":
        return stage.bye_delta, 0
    if stage.scoring == "duplicate":
        return 0, 0  # R-CS-01: without score effect
    if stage.bye_points is not None:
        return 0, exact(stage.bye_points)
    return 0, scoring.bye_points(placement_points(stage))


def scored_quantity(stage: Stage, entrant: Entrant) -> Number:
    """R-SC: what a stage ranks by and what is carried out of it."""
    return entrant.points if by_points(stage) else entrant.score


def by_points(stage: Stage) -> bool:
    """Whether a stage ranks by points and not by score: placement points, standard points of the boards, or main
    points (R-SC-02, R-DU-04, R-DM-03)."""
    return stage.scoring != "total" or format_of(stage).duels


def is_final(definition: MatchDefinition, stage: Stage) -> bool:
    """R-DM-12: whether a stage is the final of a Dominion Swiss, the one table that follows on its bouts."""
    stages = definition.stages
    if not format_of(stage).one_table:
        return False
    return any(format_of(a).duels and b is stage for a, b in pairwise(stages))


def bouts_planned(stage: Stage, entrants: int) -> int | None:
    """R-HI-06, R-DM-02: how many bouts a stage has, known when it opens; None where it ends by itself."""
    bouts = stage.bouts if stage.bouts is not None else format_of(stage).bouts
    if bouts is None and format_of(stage).duels:
        return dominion.bouts_for(entrants)
    return bouts if isinstance(bouts, int) else None


def last_late_bout(state: MatchState) -> int:
    """R-DM-11: the last bout that somebody who comes late may still play."""
    limit = state.stage_rules.late_until_round
    if limit is not None:
        return limit
    return (bouts_planned(state.stage_rules, state.current.entrants) or 0) - 1


def dominion_table(state: MatchState) -> dominion.Table:
    """R-DM-05: the numbers of everybody who ever entered the stage in play, in the order of registration.

    A player who is out of the match since an earlier stage never was in this one.
    """
    stage, stage_id = state.current, state.stage_rules.id
    players = [e.player_id for e in state.entrants.values() if e.state != "out" or e.out_in == stage_id]
    missed = {player_id: bout_no - 1 for player_id, bout_no in stage.joined.items()}
    penalties = {e.player_id: e.penalty for e in state.entrants.values() if e.penalty}
    return dominion.table(players, stage.games, state.stage_rules.main_points, missed, penalties)


def ranked_in_stage(state: MatchState, entrants: Sequence[Entrant]) -> list[str]:
    """The strict order of some players of the stage in play: by whatever its format ranks by, the disqualified last."""
    ordered = _by_format(state, entrants)
    if state.disqualified:
        ordered.sort(key=lambda player_id: player_id in state.disqualified)
    return ordered


def _by_format(state: MatchState, entrants: Sequence[Entrant]) -> list[str]:
    rules = state.stage_rules
    chain = tie_chain(state.rules, rules)
    if chain[-1] == "swiss_rank":
        return _ranked_by_entry(state, entrants, chain[:-1])
    if not format_of(rules).duels:
        return rank_players(state.rules, rules, entrants)
    asked = {entrant.player_id: None for entrant in entrants}
    table = dominion_table(state)
    ordered = ranking.order(table.chosen(chain), [state.entrants[player_id].reg_seq for player_id in table.players])
    return [table.players[row] for row in ordered if table.players[row] in asked]


def _ranked_by_entry(state: MatchState, entrants: Sequence[Entrant], chain: Sequence[str]) -> list[str]:
    """R-DM-12: by score, then the chain, then the order in which the stage was entered: the rank brought along."""
    entered = {player_id: number for number, player_id in enumerate(state.current.active)}
    behind = len(entered)  # who is out is nowhere among those who are in
    columns = [[e.score for e in entrants], *ranking.tie_columns(chain, [e.last_hand for e in entrants])]
    ordered = ranking.order(columns, [entered.get(e.player_id, behind + e.reg_seq) for e in entrants])
    return [entrants[row].player_id for row in ordered]


def final_quantity(state: MatchState, player_id: str) -> Number:
    """R-HI-01: what a player leaves a match with, as the stage scored it that was the player's last."""
    entrant = state.entrants[player_id]
    stages = state.rules.stages
    last = next((stage for stage in stages if stage.id == entrant.out_in), stages[-1])
    return scored_quantity(last, entrant)


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
    of_sides = rounds.side_totals(table.totals, _sides(stage))
    return rounds.target_over(of_sides, played, rule.target, rule.max_hands) is not None


def _sides(stage: Stage) -> list[list[int]]:
    return rounds.sides_of(stage.round.sides, stage.table_size)


def places_at_table(definition: MatchDefinition, stage: Stage, table: Table, seated: Sequence[Entrant]) -> list[int]:
    """R-HI-07: the strict places inside a table's round, in seat order.

    Under total score what was carried into the round counts (R-CA-02); placement points and target rounds look at
    this round alone (R-SC-02, R-RT-01), and of two sides the winning one stands first as a whole.
    """
    chain = tie_chain(definition, stage)
    last_hand, reg_seq = [e.last_hand for e in seated], [e.reg_seq for e in seated]
    if stage.round.sides:
        return ranking.side_places(_sides(stage), table.totals, last_hand, reg_seq, chain)
    alone = stage.scoring != "total" or stage.round.type == "target"
    totals = table.totals if alone else [entrant.score for entrant in seated]
    return ranking.table_places(totals, last_hand, reg_seq, chain)


def points_at_table(stage: Stage, table: Table, places: Sequence[int]) -> list[Number]:
    """R-SC-02: each seat's placement points; equal totals, which may share, are those of whole sides where there are
    sides (R-RT-01)."""
    if stage.scoring != "placement":
        return [0] * len(places)
    totals = table.totals
    if stage.round.sides:
        sides = _sides(stage)
        totals = [0] * len(places)
        for side, together in zip(sides, rounds.side_totals(table.totals, sides), strict=True):
            for seat in side:
                totals[seat] = together
    return scoring.award_points(places, totals, placement_points(stage)[: len(places)], stage.tied_places)
