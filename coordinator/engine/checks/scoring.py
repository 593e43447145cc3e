"""What is wrong with what places and scores are worth, and with what separates equals (R-SC-02, R-TB-03)."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from coordinator.engine.checks.dominion import dominion_chain
from coordinator.engine.checks.limits import MOST_SCORE
from coordinator.engine.checks.mistake import Mistake
from coordinator.engine.checks.parts import named, outside
from coordinator.engine.definition import Stage
from coordinator.engine.formats import format_of
from coordinator.engine.scoring import placement_points_default


def scoring_mistakes(stage: Stage, path: str) -> Iterator[Mistake]:
    """R-SC-02: placement points where places earn any."""
    rule, points = "R-SC-02", stage.placement_points
    if stage.scoring != "placement":
        instead = 'scoring = "placement"' if stage.scoring == "total" else "leave it out"
        if points is not None:
            message = "placement points count only where scoring is by placement"
            yield Mistake(f"{path}.placement_points", message, instead, rule=rule)
        if stage.tied_places != "break":
            message = "tied places are shared only where scoring is by placement"
            yield Mistake(f"{path}.tied_places", message, instead, rule=rule)
    elif not format_of(stage).reranks:
        message = f"{named(stage)} does not process scores, so places earn no points"
        yield Mistake(f"{path}.scoring", message, '"total"', 'scoring = "total"', "R-ST-02")
    if points is not None:
        yield from _points(points, stage.table_size, f"{path}.placement_points")


def _points(points: Sequence[int], size: int, at: str) -> Iterator[Mistake]:
    usual = f"placement_points = {list(placement_points_default(size))}"
    if len(points) != size:
        message = f"{len(points)} placement points for a table of {size}"
        yield Mistake(at, message, f"{size} whole numbers, falling", usual, "R-SC-02")
    elif any(after >= before for before, after in pairwise(points)):
        yield Mistake(at, "a better place must earn more points", "whole numbers, falling", usual, "R-SC-02")
    for place, value in enumerate(points):
        yield from outside(f"{at}[{place}]", value, -MOST_SCORE, MOST_SCORE, "R-SC-02")


def tie_chain_mistakes(stage: Stage, path: str) -> Iterator[Mistake]:
    """R-TB-03, R-DM-05, R-DM-12: ways that separate everybody in the end, each of them known to the format."""
    chain, at = stage.tie_chain, f"{path}.tie_chain"
    if format_of(stage).duels:
        yield from dominion_chain(stage, path)
        return
    if chain is None:
        return
    if format_of(stage).one_table and chain[-1:] == ("swiss_rank",):
        if chain not in (("swiss_rank",), ("last_hand", "swiss_rank")):
            expected = '["swiss_rank"] or ["last_hand", "swiss_rank"]'
            yield Mistake(at, "the rank brought along separates everybody", expected, rule="R-DM-12")
        return
    expected = '["last_hand", "registration"] or ["registration"]'
    if any(element not in ("last_hand", "registration") for element in chain):
        message = f"{named(stage)} cannot be told apart by all of {', '.join(chain)}"
        yield Mistake(at, message, expected, rule="R-TB-03")
    elif len(dict.fromkeys(chain)) != len(chain) or chain[-1:] != ("registration",):
        message = "a tie chain names each way once and ends with registration, which separates everybody"
        yield Mistake(at, message, expected, rule="R-TB-03")
