"""What the platform owes players: the awards of places, what an island pays, and fees that go back (R-HI-03).

A due has a key that never changes, and is told to one lobby again and again until that lobby confirms the key. So it is
paid exactly once, whatever dies meanwhile.
"""

from collections.abc import Callable, Container, Iterator, Sequence
from typing import Literal

import attrs

from coordinator.engine.definition import Reward
from coordinator.engine.frozen import frozen

_AWARD = "/award/"
_PAYOUT = "/payout/"


@frozen
class Due:
    """What the platform owes a player: an award of a place, what an island pays for a place or for the score of who
    leaves (R-IS-01, R-IS-03), or a fee given back. ``key`` makes it count once.

    ``lobby`` is whom it is told to. ``items`` are those of a place, ``amount`` the units of currency for a score; a
    refund names the ``amount`` of the fee and the payment it was.
    """

    key: str
    kind: Literal["award", "stage_reward", "cash_out", "refund"]
    lobby: str
    source: str
    player_id: str
    place: int | None = None
    items: dict[str, int] = attrs.field(factory=dict)
    fee_kind: Literal["coin", "item"] = "coin"
    item_id: str | None = None
    amount: int = 0
    payment_ref: str | None = None
    reason: str = ""
    stage_id: str = ""
    score: int = 0
    payout_no: int | None = None


def rewarded(rewards: Sequence[Reward], ranking: Sequence[str]) -> Iterator[tuple[int, str, dict[str, int]]]:
    """R-IS-01, R-HI-03: who of a ranking receives what, as place, player and items; a band beyond it is ignored.

    A shared band is divided in whole units among those of its places that somebody has: what is left over after equal
    parts goes one by one to the better places, so that the sum is always paid. A place whose part is nothing is left
    out.
    """
    for reward in rewards:
        last = min(reward.last, len(ranking))
        places = last - reward.first + 1
        for place in range(reward.first, last + 1):
            items = reward.items
            if reward.shared:
                nth = place - reward.first
                parts = {item: amount // places + (nth < amount % places) for item, amount in items.items()}
                items = {item: part for item, part in parts.items() if part}
            if items:
                yield place, ranking[place - 1], items


def awards(
    match_id: str,
    rewards: Sequence[Reward],
    ranking: Sequence[str],
    lobby_of: Callable[[str], str],
    *,
    without: Container[str] = (),
) -> tuple[Due, ...]:
    """R-HI-03: what the places of a match win, each told to the lobby that entered the player.

    Those ``without`` keep their places and win nothing.
    """
    return tuple(
        [
            Due(
                key=f"{match_id}{_AWARD}{place}",
                kind="award",
                lobby=lobby_of(player_id),
                source=match_id,
                player_id=player_id,
                place=place,
                items=items,
            )
            for place, player_id, items in rewarded(rewards, ranking)
            if player_id not in without
        ]
    )


def another_lobby(lobby: str, opened_by: str) -> str:
    """Who enters a player, and is told what the player wins, where that is not who opened the match; else nothing."""
    return "" if lobby == opened_by else lobby


def match_of(key: str) -> str:
    """The match whose award or payout has this key; nothing for a key of another kind."""
    return key.rpartition(_AWARD)[0] or key.rpartition(_PAYOUT)[0]


def payout_key(match_id: str, payout_no: int) -> str:
    """What makes a payout of an island count once."""
    return f"{match_id}{_PAYOUT}{payout_no}"
