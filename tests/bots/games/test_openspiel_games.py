"""Real games from a deal seed: repeatable, zero-sum, and repeated from their own log (R-RC-02, R-SC-03)."""

import hashlib
from itertools import islice

import pyspiel
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bots.errors import LogDoesNotFit, UnplayableGame, WrongSeats
from bots.games import Acted, Ended, HandToPlay, load_game, play_out
from bots.games.choosing import any_legal, choice_stream, greater_of_two
from bots.games.openspiel import OpenSpielGame, resolve_chance
from protocol.deal import DealStream

SEATS = ("anna", "bo", "chen")
DOU_DIZHU = load_game("dou_dizhu")
GOLDEN = (28, [3, 3, -6], "c6b7d756656bcac9")
deals = st.binary(min_size=32, max_size=32).map(bytes.hex)


def hand(deal, base_score=1, log=(), players=SEATS):
    return HandToPlay(deal=deal, base_score=base_score, players=players, log=log)


def played_out(game, hand):
    return play_out(game.play(hand))


def cards_of(deal, choose):
    """The cards as OpenSpiel deals them, checked to be those the hand was played with."""
    actions, _ = played_out(OpenSpielGame("dou_dizhu", choose=choose), hand(deal))
    state, stream = pyspiel.load_game("dou_dizhu").new_initial_state(), DealStream(deal)
    while state.is_chance_node():
        state.apply_action(resolve_chance(state.chance_outcomes(), stream))
    cards = state.history()
    for action in actions:  # raises if these cards do not allow it
        state.apply_action(action)
    assert state.is_terminal()
    return cards


@settings(max_examples=60, deadline=None)
@given(deal=deals, base_score=st.integers(1, 10**9))
def test_a_hand_ends_with_a_zero_sum_in_units_of_the_base_score(deal, base_score):
    actions, scores = played_out(DOU_DIZHU, hand(deal, base_score))
    assert list(scores) == list(SEATS)
    assert sum(scores.values()) == 0
    assert all(type(score) is int and score % base_score == 0 for score in scores.values())
    assert 3 <= len(actions) <= 200
    assert max(map(abs, scores.values())) <= 1000 * base_score


@settings(max_examples=60, deadline=None)
@given(deal=deals)
def test_scores_are_those_openspiel_gives_for_the_same_actions(deal):
    actions, scores = played_out(DOU_DIZHU, hand(deal, base_score=7))
    state, stream = pyspiel.load_game("dou_dizhu").new_initial_state(), DealStream(deal)
    told = iter(actions)
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(resolve_chance(state.chance_outcomes(), stream))
        else:
            state.apply_action(next(told))
    assert list(told) == []
    assert list(scores.values()) == [7 * value for value in state.returns()]


@settings(max_examples=30, deadline=None)
@given(deal=deals)
def test_the_same_deal_gives_the_same_hand_whoever_sits_there_and_at_any_base_score(deal):
    first_actions, first = played_out(DOU_DIZHU, hand(deal))
    again_actions, again = played_out(load_game("dou_dizhu"), hand(deal, base_score=10, players=("x", "y", "z")))
    assert again_actions == first_actions
    assert list(again.values()) == [10 * score for score in first.values()]


def test_the_cards_of_a_deal_do_not_depend_on_how_players_choose():
    deal = "5a" * 32
    assert cards_of(deal, any_legal) == cards_of(deal, greater_of_two)
    assert cards_of(deal, any_legal) != cards_of("5b" * 32, any_legal)


def test_the_course_of_a_known_deal_is_the_same_on_every_machine():
    actions, scores = played_out(DOU_DIZHU, hand("00" * 32))
    digest = hashlib.sha256(repr((actions, scores)).encode()).hexdigest()
    assert (len(actions), list(scores.values()), digest[:16]) == GOLDEN


def test_different_deals_give_different_hands():
    courses = {tuple(played_out(DOU_DIZHU, hand(f"{n:064x}"))[0]) for n in range(50)}
    assert len(courses) == 50


@settings(max_examples=40, deadline=None)
@given(deal=deals, data=st.data())
def test_a_hand_repeated_from_its_own_log_ends_as_it_would_have_ended(deal, data):
    actions, scores = played_out(DOU_DIZHU, hand(deal))
    told = data.draw(st.integers(0, len(actions)))
    rest, again = played_out(DOU_DIZHU, hand(deal, log=actions[:told]))
    assert rest == actions[told:]
    assert again == scores


@settings(max_examples=40, deadline=None)
@given(deal=deals, data=st.data())
def test_after_a_log_that_went_another_way_play_is_free(deal, data):
    log, _ = played_out(OpenSpielGame("dou_dizhu", choose=any_legal), hand(deal))
    log = log[: data.draw(st.integers(0, len(log)))]
    steps = list(DOU_DIZHU.play(hand(deal, log=log)))
    acted = [step for step in steps if isinstance(step, Acted)]
    assert [step.action for step in acted[: len(log)]] == log
    assert [step.repeated for step in acted] == [index < len(log) for index in range(len(acted))]
    assert isinstance(steps[-1], Ended)
    assert sum(steps[-1].scores.values()) == 0


@pytest.mark.parametrize("bad", [10**6, -1, "pass", 26_000])
def test_an_illegal_action_in_the_log_is_named(bad):
    actions, _ = played_out(DOU_DIZHU, hand("11" * 32))
    with pytest.raises(LogDoesNotFit, match="action 6 of 6"):
        played_out(DOU_DIZHU, hand("11" * 32, log=[*actions[:5], bad]))


def test_a_log_longer_than_the_hand_is_refused():
    actions, _ = played_out(DOU_DIZHU, hand("11" * 32))
    with pytest.raises(LogDoesNotFit, match=f"over after {len(actions)} actions"):
        played_out(DOU_DIZHU, hand("11" * 32, log=[*actions, 0]))


def test_a_table_of_the_wrong_size_is_refused():
    with pytest.raises(WrongSeats, match="3 players, the table has 2"):
        played_out(DOU_DIZHU, hand("11" * 32, players=("anna", "bo")))


def test_steps_come_one_by_one():
    """The table server interleaves hands, so a game must not run ahead of what it is asked for."""
    steps = DOU_DIZHU.play(hand("22" * 32))
    first = list(islice(steps, 3))
    assert all(isinstance(step, Acted) for step in first)
    assert isinstance(list(steps)[-1], Ended)


@pytest.mark.parametrize(
    ("name", "players"),
    [("leduc_poker", 2), ("kuhn_poker(players=3)", 3), ("tic_tac_toe", 2), ("gin_rummy", 2)],
)
def test_other_games_of_openspiel_are_played_by_a_line(name, players):
    _, scores = played_out(OpenSpielGame(name), hand("33" * 32, players=[f"p{n}" for n in range(players)]))
    assert len(scores) == players
    assert sum(scores.values()) == 0


def test_games_that_no_table_can_repeat_are_refused():
    with pytest.raises(UnplayableGame, match="not played in turns"):
        OpenSpielGame("goofspiel")


def test_results_that_are_no_whole_numbers_are_refused():
    with pytest.raises(UnplayableGame, match="whole numbers"):
        played_out(OpenSpielGame("deep_sea"), hand("44" * 32, players=["a"]))


def test_uniform_chance_maps_one_draw_to_one_outcome():
    outcomes = [(action, 1 / 7) for action in range(10, 17)]
    deal = "66" * 32
    ours, reference = DealStream(deal), DealStream(deal)
    for _ in range(100):
        assert resolve_chance(outcomes, ours) == 10 + reference.below(7)


def test_chance_that_is_not_uniform_follows_its_weights():
    outcomes = [(0, 0.5), (1, 0.0), (2, 0.25), (3, 0.25)]
    stream = DealStream("77" * 32)
    drawn = [resolve_chance(outcomes, stream) for _ in range(4000)]
    assert set(drawn) == {0, 2, 3}
    assert 1850 < drawn.count(0) < 2150
    assert 850 < drawn.count(2) < 1150


def test_players_choose_by_a_stream_that_is_not_the_cards():
    deal = "88" * 32
    cards, choices, again = DealStream(deal), choice_stream(deal), choice_stream(deal)
    assert [choices.below(1000) for _ in range(8)] != [cards.below(1000) for _ in range(8)]
    first = [choice_stream(deal).below(1000) for _ in range(3)]
    assert first == [again.below(1000)] * 3
