"""Scores without a game: for load, where the coordinator is measured and not the cards."""

from collections.abc import Iterator

from bots.errors import LogDoesNotFit, WrongSeats
from bots.games.game import Acted, Ended, HandToPlay, Step
from protocol.deal import DealStream

MULTIPLES = (1, 2, 2, 3, 3, 3, 3, 3, 3, 4, 6, 6, 6, 12)
"""What a hand is worth to each of the many; every entry is equally likely. Roughly dou dizhu's spread."""


class ScoreModel:
    """One player against the others, as in dou dizhu: the one wins or loses what all the others lose or win
    together.

    Takes any table of two or more. The hand's only action is the number of its outcome, so that a log can be
    repeated and a wrong log is noticed.
    """

    def play(self, hand: HandToPlay) -> Iterator[Step]:
        """One action, then zero-sum scores, all of it a function of the deal."""
        seats = len(hand.players)
        if seats < 2:
            raise WrongSeats(f"the score model is played by 2 players or more, the table has {seats}")
        outcome = DealStream(hand.deal).below(2 * seats * len(MULTIPLES))
        if hand.log and list(hand.log) != [outcome]:
            raise LogDoesNotFit(f"the log is {list(hand.log)!r}; expected [{outcome}]")
        yield Acted(outcome, repeated=bool(hand.log))
        rest, alone = divmod(outcome, seats)
        which, lost = divmod(rest, 2)
        each = MULTIPLES[which] * hand.base_score * (1 if lost else -1)
        scores = dict.fromkeys(hand.players, each)
        scores[hand.players[alone]] = -each * (seats - 1)
        yield Ended(scores)
