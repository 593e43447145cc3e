"""What an island owes: units for the score of who leaves (R-IS-03), and at its end the items of a place (R-IS-01).

A lobby that opened the match by itself is owed it as awards are, under a key and until it confirms that (R-HI-03). What
was journaled before it was so, and what a tourney opened, is told to every lobby, and known by its number alone.
"""

from collections.abc import Iterable

from coordinator.engine.dues import Due, payout_key
from coordinator.engine.effects import Effects, SendDues
from coordinator.engine.state import MatchState, Payout


def owe(state: MatchState, payout: Payout) -> None:
    """Note what is owed; it is told when its event is."""
    state.payouts.append(payout)
    if state.owes_payouts:
        [due] = dues_of(state, [payout])
        state.dues[due.key] = due


def dues_of(state: MatchState, payouts: Iterable[Payout]) -> tuple[Due, ...]:
    """These payouts as dues to the lobbies that entered the players; nothing where they are known by their number."""
    if not state.owes_payouts:
        return ()
    return tuple(
        [
            Due(
                key=payout_key(state.match_id, payout.payout_no),
                kind="cash_out" if payout.place is None else "stage_reward",
                lobby=state.lobbies.get(payout.player_id, state.lobby),
                source=state.match_id,
                player_id=payout.player_id,
                place=payout.place,
                items=payout.items,
                amount=payout.units,
                reason=payout.reason,
                stage_id=payout.stage_id,
                score=payout.score,
                payout_no=payout.payout_no,
            )
            for payout in payouts
        ]
    )


def send_dues(state: MatchState, payouts: Iterable[Payout]) -> Effects:
    """Tell these payouts to those who owe them; nothing where there are none, or they are known by their number."""
    dues = dues_of(state, payouts)
    return (SendDues(dues),) if dues else ()
