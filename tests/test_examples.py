"""The examples that ship: the names everybody may count on, and what each of them shows."""

import pytest

from coordinator.definition_file import load, load_checked, shipped
from coordinator.engine.definition import Stage

NAMES = ("continuous_swiss", "dominion", "half_knockout", "island", "ladder", "mixture", "revival_melee")


def stages(name: str) -> tuple[Stage, ...]:
    return load(shipped()[name]).stages


@pytest.mark.parametrize("name", NAMES)
def test_an_example_is_in_order_and_named_after_its_file(name: str) -> None:
    checked = load_checked(shipped()[name])
    assert checked.warnings == ()
    assert checked.definition.id == name.replace("_", "-")


def test_the_mixture_is_one() -> None:
    """Each stage borrows from another format, and no two carry alike."""
    places, shift, melee, final = stages("mixture")
    assert (places.format, places.grouping.kind, places.scoring) == ("knockout", "snake", "placement")
    assert [cut.mode for cut in shift.cuts] == ["none", "none", "percent"]
    assert (melee.min_payment, melee.regroup, melee.revival is not None) == (True, "swiss", True)
    assert final.format == "default"
    assert [(stage.carry_out.mode, stage.carry_out.cap) for stage in (places, shift, melee)] == [
        ("divide", None),
        ("sqrt", 60),
        ("sqrt_median", None),
    ]


def test_half_of_every_table_goes_on() -> None:
    (halves,) = stages("half_knockout")
    assert (halves.format, halves.advance_per_table, halves.table_size) == ("knockout", "half", 3)
