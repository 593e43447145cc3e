"""Whatever is asked of a match by the clock, in any order: what must hold holds, and so do the averages."""

from fractions import Fraction

from hypothesis import HealthCheck, given, settings

from coordinator.engine import duplicate, events
from coordinator.engine import effects as fx
from coordinator.engine.definition import MatchDefinition
from coordinator.engine.directing.director_events import HandCorrected
from coordinator.engine.numbers import Number
from tests.engine.tossing import MOVES, Tossed, clock_matches, told_again

SLOW_TO_DRAW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]


@settings(max_examples=150, deadline=None, suppress_health_check=SLOW_TO_DRAW)
@given(clock_matches(), MOVES)
def test_a_match_by_the_clock_survives_whatever_is_asked(
    definition: MatchDefinition, moves: list[tuple[str, int]]
) -> None:
    """R-CS-01, R-DU-01 to R-DU-05."""
    tossed = Tossed(definition).open()
    for word, number in moves:
        tossed.toss(word, number)
    tossed.finish()

    state = tossed.state
    assert state.status == "over"
    assert sorted(state.ranking) == sorted(state.entrants)
    assert [state.entrants[player].place for player in state.ranking] == list(range(1, len(state.ranking) + 1))
    assert (state.timers, tossed.timers, state.tables) == ({}, {}, {})
    fell = {player: entrant.place for player, entrant in state.entrants.items() if entrant.state == "out"}
    assert tossed.final_notices == fell
    if len(definition.stages) == 1:
        _averages_are_those_of_the_sheet(tossed)
    _the_same_boards_everywhere(tossed)

    told_again(tossed)


def _averages_are_those_of_the_sheet(tossed: Tossed) -> None:
    """Everything worked out again from the hands that count, and the ranking from that."""
    rules, state = tossed.definition.stages[0], tossed.state
    rule = rules.duplicate
    seats: dict[int, tuple[int, tuple[str, ...]]] = {}
    sheet: dict[int, dict[int, tuple[int, ...]]] = {}  # board, table, scores
    averaged: list[str] = []
    for event in tossed.story:
        if isinstance(event, events.TablesSeated):
            for table_id, at_table in enumerate(event.tables, start=event.first_table_id):
                seats[table_id] = (event.bout_no, at_table)
        elif isinstance(event, events.HandScored | HandCorrected):
            board = (seats[event.table_id][0] - 1) * rules.round.hands + event.hand_no
            sheet.setdefault(board, {})[event.table_id] = event.scores
        elif isinstance(event, events.HandVoided) and event.policy == "average":
            averaged += seats[event.table_id][1]
    points: dict[str, list[Number]] = {player: [] for player in state.entrants}
    for player in averaged:  # a result that equals the datum (R-DU-01)
        points[player].append(0)
    for results in sheet.values():
        if len(results) < rule.min_results:
            continue
        compared = list(results.values())[: rule.closes_at]
        drop = duplicate.trim_each_end(len(compared), rule.datum.trim_fraction, rule.datum.trim_fixed)
        for seat in range(rules.table_size):
            datum = duplicate.datum([scores[seat] for scores in compared], drop, rule.datum.round)
            for table_id, scores in results.items():
                points[seats[table_id][1][seat]].append(duplicate.points(scores[seat] - datum, rule.scale))
    for player, entrant in state.entrants.items():
        assert entrant.points == sum(points[player]) + entrant.penalty, player
        assert entrant.boards == len(points[player]), player
        assert entrant.open_boards == 0
    required = rule.required_boards or 0

    def key(player: str) -> tuple[bool, Fraction, int, int]:
        boards, entrant = len(points[player]), state.entrants[player]
        short = boards < required
        mean = Fraction(sum(points[player]) + entrant.penalty, boards) if boards and not short else Fraction(0)
        return (short, -mean, -boards, entrant.reg_seq)

    in_order = [player for player in state.ranking if player not in state.disqualified]
    assert in_order == sorted(in_order, key=key)
    assert {*state.ranking[len(in_order) :]} == {*state.disqualified}, "behind everybody"


def _the_same_boards_everywhere(tossed: Tossed) -> None:
    deals: dict[int, str] = {}
    for effect in tossed.told:
        if isinstance(effect, fx.StartHand) and effect.board_no is not None:
            assert deals.setdefault(effect.board_no, effect.deal) == effect.deal
    assert len(dict.fromkeys(deals.values())) == len(deals)
