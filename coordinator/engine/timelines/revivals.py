"""Second chances in a pool: who is put out for good, who is offered a revival first, and when an offer ends.

A player with an open offer counts as out (R-RV-01) and has no place yet: a place is given when the elimination is
final, below everybody who is in or may still come back.

Implements R-RV-01.
"""

from typing import Literal

from coordinator.engine import events, ranking, revival
from coordinator.engine.formats.island import entry_score
from coordinator.engine.state import MatchState

Reason = Literal["declined", "balance", "timeout", "end", "left"]


def put_out(
    state: MatchState, t: int, batch: list[ranking.Batched], *, ending: bool
) -> tuple[events.PlayersEliminated | events.RevivalOffered | events.RevivalsClosed, ...]:
    """R-ME-05, R-RV-01: those a hand puts out, some with an offer, the others for good.

    ``ending``: with them the stage reaches its end, which no revival undoes, so that nobody may come back any more.
    """
    stage = state.current
    standing = len(stage.active) + len(stage.offers)
    left = len(stage.active) - len(batch)
    in_order = list(ranking.batch_places(len(stage.active), batch))
    fees = {} if ending else {player_id: _fee(state, player_id, left, t) for player_id in in_order}
    out: list[events.PlayersEliminated | events.RevivalOffered | events.RevivalsClosed] = []
    if ending and stage.offers:
        out.append(closed(state, t, tuple(stage.offers), "end"))
        standing -= len(stage.offers)
    final = tuple(player_id for player_id in in_order if fees.get(player_id) is None)
    if final:
        out.append(events.PlayersEliminated(t, final, _places(state, standing, len(final))))
    offer_no = state.next_offer_no
    # The last of a hand first: offers that end together are put in order by when they were made.
    for player_id in reversed(in_order):
        fee = fees.get(player_id)
        if fee is not None:
            out.append(_offer(state, t, player_id, offer_no, fee, left))
            offer_no += 1
    return tuple(out)


def closed(state: MatchState, t: int, players: tuple[str, ...], reason: Reason) -> events.RevivalsClosed:
    """R-RV-01: the offers of these players, the oldest first, end; who was offered later has the better place."""
    stage = state.current
    standing = len(stage.active) + len(stage.offers)
    best_first = players[::-1]
    offers = tuple(stage.offers[player_id].offer_no for player_id in best_first)
    return events.RevivalsClosed(t, best_first, _places(state, standing, len(players)), offers, reason)


def overdue(state: MatchState, t: int) -> tuple[str, ...]:
    """The players whose offers have timed out, the oldest first."""
    return tuple(player_id for player_id, offer in state.current.offers.items() if offer.due <= t)


def _places(state: MatchState, standing: int, count: int) -> tuple[int | None, ...]:
    """The last ``count`` places of those who stand; an island ranks only those who are present (R-IS-01)."""
    if state.stage_rules.island is not None:
        return (None,) * count
    return tuple(range(standing - count + 1, standing + 1))


def _fee(state: MatchState, player_id: str, left: int, t: int) -> int | None:
    """What coming back would cost the player now; None where there is no coming back."""
    stage, rule = state.current, state.stage_rules.revival
    if rule is None or player_id in stage.leaving or not revival.window_open(rule, left, t - stage.opened_at):
        return None
    return revival.fee_of(rule, state.entrants[player_id].revivals, stage.entrants, left)


def _offer(state: MatchState, t: int, player_id: str, offer_no: int, fee: int, left: int) -> events.RevivalOffered:
    rules, rule = state.stage_rules, state.stage_rules.revival
    assert rule is not None, "an offer is made where the stage has revival"
    score = entry_score(rules) if rule.score_after == "initial" else rule.score_after
    return events.RevivalOffered(t, player_id, offer_no, t + rule.offer_ms, fee, score, left, rule.packs)
