"""What the cases about tables tell a table server to do, and what it has been told."""

from typing import Any

import attrs
import msgpack

from protocol import messages as m
from tests.shell.programs import Program


@attrs.frozen
class Order:
    """A hand that is ordered at a table, with the seats it is played in."""

    seat: m.Seat
    start: m.StartHand

    @property
    def players(self) -> list[str]:
        """Who sits there, in seat order."""
        return [who.player_id for who in self.seat.seats]

    def ended(self, scores: dict[str, int] | None = None, **changed: Any) -> m.HandEnded:
        """The report of this hand; without scores the first wins what the others lose."""
        worth = dict.fromkeys(self.players, -1) | {self.players[0]: len(self.players) - 1}
        start = self.start
        told = m.HandEnded(
            start.match_id,
            start.table_id,
            start.epoch,
            start.hand_no,
            start.attempt_no,
            worth if scores is None else scores,
            ref=1,
        )
        return attrs.evolve(told, **changed)


async def orders(server: Program) -> dict[tuple[str, int], Order]:
    """Everything the server has been told to play, by match and table: the newest order of each."""
    await server.quiet()
    seats = {(told.match_id, told.table_id): told for told in server.heard if isinstance(told, m.Seat)}
    hands = [told for told in server.heard if isinstance(told, m.StartHand)]
    return {(hand.match_id, hand.table_id): Order(seats[hand.match_id, hand.table_id], hand) for hand in hands}


async def tell_raw(server: Program, message: m.HandEnded, **fields: Any) -> Any:
    """Send a report whose fields a careful client would not write, and hear the answer."""
    words = {field: value for field, value in attrs.asdict(message).items() if value not in ((), [])}
    words |= {"ref": server.ref(), **fields}
    await server.say_raw(msgpack.packb(words))
    return await server.answer(words["ref"])
