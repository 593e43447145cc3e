"""Scores without cards: zero-sum, by the deal alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bots.errors import LogDoesNotFit, UnknownGame, WrongSeats
from bots.games import HandToPlay, ScoreModel, load_game, play_out

deals = st.binary(min_size=32, max_size=32).map(bytes.hex)


def played_out(game, hand):
    return play_out(game.play(hand))


@given(deal=deals, seats=st.integers(2, 8), base_score=st.integers(1, 10**6))
def test_one_player_settles_with_all_others(deal, seats, base_score):
    players = [f"p{n}" for n in range(seats)]
    _, scores = played_out(ScoreModel(), HandToPlay(deal, base_score, players))
    values = sorted(scores.values(), key=abs)
    assert list(scores) == players
    assert sum(values) == 0
    assert len(set(values[:-1])) == 1
    assert values[0] != 0
    assert all(value % base_score == 0 for value in values)


def test_every_seat_wins_and_loses_alone():
    outcomes = set()
    for n in range(300):
        _, scores = played_out(ScoreModel(), HandToPlay(f"{n:064x}", 1, ["a", "b", "c"]))
        alone = max(scores, key=lambda player: abs(scores[player]))
        outcomes.add((alone, scores[alone] > 0))
    assert outcomes == {(player, won) for player in "abc" for won in (True, False)}


def test_its_log_is_repeated_and_a_foreign_one_is_refused():
    hand = HandToPlay("99" * 32, 10, ["a", "b", "c"])
    log, scores = played_out(ScoreModel(), hand)
    assert played_out(ScoreModel(), HandToPlay(hand.deal, 10, hand.players, log)) == ([], scores)
    with pytest.raises(LogDoesNotFit):
        played_out(ScoreModel(), HandToPlay(hand.deal, 10, hand.players, [10_000]))


def test_nobody_plays_alone():
    with pytest.raises(WrongSeats):
        played_out(ScoreModel(), HandToPlay("99" * 32, 10, ["a"]))


def test_an_unknown_game_names_those_there_are():
    with pytest.raises(UnknownGame, match="dou_dizhu"):
        load_game("chess_boxing")
