"""An eliminated player takes an offer to come back, or does not.

Implements R-RV-05.
"""

from coordinator.engine import commands, events
from coordinator.engine.refusal import Decision, Refused, unknown_player
from coordinator.engine.state import MatchState, Offer
from coordinator.engine.timelines import revivals


def revive(state: MatchState, command: commands.Revive) -> Decision:
    """R-RV-01: a paid revival; the payment reference makes it happen once. Of packs the player has chosen (R-RV-05)."""
    used = state.payments.get(command.payment_ref)
    if used is not None:
        if used == (command.player_id, command.offer_no):
            return ()
        return Refused("payment_used", "this payment was for another offer", "payment_ref", "a payment of its own")
    offer = _open_offer(state, command.player_id, command.offer_no)
    if isinstance(offer, Refused):
        return offer
    if not offer.packs:
        if command.pack is not None:
            return Refused("wrong_pack", "no packs are on sale", "pack", "none")
        fee, score = offer.fee, offer.score
    elif command.pack is None or not 1 <= command.pack <= len(offer.packs):
        return Refused("wrong_pack", "no such pack is on sale", "pack", f"a number from 1 to {len(offer.packs)}")
    else:
        chosen = offer.packs[command.pack - 1]
        fee, score = chosen.cost, chosen.score
    at = (command.t, command.player_id, command.offer_no, command.payment_ref)
    return (events.PlayerRevived(*at, fee, score, command.pack),)


def decline(state: MatchState, command: commands.DeclineRevival) -> Decision:
    """R-RV-01: an offer is not taken, or the player cannot pay for it; the elimination is final."""
    offer = _open_offer(state, command.player_id, command.offer_no)
    if isinstance(offer, Refused):
        return offer
    return (revivals.closed(state, command.t, (command.player_id,), command.reason),)


def _open_offer(state: MatchState, player_id: str, offer_no: int) -> Offer | Refused:
    if player_id not in state.entrants:
        return unknown_player(player_id)
    offer = state.stage.offers.get(player_id) if state.stage is not None else None
    if offer is None or offer.offer_no != offer_no:
        return Refused("no_offer", "no such offer of revival is open", "offer_no", "an offer that is open")
    return offer
