"""What is legal for a field and still unwise."""

import attrs
import pytest

from coordinator.engine.checks.advice import field_advice
from tests.engine.stages import DEFAULT, KNOCKOUT, match_of


@pytest.mark.parametrize(
    ("players", "better"),
    [
        (3, None),  # one table
        (9, None),  # 9, 3
        (27, None),  # 9, 3
        (11, None),  # 3 tables and 2 byes, 5: a table and 2 byes, 3
        (4, "3 or 5 players"),  # a table and a bye, who stay as 2
        (24, "23 or 25 players"),  # 8, 4, 2
    ],
)
def test_a_field_that_ends_without_a_final_is_told_with_better_ones(players: int, better: str | None) -> None:
    """R-KO-01, R-BY-01: the first of each table of three goes on, and the byes with them."""
    advice = field_advice(match_of(attrs.evolve(KNOCKOUT, table_size=3)), players)
    assert [mistake.expected for mistake in advice] == ([] if better is None else [better])


def test_a_knockout_before_another_stage_needs_no_final() -> None:
    first = attrs.evolve(KNOCKOUT, id="first", table_size=3, bouts=1)
    last = attrs.evolve(DEFAULT, id="last", table_size=3)
    assert field_advice(match_of(first, last), 9) == []
