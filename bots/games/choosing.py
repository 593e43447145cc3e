"""How a bot chooses among its legal actions, and where its chance comes from.

A choice takes its draws from a stream of the hand's own, kept apart from the cards: the deck of a deal is the
same whatever the players do, and the players do the same wherever the hand is played.
"""

import hashlib
from collections.abc import Callable, Sequence

from protocol.deal import DealStream

Choose = Callable[[Sequence[int], DealStream], int]
"""From the legal actions, in ascending order and never none, to one of them."""


def choice_stream(deal: str) -> DealStream:
    """The stream the players of this deal choose by: derived from the deal, apart from its cards."""
    return DealStream(hashlib.sha256(f"{deal}/play".encode()).hexdigest())


def table_stream(deal: str, players: Sequence[str]) -> DealStream:
    """The stream these players choose by: where many tables play the same deal, each plays it its own way."""
    return DealStream(hashlib.sha256("/".join([deal, "play", *players]).encode()).hexdigest())


def any_legal(legal: Sequence[int], stream: DealStream) -> int:
    """Any legal action, each as likely as the others."""
    return legal[stream.below(len(legal))]


def greater_of_two(legal: Sequence[int], stream: DealStream) -> int:
    """The greater of two random actions.

    OpenSpiel numbers dou dizhu's actions so that passing is the least, more cards are greater and bombs come
    last; a player of this kind sheds cards, seldom passes with something in hand, and costs no more than a
    random one.
    """
    count = len(legal)
    return legal[max(stream.below(count), stream.below(count))]
