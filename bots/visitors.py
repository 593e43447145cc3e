"""Players who decide for themselves: they come to an island and leave it, rest, and buy their way back, by the seed."""

import math
import random
from collections.abc import Sequence

import trio

from protocol.client import Lobby, Notice, RequestRefused
from protocol.messages import CashedOut, Eliminated, RevivalOffer, Waiting

PAUSE_S = 0.02
"""Between two moves of the crowd."""

COINS = (0, 150, 600, 2000)
"""What a player may own, one as likely as the other."""

TOO_LATE = ("match_closed", "eliminated", "leaving", "no_offer", "join_forbidden", "not_started")
"""Refusals that only say that the match has moved on meanwhile."""


class Visitors:
    """Moves the players of one match. Tell it every notice; :meth:`run` until the match is over.

    present: id and name of those who were registered. others: of those who may come later.
    """

    def __init__(
        self,
        lobby: Lobby,
        match_id: str,
        present: Sequence[tuple[str, str]],
        others: Sequence[tuple[str, str]],
        seed: str,
        *,
        moving: bool,
    ) -> None:
        self._lobby = lobby
        self._match_id = match_id
        self._names = dict([*present, *others])
        self._in = dict.fromkeys(player_id for player_id, _ in present)
        self._away = dict.fromkeys(player_id for player_id, _ in others)
        self._chance = random.Random(f"visitors/{seed}")
        self._coins = {player_id: self._chance.choice(COINS) for player_id in self._names}
        self._paid: dict[int | None, None] = {}
        self._moving = moving
        self._send, self._heard = trio.open_memory_channel[Notice](math.inf)

    def notice(self, notice: Notice) -> None:
        """Hear what became of somebody."""
        match notice:
            case CashedOut(player_id=player_id, units=units, payout_no=number):
                if number is not None and number in self._paid:
                    return  # told again, until it is confirmed
                self._in.pop(player_id, None)
                self._away[player_id] = None
                self._coins[player_id] += units
                self._paid[number] = None
            case Eliminated(player_id=player_id):
                self._in.pop(player_id, None)
                self._away[player_id] = None
            case RevivalOffer() | Waiting(reason="resting"):
                self._send.send_nowait(notice)
            case _:
                pass

    async def run(self) -> None:
        """Answer what is asked and, where the format lets players move, move them. Ends when it is cancelled."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._answer_all)
            while self._moving:
                await trio.sleep(PAUSE_S)
                await self._move()

    async def _answer_all(self) -> None:
        async for notice in self._heard:
            try:
                if isinstance(notice, RevivalOffer):
                    await self._answer(notice)
                elif isinstance(notice, Waiting):
                    await self._go_on(notice.players)
            except RequestRefused as refused:
                _unless_late(refused)

    async def _move(self) -> None:
        """One player of the crowd comes or goes."""
        leaving = self._chance.random() < 0.5
        crowd = list(self._in if leaving else self._away)
        if not crowd or (leaving and len(crowd) * 2 < len(self._names)):
            return
        player_id = self._chance.choice(crowd)
        try:
            if leaving:
                await self._lobby.leave(self._match_id, player_id)
            else:
                await self._lobby.join(self._match_id, player_id, self._names[player_id])
                self._away.pop(player_id, None)
                self._in[player_id] = None
        except RequestRefused as refused:
            _unless_late(refused)

    async def _go_on(self, players: Sequence[str]) -> None:
        """Most have rested enough at once; the others stay away until their rest is over and they leave."""
        for player_id in players:
            if self._chance.random() < 0.9:
                await self._lobby.join(self._match_id, player_id, self._names[player_id])

    async def _answer(self, offer: RevivalOffer) -> None:
        """Charge the fee and say so, say no, or say nothing until it is too late."""
        costs = [pack.cost for pack in offer.packs] or [offer.fee]
        choice, cost = min(enumerate(costs, start=1), key=lambda pack: pack[1])
        mood = self._chance.random()
        if mood < 0.1:
            return
        if mood < 0.3:
            await self._lobby.decline_revival(offer.match_id, offer.player_id, offer.offer_no)
        elif self._coins[offer.player_id] < cost:
            await self._lobby.decline_revival(offer.match_id, offer.player_id, offer.offer_no, reason="balance")
        else:
            paid = f"{offer.match_id}-{offer.offer_no}"
            pack = choice if offer.packs else None
            await self._lobby.revive(offer.match_id, offer.player_id, offer.offer_no, paid, pack=pack)
            self._coins[offer.player_id] -= cost


def _unless_late(refused: RequestRefused) -> None:
    if refused.code not in TOO_LATE:
        raise refused
