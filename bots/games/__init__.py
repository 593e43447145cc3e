"""Games by name, ready to be played at a table.

To add a game of OpenSpiel, add its line to :data:`GAMES`: the wire name, its OpenSpiel name and, if it has
one worth having, a way to choose.
"""

from collections.abc import Callable, Mapping
from functools import partial
from importlib.util import find_spec
from types import MappingProxyType

from bots.errors import NoOpenSpiel, UnknownGame
from bots.games.choosing import Choose, any_legal, greater_of_two
from bots.games.game import Acted, Ended, Game, HandToPlay, Step, play_out, take_all
from bots.games.kingdom import Kingdom
from bots.games.score_model import ScoreModel

__all__ = [
    "GAMES",
    "Acted",
    "Ended",
    "Game",
    "HandToPlay",
    "Kingdom",
    "ScoreModel",
    "Step",
    "load_game",
    "play_out",
    "require_openspiel",
    "take_all",
]


def require_openspiel() -> None:
    """Raise :class:`~bots.errors.NoOpenSpiel`, with what mends it, where real games cannot be played."""
    if find_spec("pyspiel") is None:
        raise NoOpenSpiel("real games need OpenSpiel: pip install 'match-coordinator[bots]'")


def _open_spiel(name: str, choose: Choose = any_legal, deck: int | None = None) -> Game:
    require_openspiel()
    from bots.games.openspiel import OpenSpielGame  # here: it is large, and an extra of the package

    return OpenSpielGame(name, choose=choose, deck=deck)


GAMES: Mapping[str, Callable[[], Game]] = MappingProxyType(
    {
        "dou_dizhu": partial(_open_spiel, "dou_dizhu", choose=greater_of_two),
        "bridge": partial(_open_spiel, "bridge(use_double_dummy_result=false)", deck=52),
        "kingdom": Kingdom,
    }
)
"""What can be played, by the name that ``seat`` messages carry."""


def load_game(name: str) -> Game:
    """The game called ``name``; raises :class:`~bots.errors.UnknownGame` with the names there are."""
    try:
        make = GAMES[name]
    except KeyError:
        raise UnknownGame(f"there is no game {name!r}; expected one of: {', '.join(sorted(GAMES))}") from None
    return make()
