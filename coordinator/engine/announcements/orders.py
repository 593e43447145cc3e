"""How things stand, in the words of effects: for the first time, or again for somebody who missed it.

Implements R-HI-04.
"""

from coordinator.engine import boards, deals
from coordinator.engine import effects as fx
from coordinator.engine.formats import timeline_of
from coordinator.engine.ladder import changes
from coordinator.engine.state import MatchState, Table


def seat_players(state: MatchState, table: Table) -> fx.SeatPlayers:
    """The order that opens a table at its present owner; of phase and stage the stage has the last word (R-HI-04)."""
    rules = state.stage_rules
    attributes = {**state.rules.phase_of(table.stage_no).game_attrs, **rules.game_attrs}
    if rules.ladder is not None:
        attributes |= {"replay": rules.ladder.replay}
    entrants = state.entrants
    return fx.SeatPlayers(
        table.server_id or "",
        table.table_id,
        table.epoch,
        state.rules.game,
        rules.id,
        table.bout_no,
        tuple([(player_id, entrants[player_id].name, entrants[player_id].score) for player_id in table.seats])
        if state.ladder is None
        else tuple([(player_id, player_id, 0) for player_id in table.seats]),
        attributes,
    )


def start_hand(state: MatchState, table: Table) -> fx.StartHand:
    """The order that starts the hand in play at its present owner."""
    rules = state.stage_rules
    board_no = boards.board_of(rules, table.bout_no, table.hand_no) if timeline_of(rules) == "clock" else None
    dealt_by = deals.table_name(table.table_id, table.redeals)
    if board_no is not None:
        dealt_by = boards.board_name(rules, board_no)
    if state.ladder is not None:  # both rooms of a match play the same boards (R-BL-14)
        board_no, dealt_by = table.hand_no, changes.boards_of(state, table)
    return fx.StartHand(
        table.server_id or "",
        table.table_id,
        table.epoch,
        table.hand_no,
        table.attempt_no,
        table.base_score,
        deals.deal_of(state.secret, state.match_id, dealt_by, table.hand_no),
        tuple(table.log),
        board_no,
    )


def offer_of(state: MatchState, player_id: str) -> fx.TellOffered:
    """The open offer of a player, as a lobby is told of it; the time left is that of a fresh offer."""
    stage, rules = state.current, state.stage_rules
    offer, rule = stage.offers[player_id], rules.revival
    assert rule is not None, "an offer is made where the stage has revival"
    packs = tuple([(pack.score, pack.cost) for pack in offer.packs])
    what = (rule.fee_kind, rule.item_id, offer.fee, offer.score, packs)
    return fx.TellOffered(rules.id, player_id, offer.offer_no, *what, len(stage.active), rule.offer_ms)


def final_places(state: MatchState) -> tuple[tuple[str, int, str | None], ...]:
    """The result of a match that is over: (player_id, score, stage the player was eliminated in or None) by place."""
    entrants = state.entrants
    return tuple([(p, entrants[p].score, entrants[p].out_in) for p in state.ranking])
