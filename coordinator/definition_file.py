"""Match definitions as files: TOML in, a checked :class:`MatchDefinition` out, or every mistake at once.

A file speaks the words of :mod:`coordinator.engine.definition`, with these differences: durations are seconds
(``every_s`` for ``every_ms``), a band of rewards runs ``from`` one place ``to`` another, and a match of one
phase may write its ``[[stages]]`` at the top.

Implements R-ST-03.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import attrs

from coordinator.definition_salvage import mistakes_around
from coordinator.engine import definition as d
from coordinator.engine.checks.advice import warnings as advice
from coordinator.engine.checks.match import definition_mistakes
from coordinator.engine.checks.mistake import Mistake
from coordinator.engine.formats import FORMATS
from coordinator.errors import CoordinatorError
from coordinator.files import zones
from coordinator.files.lines import KeyPath, path_of, path_text
from coordinator.files.problem import Problem, did_you_mean
from coordinator.files.source import Source, parse, read
from coordinator.files.strict import Fault, converter, faults
from coordinator.files.words import fault_path, file_reader, file_word, file_words, in_file_words

EXAMPLES: Final = Path(__file__).with_name("examples")
"""The definitions that are shipped and always known."""

_STRICT: Final = converter(file_reader, file_word)

_RULES: Final[Mapping[type, str]] = MappingProxyType(
    {
        d.MatchDefinition: "R-HI-03",
        d.Phase: "R-HI-04",
        d.Stage: "R-ST-03",
        d.Start: "R-HI-02",
        d.Reward: "R-HI-03",
        d.Round: "R-HI-07",
        d.Grouping: "R-ST-02",
        d.BaseGrowth: "R-ME-03",
        d.Elimination: "R-ME-02",
        d.Cut: "R-SW-02",
        d.End: "R-ME-05",
        d.CarryOut: "R-CA-03",
        d.Clock: "R-CS-01",
        d.Duplicate: "R-DU-01",
        d.Datum: "R-DU-02",
        d.PlayerState: "R-ST-01",
        d.GameState: "R-ST-01",
        d.Island: "R-IS-01",
        d.Revival: "R-RV-01",
        d.Pack: "R-RV-05",
        d.Ladder: "R-BL-01",
        d.Hours: "R-BL-07",
        d.Rating: "R-RA-01",
        d.MainPoints: "R-DM-03",
        d.Interruption: "R-RC-02",
    }
)

MOST_FAULTS: Final = 500
"""A file with more mistakes of shape is no definition: the others are counted, and nothing more is looked for."""

REQUIRED_MECHANISMS: Final = (
    "round",
    "grouping",
    "leave",
    "score_processing",
    "initial_player_state",
    "initial_game_state",
)
"""R-ST-01: without these six a stage is refused."""


class DefinitionRefused(CoordinatorError):
    """A definition with mistakes; ``problems`` are all of them, at least one."""

    code = "definition_refused"
    exit_code = 3

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("\n".join(map(str, problems)))
        self.problems = tuple(problems)


@attrs.frozen
class Checked:
    """A definition without problems, the design advice of the rules for it, and the file it came from."""

    definition: d.MatchDefinition
    warnings: tuple[Problem, ...]
    source: Source

    def problem(self, mistake: Mistake) -> Problem:
        """A mistake of this definition in the words of its file, with its line."""
        return located(mistake, self.source)


def load(path: Path) -> d.MatchDefinition:
    """The definition in a file. Raises DefinitionRefused with every mistake in it."""
    return check(read(path)).definition


def loads(text: str | bytes, file: str = "definition") -> d.MatchDefinition:
    """The definition in a text; ``file`` names it in problems. Raises DefinitionRefused like :func:`load`."""
    return check(parse(text, file)).definition


def load_checked(path: Path) -> Checked:
    """The definition in a file together with its warnings. Raises DefinitionRefused like :func:`load`."""
    return check(read(path))


def check(source: Source | Problem) -> Checked:
    """The definition in a source that was read. Raises DefinitionRefused with every mistake in it."""
    if isinstance(source, Problem):
        raise DefinitionRefused([source])
    found, definition = match_in(source)
    if definition is None or found:
        raise DefinitionRefused(sorted(found, key=lambda problem: problem.line or 0))
    return Checked(definition, tuple(located(mistake, source) for mistake in advice(definition)), source)


def shipped() -> dict[str, Path]:
    """The shipped examples of matches by name."""
    files = {file.stem: file for file in sorted(EXAMPLES.glob("*.toml"))}
    return {name: file for name, file in files.items() if b"[[start_points]]" not in file.read_bytes()}


def match_in(source: Source) -> tuple[list[Problem], d.MatchDefinition | None]:
    """Every problem of a source, and its definition if it could be read."""
    data, found = _one_phase(source)
    try:
        definition = _STRICT.structure(data, d.MatchDefinition)
    except Exception as error:
        broken = [attrs.evolve(fault, path=fault_path(fault)) for fault in faults(error)]
        found += [_fault_problem(fault, data, source) for fault in broken[:MOST_FAULTS]]
        if len(broken) > MOST_FAULTS:
            more = f"{len(broken) - MOST_FAULTS:,} more mistakes are left out"
            return [*found, Problem("", more, file=source.file, line=source.line(broken[-1].path))], None
        found += [located(mistake, source) for mistake in mistakes_around(data, broken, _STRICT)]
        return found, None
    mistakes = [*definition_mistakes(definition), *_unknown_zones(definition)]
    return found + [located(mistake, source) for mistake in mistakes], definition


def toml_files(paths: Iterable[Path]) -> Iterator[Path]:
    """The files that are meant: those named, and those of the directories named."""
    for path in paths:
        if os.path.isdir(path):
            yield from sorted(path.glob("*.toml"))
        else:
            yield path


# ---------------------------------------------------------------------------------------------- structure


def _unknown_zones(definition: d.MatchDefinition) -> Iterator[Mistake]:
    """R-BL-07: a time zone that this machine does not know; the rules themselves know of none."""
    for path, stage in definition.placed():
        if stage.ladder is not None and not zones.known(stage.ladder.tz):
            message = f"{stage.ladder.tz!r} is no time zone"
            example = 'tz = "Asia/Shanghai"'
            yield Mistake(f"{path}.ladder.tz", message, "a name like Europe/Berlin", example, "R-BL-07")


def _one_phase(source: Source) -> tuple[dict[str, Any], list[Problem]]:
    """The data with ``[[stages]]`` at the top moved into the one phase they stand for."""
    data = source.data
    if "stages" not in data:
        return data, []
    if "phases" in data:
        message = "stages stand both at the top and in phases"
        line = source.line(("stages",))
        mend = "move all of them into [[phases.stages]]"
        problem = Problem("stages", message, "one of the two", mend, "R-HI-04", source.file, line, "rule_broken")
        return {key: value for key, value in data.items() if key != "stages"}, [problem]
    rest = {key: value for key, value in data.items() if key != "stages"}
    return {**rest, "phases": [{"id": "main", "stages": data["stages"]}]}, []


def _is_one_phase(source: Source) -> bool:
    return "stages" in source.data and "phases" not in source.data


def structure_problem(
    fault: Fault, source: Source, rule: str | None, expected: Mapping[str, str], mend: str
) -> Problem:
    """A fault of shape with its line, in a file of another kind; ``expected`` by word, where something is missing."""
    word, message, wanted = str(fault.path[-1]) if fault.path else "", fault.message, fault.expected
    if fault.kind == "missing":
        message, wanted = f"{word} is missing", expected.get(word, "")
    path, line = path_text(fault.path), source.line(fault.path)
    return Problem(path, message, wanted, mend, rule, source.file, line, str(fault.kind))


def located(mistake: Mistake, source: Source, path: KeyPath | None = None) -> Problem:
    """A mistake of the engine in the words of a file, with its line; ``path`` where it is not that of a match."""
    message = mistake.message
    if path is None:
        path = _as_written(in_file_words(path_of(mistake.path)), source)
        if "phases" not in source.data:
            message = message.replace("phases[0].stages[", "stages[")
    return Problem(
        path_text(path),
        message,
        mistake.expected,
        mistake.suggestion,
        mistake.rule,
        source.file,
        source.line(path),
        "rule_broken",
    )


def _fault_problem(fault: Fault, data: Mapping[str, Any], source: Source) -> Problem:
    path = _as_written(fault.path, source)
    rule = _RULES.get(fault.owner) if fault.owner is not None else None
    code, message, expected, mend = str(fault.kind), fault.message, fault.expected, fault.suggestion
    word = str(fault.path[-1]) if fault.path else ""
    if fault.kind == "unknown_key" and fault.owner is not None:
        mend = _known_word(word, fault.owner)
    elif fault.kind == "missing":
        message, expected = f"{word} is missing", _EXPECTED.get(word, "")
        if fault.owner is d.Stage and word in REQUIRED_MECHANISMS:
            code, rule = "required_mechanism_missing", "R-ST-01"
            message = f"the required mechanism {word} is missing"
            mend = _mechanism(word, _at(data, fault.path[:-1]))
    elif not mend:
        mend = _rewritten(path, expected, message)
    return Problem(path_text(path), message, expected, mend, rule, source.file, source.line(path), code)


_EXPECTED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "id": "a name",
        "game": "the name of a game that table servers offer",
        "phases": "one [[phases]] or one [[stages]]",
        "stages": "one [[phases.stages]]",
        "format": "default, knockout, swiss_shift, melee, island, continuous_swiss, swiss_1v1 or ladder",
        "table_size": "how many players sit at a table",
        "from": "the first place of the band",
        "to": "the last place of the band",
        "items": "what each of these places receives",
        "mode": "list, linear, exponential or direct",
    }
)


_WRITTEN: Final[Mapping[str, str]] = MappingProxyType(
    {
        "start": "start = { full_count = 90 }",
        "items": "items = { coins = 100 }",
        "round": "round = { hands = 1 }",
        "grouping": 'grouping = { kind = "random" }',
        "initial_player_state": "initial_player_state = { score = 0 }",
        "initial_game_state": "initial_game_state = { base_score = 1 }",
        "elimination": "elimination = { absolute = 0 }",
        "end": "end = { remaining_below = 19 }",
        "cut": 'cut = { mode = "keep", value = 12 }',
        "cuts": 'cuts = [ { mode = "keep", value = 12 } ]',
        "base_growth": 'base_growth = { kind = "arith", every_s = 120, add = 10 }',
        "revival": 'revival = { mode = "list", fees = [100, 200] }',
        "island": "island = { duration_s = 3600 }",
    }
)
"""How tables look that people write as one number or one word."""


def _rewritten(path: KeyPath, expected: str, message: str) -> str:
    """How to write what stands there in another shape than the file has."""
    words = [step for step in path if isinstance(step, str)]
    if expected == "a table" and words:
        return _WRITTEN.get(words[-1], "")
    if words in (["phases"], ["stages"], ["phases", "stages"]) and message == "got a table":
        return f"write [[{'.'.join(words)}]] in two brackets"
    return ""


def _known_word(word: str, owner: type) -> str:
    """A known key that an unknown one resembles, or the table it belongs to."""
    near = did_you_mean(word, file_words(attrs.fields(owner)))
    if near:
        return near
    for table, words in _TABLES.items():
        if word in words and owner is d.Stage:
            return f"it belongs into {table}"
    return ""


_TABLES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        table: file_words(attrs.fields(cls))
        for table, cls in (
            ("round", d.Round),
            ("grouping", d.Grouping),
            ("elimination", d.Elimination),
            ("end", d.End),
            ("base_growth", d.BaseGrowth),
            ("carry_out", d.CarryOut),
            ("clock", d.Clock),
            ("duplicate", d.Duplicate),
            ("initial_player_state", d.PlayerState),
            ("initial_game_state", d.GameState),
            ("revival", d.Revival),
            ("island", d.Island),
            ("ladder", d.Ladder),
            ("main_points", d.MainPoints),
            ("interruption", d.Interruption),
        )
    }
)


def _mechanism(word: str, stage: object) -> str:
    """What a stage usually writes for a required mechanism."""
    name = stage.get("format") if isinstance(stage, Mapping) else None
    form = FORMATS.get(name) if isinstance(name, str) else None
    if word == "score_processing":
        return "" if form is None else f'score_processing = "{"per_round" if form.reranks else "none"}"'
    if word == "grouping":
        return "" if form is None else f'grouping = {{ kind = "{form.groupings[0]}" }}'
    return {
        "round": "round = { hands = 1 }",
        "leave": 'leave = "allowed"' if name in ("island", "continuous_swiss") else 'leave = "forbidden"',
        "initial_player_state": "initial_player_state = { score = 0 }",
        "initial_game_state": "initial_game_state = { base_score = 1 }",
    }[word]


def _at(data: Any, path: KeyPath) -> object:
    for step in path:
        data = data[step]
    return data


# -------------------------------------------------------------------------------------------------- paths


def _as_written(path: KeyPath, source: Source) -> KeyPath:
    """A path through the one phase that a file did not write."""
    if _is_one_phase(source) and path[:3] == ("phases", 0, "stages"):
        return path[2:]
    return path
