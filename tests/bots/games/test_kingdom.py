"""Kingdom: the same deal is the same game, its points are those of its cards, and now and then somebody leaves."""

import pytest

from bots.errors import LogDoesNotFit, WrongSeats
from bots.games import Acted, Ended, HandToPlay, load_game, take_all
from bots.games.kingdom import CARDS, TURNS

DEALS = [f"{number:064x}" for number in range(120)]


def hand(deal: str, players: int = 2, log: tuple[int | str, ...] = ()) -> HandToPlay:
    return HandToPlay(deal, 1, [f"p{n}" for n in range(players)], log)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_game_is_its_deal(players: int) -> None:
    game = load_game("kingdom")
    for deal in DEALS:
        actions, ended = take_all(game.play(hand(deal, players)))
        assert take_all(game.play(hand(deal, players))) == (actions, ended)
        assert sum(ended.scores.values()) == sum(CARDS[int(action)] for action in actions)
        assert (len(actions) == players * TURNS) == (ended.dropped == ())
        assert all(player in ended.scores for player in ended.dropped)


def test_some_games_are_left_and_most_are_not() -> None:
    left = [deal for deal in DEALS if take_all(load_game("kingdom").play(hand(deal)))[1].dropped]
    assert 1 <= len(left) <= len(DEALS) // 4


def test_an_interrupted_game_ends_as_it_would_have_ended() -> None:
    for deal in DEALS[:30]:
        actions, ended = take_all(load_game("kingdom").play(hand(deal)))
        half = tuple(actions[: len(actions) // 2])
        steps = list(load_game("kingdom").play(hand(deal, log=half)))
        assert [step.repeated for step in steps if isinstance(step, Acted)].count(True) == len(half)
        assert steps[-1] == ended
        assert isinstance(steps[-1], Ended)


def test_a_log_of_another_game_is_noticed() -> None:
    actions, _ = take_all(load_game("kingdom").play(hand(DEALS[0])))
    wrong = (99, *actions[1:])
    with pytest.raises(LogDoesNotFit, match="action 1"):
        list(load_game("kingdom").play(hand(DEALS[0], log=wrong)))
    with pytest.raises(LogDoesNotFit, match="ends"):
        list(load_game("kingdom").play(hand(DEALS[0], log=(*actions, 0))))


def test_nobody_plays_alone() -> None:
    with pytest.raises(WrongSeats):
        list(load_game("kingdom").play(hand(DEALS[0], 1)))
