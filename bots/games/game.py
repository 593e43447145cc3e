"""What a game is to a table server: something that turns a hand into steps.

A game knows nothing of time or of the wire. The table server asks for one step after another and decides
itself how long a player thinks in between.
"""

from collections.abc import Iterator, Sequence
from typing import Protocol

import attrs

Action = int | str
"""One entry of a hand's log. Ours are OpenSpiel's integers; a log from the wire may hold text as well."""


@attrs.frozen
class HandToPlay:
    """One attempt of a hand, free of everything the game need not know.

    ``deal`` is the seed of everything drawn (64 hex digits); ``players`` are ids in seat order; ``log`` is
    not empty when an interrupted hand is repeated (R-RC-02).
    """

    deal: str
    base_score: int
    players: Sequence[str]
    log: Sequence[Action] = ()


@attrs.frozen
class Acted:
    """A player acted; ``repeated`` says that the action was taken from the log and is already known."""

    action: Action
    repeated: bool


@attrs.frozen
class Ended:
    """The hand is over: hand scores by player id, in seat order, base score applied (R-SC-03 ``delta``).

    ``dropped`` are the players who left it before its end.
    """

    scores: dict[str, int]
    dropped: tuple[str, ...] = ()


Step = Acted | Ended


class Game(Protocol):
    """A game that can be played to its end."""

    def play(self, hand: HandToPlay) -> Iterator[Step]:
        """The steps of the hand: any number of :class:`Acted`, then one :class:`Ended`.

        The course depends on ``hand`` alone: the same hand gives the same steps in every process. Raises
        :class:`~bots.errors.WrongSeats` or :class:`~bots.errors.LogDoesNotFit`.
        """
        ...


def play_out(steps: Iterator[Step]) -> tuple[list[Action], dict[str, int]]:
    """Take all steps of a hand at once: the new actions (those of the log left out) and the scores."""
    actions, ended = take_all(steps)
    return actions, ended.scores


def take_all(steps: Iterator[Step]) -> tuple[list[Action], Ended]:
    """Take all steps of a hand at once: the new actions (those of the log left out) and its end."""
    actions: list[Action] = []
    for step in steps:
        match step:
            case Acted(action, repeated):
                if not repeated:
                    actions.append(action)
            case Ended():
                return actions, step
    raise AssertionError("a game must end")
