"""Kingdom: turns in which cards are bought for victory points, the way a deck-building game is scored.

For two players or more. Nobody pays anybody, so the points of a game do not add up to zero. Now and then a player walks
away in the middle of a game: that is part of the deal, so the same deal is left again by the same player.
"""

from collections.abc import Iterator

from bots.errors import LogDoesNotFit, WrongSeats
from bots.games.game import Acted, Ended, HandToPlay, Step
from protocol.deal import DealStream

TURNS = 6
CARDS = (0, 0, 1, 1, 3, 3, 6)
"""Victory points of what may be bought in a turn; every entry is equally likely."""
ONE_LEAVES_IN = 12


class Kingdom:
    """A :class:`~bots.games.game.Game` of six turns each; an action is the number of the card that was bought."""

    def play(self, hand: HandToPlay) -> Iterator[Step]:
        """The turns in seat order, then the victory points, or an early end by somebody who left."""
        seats = len(hand.players)
        if seats < 2:
            raise WrongSeats(f"kingdom is played by 2 players or more, the table has {seats}")
        deal = DealStream(hand.deal)
        leaves_at = deal.below(seats * TURNS) if deal.below(ONE_LEAVES_IN) == 0 else None
        points = dict.fromkeys(hand.players, 0)
        for turn in range(seats * TURNS):
            player = hand.players[turn % seats]
            if turn == leaves_at:
                _expect(hand, turn, None)
                yield Ended(points, dropped=(player,))
                return
            card = deal.below(len(CARDS))
            _expect(hand, turn, card)
            yield Acted(card, repeated=turn < len(hand.log))
            points[player] += CARDS[card] * hand.base_score
        _expect(hand, seats * TURNS, None)
        yield Ended(points)


def _expect(hand: HandToPlay, turn: int, card: int | None) -> None:
    """The log of an interrupted hand says what the deal says, as far as it goes."""
    if turn < len(hand.log) and hand.log[turn] != card:
        said = "ends" if card is None else f"buys {card}"
        raise LogDoesNotFit(f"action {turn + 1} of the log is {hand.log[turn]!r}, but the deal {said} there")
