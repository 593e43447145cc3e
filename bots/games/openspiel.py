"""Any turn-based game of OpenSpiel, played to its end from a deal seed.

Chance nodes are resolved from the deal's stream alone. Uniform chance, which is what shuffled cards are, maps
one integer draw to one outcome exactly. Other chance is drawn by integer weights, the probabilities in units
of 2**-31 (at least one where there is any), so that no float is ever summed and every machine agrees.
"""

from collections.abc import Iterator, Sequence
from typing import Protocol, cast

import pyspiel

from bots.errors import LogDoesNotFit, UnplayableGame, WrongSeats
from bots.games.choosing import Choose, any_legal, choice_stream, table_stream
from bots.games.game import Acted, Action, Ended, HandToPlay, Step
from protocol.deal import DealStream, expand


class _State(Protocol):
    """The part of a pyspiel state that is used here."""

    def is_terminal(self) -> bool: ...
    def is_chance_node(self) -> bool: ...
    def chance_outcomes(self) -> Sequence[tuple[int, float]]: ...
    def legal_actions(self) -> list[int]: ...
    def apply_action(self, action: int) -> None: ...
    def returns(self) -> list[float]: ...


class OpenSpielGame:
    """A :class:`~bots.games.game.Game` made of an OpenSpiel game: seat i is OpenSpiel's player i.

    ``name`` is what OpenSpiel calls the game, parameters included (``"python_rules(players=4)"``). The hand
    score is the game's return times the base score (R-SC-03). With ``deck`` the game deals so many cards one by
    one before anything else, and they are the expanded deck of the deal (:func:`protocol.deal.expand`), top card
    first: every table that is given the deal holds the same cards, and each plays them its own way (R-DU-01).
    Raises :class:`~bots.errors.UnplayableGame` for games with simultaneous moves or with chance that OpenSpiel
    draws by itself.
    """

    def __init__(self, name: str, *, choose: Choose = any_legal, deck: int | None = None) -> None:
        self.name = name
        self._choose = choose
        self._deck = deck
        self._game = pyspiel.load_game(name)
        kind = self._game.get_type()
        if kind.dynamics != pyspiel.GameType.Dynamics.SEQUENTIAL:
            raise UnplayableGame(f"{name} is not played in turns")
        if kind.chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC:
            raise UnplayableGame(f"{name} draws its chance itself, so its deals cannot be repeated")

    @property
    def seats(self) -> int:
        """How many players the game takes."""
        return int(self._game.num_players())

    def play(self, hand: HandToPlay) -> Iterator[Step]:
        """The hand's steps; the log is applied first, each of its actions checked, then play is free
        (R-RC-02).

        One choice is drawn for every action, the repeated ones included. So a hand that was interrupted and
        is repeated from its own log ends as it would have ended.
        """
        if len(hand.players) != self.seats:
            raise WrongSeats(f"{self.name} is played by {self.seats} players, the table has {len(hand.players)}")
        cards = DealStream(hand.deal)
        choices = choice_stream(hand.deal) if self._deck is None else table_stream(hand.deal, hand.players)
        state = cast(_State, self._game.new_initial_state())
        for card in expand(hand.deal, self._deck or 0):
            state.apply_action(card)
        told = 0
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(resolve_chance(state.chance_outcomes(), cards))
                continue
            legal = state.legal_actions()
            action = self._choose(legal, choices)
            repeated = told < len(hand.log)
            if repeated:
                action = _logged(hand.log, told, legal)
            state.apply_action(action)
            told += 1
            yield Acted(action, repeated)
        if told < len(hand.log):
            raise LogDoesNotFit(f"the hand is over after {told} actions, its log has {len(hand.log)}")
        yield Ended(self._scores(state.returns(), hand))

    def _scores(self, returns: Sequence[float], hand: HandToPlay) -> dict[str, int]:
        if not all(value.is_integer() for value in returns):
            raise UnplayableGame(f"{self.name} ended in {returns}; expected whole numbers")
        return {player: int(value) * hand.base_score for player, value in zip(hand.players, returns, strict=True)}


def resolve_chance(outcomes: Sequence[tuple[int, float]], stream: DealStream) -> int:
    """Draw one of ``(action, probability)`` pairs, in the order they are given."""
    first = outcomes[0][1]
    if all(probability == first for _, probability in outcomes):
        return outcomes[stream.below(len(outcomes))][0]
    weights = [max(round(probability * 2**31), 1) if probability else 0 for _, probability in outcomes]
    drawn = stream.below(sum(weights))
    for (action, _), weight in zip(outcomes, weights, strict=True):
        if drawn < weight:
            return action
        drawn -= weight
    raise AssertionError("the draw lies below the sum of the weights")


def _logged(log: Sequence[Action], index: int, legal: Sequence[int]) -> int:
    action = log[index]
    if isinstance(action, str) or action not in legal:
        raise LogDoesNotFit(
            f"action {index + 1} of {len(log)} in the log is {action!r}, none of the {len(legal)} legal ones"
        )
    return action
