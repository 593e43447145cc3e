"""Bridge for duplicate: the same deal is the same four hands at every table, each plays them its own way (R-DU-01)."""

import re

import pyspiel
from hypothesis import given, settings
from hypothesis import strategies as st

from bots.games import HandToPlay, load_game, play_out
from protocol.deal import expand

BRIDGE = load_game("bridge")
RULES = "bridge(use_double_dummy_result=false)"
SEATS = ("north", "east", "south", "west")
deals = st.binary(min_size=32, max_size=32).map(bytes.hex)


def hand(deal, players=SEATS, base_score=1, log=()):
    return HandToPlay(deal=deal, base_score=base_score, players=players, log=log)


def dealt(deal):
    state = pyspiel.load_game(RULES).new_initial_state()
    for card in expand(deal, 52):
        state.apply_action(card)
    return state


def name(card):
    """OpenSpiel numbers the cards by rank, then clubs, diamonds, hearts, spades."""
    return "♣♦♥♠"[card % 4], "23456789TJQKA"[card // 4]


def printed(diagram):
    """The four hands of OpenSpiel's diagram: north above, west and east beside each other, south below."""
    rows = [re.findall(r"([♠♥♦♣])([^♠♥♦♣]*)", line) for line in diagram.splitlines() if re.match(r" *[♠♥♦♣]", line)]
    columns = {"north": rows[:4], "west": rows[4:8], "south": rows[8:12], "east": [row[1:] for row in rows[4:8]]}
    return [
        sorted((row[0][0], rank) for row in columns[seat] for rank in row[0][1].replace("10", "T").split())
        for seat in SEATS
    ]


def test_cards_are_dealt_round_the_table_one_by_one():
    """The order of OpenSpiel's chance nodes: card i goes to seat i mod 4, north, east, south, west."""
    deal = "5eed" * 16
    state = dealt(deal)
    assert not state.is_chance_node(), "52 cards are all the chance there is"
    deck = expand(deal, 52)
    for seat, cards in enumerate(printed(str(state))):
        assert cards == sorted(name(card) for card in deck[seat::4]), SEATS[seat]


@settings(max_examples=25, deadline=None)
@given(deal=deals)
def test_the_same_deal_is_the_same_cards_at_every_table(deal):
    """Each table's actions are legal from the one expanded deck, and from it they lead to the scores it reports."""
    courses = []
    for table in range(3):
        players = [f"{seat}-{table}" for seat in SEATS]
        actions, scores = play_out(BRIDGE.play(hand(deal, players)))
        state = dealt(deal)
        for action in actions:  # raises if these cards do not allow it
            state.apply_action(action)
        assert state.is_terminal()
        assert list(scores.values()) == [int(value) for value in state.returns()]
        courses.append(actions)
    assert len({tuple(actions) for actions in courses}) > 1, "the tables play it their own way"


@settings(max_examples=25, deadline=None)
@given(deal=deals, base_score=st.integers(1, 100))
def test_partners_score_the_same_and_the_pairs_against_each_other(deal, base_score):
    _, scores = play_out(BRIDGE.play(hand(deal, base_score=base_score)))
    north, east, south, west = scores.values()
    assert (north, east) == (south, west)
    assert north == -east
    assert north % (10 * base_score) == 0, "bridge scores are tens"


@settings(max_examples=25, deadline=None)
@given(deal=deals, cut=st.integers(0, 40))
def test_an_interrupted_board_ends_as_it_would_have(deal, cut):
    """R-RC-02."""
    actions, scores = play_out(BRIDGE.play(hand(deal)))
    rest, again = play_out(BRIDGE.play(hand(deal, log=actions[:cut])))
    assert (actions[:cut] + rest, again) == (actions, scores)
