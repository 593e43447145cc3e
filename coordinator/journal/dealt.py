"""The deals of a match as its journal has them, for anybody who wants to verify that nobody chose them."""

import attrs

from coordinator.engine import effects as fx
from coordinator.engine.boards import board_name
from coordinator.engine.deals import table_name
from coordinator.engine.ladder.changes import boards_of
from coordinator.engine.state import MatchState
from coordinator.errors import JournalDamaged
from coordinator.journal.kinds import MATCH
from coordinator.journal.records import Chain
from coordinator.journal.store import Store
from protocol.deal import commitment, deal_of


@attrs.frozen
class Dealt:
    """What was published about a match's deals. ``deals``: board, hand and deal of each order to start a hand."""

    match_id: str
    commitment: str
    secret: str
    over: bool
    deals: tuple[tuple[str, int, str], ...]


def dealt(store: Store, match_id: str) -> Dealt:
    """Fold a match and gather the deals it ordered, a repeated hand once. Raises JournalDamaged and JournalNewer."""
    state = MATCH.new_state()
    found: dict[tuple[str, int, str], None] = {}
    for record in store.follow(Chain.start(match_id)):
        for event in record.events:
            try:
                MATCH.evolve(state, event)
                for effect in MATCH.effects(state, event):
                    if isinstance(effect, fx.StartHand):
                        found[_dealt_by(state, effect), effect.hand_no, effect.deal] = None
            except Exception as error:
                what = f"its event {type(event).__name__} does not fit what came before ({type(error).__name__})"
                raise JournalDamaged(match_id, record.seq, what) from error
    return Dealt(match_id, state.commitment, state.secret, state.status == "over", tuple(found))


def _dealt_by(state: MatchState, order: fx.StartHand) -> str:
    """What the deal of a hand depends on beside the secret: the boards of a challenge, a board, or a table."""
    table = state.tables[order.table_id]
    if state.ladder is not None:
        return boards_of(state, table)
    if order.board_no is not None:
        return board_name(state.stage_rules, order.board_no)
    return table_name(order.table_id, table.redeals)


def wrong_deals(found: Dealt) -> list[str]:
    """What does not follow from the published formulas, in sentences; nothing where all is well."""
    wrong = []
    if commitment(found.secret) != found.commitment:
        wrong.append("the secret is not the one whose hash was published before the first deal")
    seen: dict[tuple[str, int], str] = {}
    for board, hand_no, deal in found.deals:
        if deal != deal_of(found.secret, found.match_id, board, hand_no):
            wrong.append(f"{board}, hand {hand_no}: the deal does not follow from the secret")
        if seen.setdefault((board, hand_no), deal) != deal:
            wrong.append(f"{board}, hand {hand_no}: dealt in two ways")
    return wrong
