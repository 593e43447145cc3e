"""The rules' mistakes in a match file of which a part cannot even be read.

A wrong value is left out and its default stands in, so that one typing error does not hide the other
mistakes. Whatever could follow from the stand-in is not reported.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, TypeVar

import cattrs

from coordinator.engine import definition as d
from coordinator.engine.checks.match import match_mistakes
from coordinator.engine.checks.mistake import Mistake
from coordinator.engine.checks.stage import stage_mistakes
from coordinator.engine.formats import FORMATS
from coordinator.files.lines import KeyPath, path_of
from coordinator.files.strict import Fault

T = TypeVar("T")

_STAND_INS: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "id": "unnamed",
        "round": {},
        "grouping": {},
        "leave": "forbidden",
        "initial_player_state": {},
        "initial_game_state": {},
    }
)

_HANGS_ON: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "scoring": ("placement_points", "tied_places", "bye_points", "bye_delta"),
        "min_payment": ("platform_fee", "winner_cap"),
        "advance_per_table": ("half_rounding",),
        "bouts": ("cuts", "duplicate"),
        "clock": ("round", "duplicate"),
        "cut": ("cuts", "percent_round"),
        "cuts": ("percent_round",),
        "hands_per_seating": ("round",),
        "round": ("hands_per_seating", "clock", "duplicate"),
        "initial_game_state": ("base_growth",),
    }
)
"""What a stage's mistakes may follow from besides the table they stand in."""

_GONE: Final = object()


def mistakes_around(data: Mapping[str, Any], broken: Sequence[Fault], strict: cattrs.Converter) -> Iterator[Mistake]:
    """The mistakes in what can be read of ``data``, without those that may follow from what is ``broken``."""
    silent = [path for fault in broken for path in _silenced(fault.path)]
    for mistake in _mistakes(data, broken, strict):
        path = path_of(mistake.path)
        if not any(_touch(path, other) for other in silent):
            yield mistake


def _mistakes(data: Mapping[str, Any], broken: Sequence[Fault], strict: cattrs.Converter) -> Iterator[Mistake]:
    mended = _without(data, [_removed(fault) for fault in broken], ())
    phases = []
    for phase_no, phase in enumerate(mended.get("phases", ())):
        stages = []
        for stage_no, raw in enumerate(phase.get("stages", ())):
            stage = _try(_with_stand_ins(raw), d.Stage, strict)
            if stage is not None:
                yield from stage_mistakes(stage, f"phases[{phase_no}].stages[{stage_no}]")
            stages.append(_placeholder(raw) if stage is None else _with_stand_ins(raw))
        phases.append({"id": "unnamed", **phase, "stages": stages})
    named = {"id": "unnamed", "game": "unnamed", **mended, "phases": phases}
    match = _try(named, d.MatchDefinition, strict)
    if match is not None:
        yield from match_mistakes(match)


def _removed(fault: Fault) -> KeyPath:
    """What to leave out so that the rest can be read: a reward has no defaults, so all of them go."""
    return fault.path[:1] if fault.path[:1] == ("rewards",) else fault.path


def _without(value: Any, gone: Sequence[KeyPath], path: KeyPath) -> Any:
    """A copy of ``value`` without the paths in ``gone``; a list that lost an element goes as a whole."""
    if path in gone:
        return _GONE
    if isinstance(value, dict):
        kept = {key: _without(inner, gone, (*path, key)) for key, inner in value.items()}
        return {key: inner for key, inner in kept.items() if inner is not _GONE}
    if isinstance(value, list):
        items = [_without(inner, gone, (*path, number)) for number, inner in enumerate(value)]
        return _GONE if any(item is _GONE for item in items) else items
    return value


def _with_stand_ins(stage: Mapping[str, Any]) -> dict[str, Any]:
    form = FORMATS.get(stage.get("format", ""))
    processing = "per_round" if form is not None and form.reranks else "none"
    return {**_STAND_INS, "score_processing": processing, **stage}


def _placeholder(stage: Mapping[str, Any]) -> dict[str, Any]:
    """A stage that keeps the numbering and the name of one that cannot be read."""
    return {**_with_stand_ins({}), "id": stage.get("id", "unnamed"), "format": "knockout", "table_size": 2}


def _silenced(path: KeyPath) -> Iterable[KeyPath]:
    """The places whose mistakes may follow from a fault at ``path``."""
    depth = 4 if path[:1] == ("phases",) else 0
    if len(path) <= depth:
        return [path]
    top = path[: depth + 1]
    if depth == 0:
        return [top]
    return [top, *((*path[:depth], word) for word in _HANGS_ON.get(str(path[depth]), ()))]


def without_paths(data: Mapping[str, Any], gone: Sequence[KeyPath]) -> Any:
    """What is left of a file's data without these paths."""
    return _without(data, gone, ())


def touching(one: KeyPath, other: KeyPath) -> bool:
    """Whether a mistake at one path may follow from a fault at the other."""
    return _touch(one, other)


def _touch(one: KeyPath, other: KeyPath) -> bool:
    """Whether one path lies inside the other."""
    shorter = min(len(one), len(other))
    return one[:shorter] == other[:shorter]


def _try(raw: Mapping[str, Any], cls: type[T], strict: cattrs.Converter) -> T | None:
    try:
        return strict.structure(raw, cls)
    except cattrs.BaseValidationError:
        return None
