"""R-RF-01: what is said to be beyond reach is, whatever could still have happened."""

from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from coordinator.simulation.certainty import Line, TableOfBout, beyond_reach
from coordinator.simulation.hands import Swing


def a_table(*hands: tuple[int, ...], brought: tuple[int, ...] | None = None, most: int = 10) -> TableOfBout:
    start = brought or (0,) * len(hands[0])
    return TableOfBout(start, (0,) * len(start), hands, tuple(Swing(most, most, 2 * most) for _ in hands))


def test_a_lead_that_no_hand_can_make_up() -> None:
    """R-RF-01: of four hands worth 10 at most, 50 ahead before the third is enough, and 40 is not."""
    ahead = a_table((10, -10), (15, -15), (0, 0), (0, 0))
    assert beyond_reach([ahead], Line(True, 1), 4) == [0, 0, 1, 1]
    close = a_table((10, -10), (10, -10), (0, 0), (0, 0))
    assert beyond_reach([close], Line(True, 1), 4) == [0, 0, 0, 1]


def test_an_equal_score_is_in_doubt() -> None:
    table = a_table((10, -10), (0, 0))
    assert beyond_reach([table], Line(True, 1), 2) == [0, 0]
    assert beyond_reach([a_table((11, -10), (0, 0))], Line(True, 1), 2) == [0, 1]


def test_two_players_of_a_table_part_by_less_than_each_can_move() -> None:
    """One against two: who leads by 31 wins or loses 20 at most, but then the others lose or win 10 each."""
    table = TableOfBout((31, 0, 0), (0, 0, 0), ((0, 0, 0),), (Swing(20, 20, 30),))
    assert beyond_reach([table], Line(True, 1), 1) == [1]
    assert beyond_reach([table], Line(False, 1), 1) == [0]


def test_what_players_brought_counts_where_scores_run_on() -> None:
    """R-HI-07: and placement points look at the round alone."""
    table = a_table((0, 0), brought=(100, 0))
    assert beyond_reach([table], Line(True, 1), 1) == [1]
    assert beyond_reach([table], Line(True, 1, alone=True), 1) == [0]


def test_the_field_is_one_line() -> None:
    """R-SW-02: two tables, two of four stay; who is on a bye stands in between."""
    tables = [a_table((0, 0), brought=(100, 90)), a_table((0, 0), brought=(10, 0))]
    assert beyond_reach(tables, Line(False, 2), 1) == [2]
    assert beyond_reach(tables, Line(False, 3), 1) == [1]
    assert beyond_reach(tables, Line(False, 3, idle=(50,)), 1) == [2]
    assert beyond_reach(tables, Line(False, 3, idle=(15,)), 1) == [1]


def test_the_middles_of_odd_tables_are_compared() -> None:
    """R-KO-04: the middle of the first table cannot be caught any more, and only then is its hand without effect."""
    sure = a_table((0, 0, 0), brought=(200, 100, 0))
    low = a_table((0, 0, 0), brought=(90, 10, -90))
    assert beyond_reach([sure, low], Line(True, 1, middles=1), 1) == [2]
    near = a_table((0, 0, 0), brought=(200, 90, 0))
    assert beyond_reach([sure, near], Line(True, 1, middles=1), 1) == [0]
    assert beyond_reach([sure, near], Line(True, 1, middles=2), 1) == [2]


def test_points_by_place_leave_less_to_play_for() -> None:
    """R-SC-02: two tables of two, points 3 and 1; nobody of the second table can reach the first any more."""
    first = TableOfBout((0, 0), (8, 8), ((0, 0),), (Swing(10, 10, 20),))
    second = TableOfBout((0, 0), (1, 0), ((0, 0),), (Swing(10, 10, 20),))
    assert beyond_reach([first, second], Line(False, 2, placement=(3, 1)), 1) == [2]
    assert beyond_reach([first, second], Line(False, 1, placement=(3, 1)), 1) == [1]


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.tuples(*[st.integers(-6, 6)] * 3), min_size=1, max_size=2),
    st.integers(1, 2),
    st.booleans(),
    st.integers(1, 2),
)
def test_no_course_of_the_rest_moves_anybody_across_the_line(
    brought: list[tuple[int, ...]], keep: int, by_table: bool, most: int
) -> None:
    """Every table alone is played on in every way its hand allows, against every extreme of the others."""
    swing = Swing(2 * most, most, 3 * most)
    tables = [TableOfBout(start, (0, 0, 0), ((0, 0, 0),), (swing,)) for start in brought]
    settled = beyond_reach(tables, Line(by_table, keep), 1)[0]
    ends = [-most, 0, 2 * most]
    stays: list[set[frozenset[int]]] = [set() for _ in brought]
    for course in product(ends, repeat=3 * len(brought)):
        totals = [
            start + course[3 * number + seat] for number, at in enumerate(brought) for seat, start in enumerate(at)
        ]
        for number in range(len(brought)):
            seats = range(3 * number, 3 * number + 3)
            against = seats if by_table else range(len(totals))
            inside = frozenset(s for s in seats if sum(totals[o] > totals[s] for o in against) < keep)
            # Whoever shares the last place may or may not stay: such a course leaves it open.
            tied = any(s in inside and sum(totals[o] >= totals[s] for o in against if o != s) >= keep for s in seats)
            stays[number].add(frozenset({-1}) if tied else inside)
    surely = sum(len(each) == 1 and frozenset({-1}) not in each for each in stays)
    assert settled <= surely
