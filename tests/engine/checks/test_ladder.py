"""What is wrong with a ladder's definition, and where."""

from typing import Any

import attrs
import pytest

from coordinator.engine.checks.match import definition_mistakes
from coordinator.engine.definition import BaseGrowth, Hours, Interruption, Ladder, Phase, Rating
from tests.engine.ladder_play import LADDER, ladder_match


def found(**words: Any) -> list[str]:
    """The places of the mistakes of a ladder with these words of its own."""
    return [mistake.path.removeprefix("phases[0].stages[0].") for mistake in definition_mistakes(ladder_match(**words))]


def test_the_numbers_of_the_rules_are_in_order() -> None:
    assert found() == []


@pytest.mark.parametrize(
    ("words", "path"),
    [
        ({"windows": ((2,),)}, "ladder.windows[0]"),
        ({"windows": ((1,), (1, 1))}, "ladder.windows[1]"),
        ({"days": ()}, "ladder.days"),
        ({"hours": Hours("24:00", "18:00")}, "ladder.hours"),
        ({"hours": Hours("six", "24:00")}, "ladder.hours.first"),
        ({"reply_ms": 0}, "ladder.reply_ms"),
        ({"slots": 0}, "ladder.slots"),
        ({"initial_rank": ("a", "a")}, "ladder.initial_rank"),
        ({"imp_scale": (20, 20)}, "ladder.imp_scale"),
        ({"rating": Rating(k=0)}, "ladder.rating.k"),
        ({"drop_limit": 0}, "ladder.drop_limit"),
    ],
)
def test_a_wrong_word_is_named(words: dict[str, Any], path: str) -> None:
    """R-BL-02, R-BL-07, R-BL-08, R-BL-14, R-RA-02, R-RC-03."""
    assert found(**words) == [path]


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"table_size": 3}, "table_size"),
        ({"ladder": None}, "ladder"),
        ({"scoring": "placement"}, "scoring"),
        ({"base_growth": BaseGrowth("arith")}, "base_growth"),
        ({"bouts": 3}, "bouts"),
        ({"score_processing": "none"}, "score_processing"),
        ({"interruption": Interruption(server_lost="redeal")}, "interruption.server_lost"),
    ],
)
def test_a_mechanism_that_a_ladder_has_no_room_for_is_refused(change: dict[str, Any], path: str) -> None:
    """R-BL-01, R-ST-02."""
    stage = attrs.evolve(LADDER, **change)
    mistakes = definition_mistakes(attrs.evolve(ladder_match(), phases=(Phase("only", (stage,)),)))
    assert f"phases[0].stages[0].{path}" in [mistake.path for mistake in mistakes]


def test_a_ladder_is_a_match_of_its_own() -> None:
    """R-BL-01."""
    two = (LADDER, attrs.evolve(LADDER, id="again"))
    mistakes = definition_mistakes(attrs.evolve(ladder_match(), phases=(Phase("only", two),)))
    assert [mistake.path for mistake in mistakes] == [f"phases[0].stages[{n}].format" for n in (0, 1)]


def test_other_formats_have_no_ladder() -> None:
    from tests.engine.stages import KNOCKOUT, match_of

    [mistake] = definition_mistakes(match_of(attrs.evolve(KNOCKOUT, ladder=Ladder())))
    assert (mistake.path, mistake.rule) == ("phases[0].stages[0].ladder", "R-BL-01")
