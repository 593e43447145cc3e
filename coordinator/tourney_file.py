"""Tourneys as files: TOML in, a checked :class:`TourneyDefinition` out, or every mistake at once.

A tourney file is told by its ``[[start_points]]``. It speaks the words of :mod:`coordinator.engine.tourney.definition`
with the differences of match files, and its ``[[matches]]`` name their rules: one of the file's own
``[[definitions]]``, a file beside it, or a definition that is known by its id.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import date, datetime, time
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final
from zoneinfo import ZoneInfo, available_timezones

import attrs

from coordinator.definition_file import (
    MOST_FAULTS,
    DefinitionRefused,
    check,
    load,
    load_checked,
    located,
    match_in,
    shipped,
    structure_problem,
    toml_files,
)
from coordinator.definition_salvage import touching, without_paths
from coordinator.engine import definition as d
from coordinator.engine.checks.advice import warnings as advice
from coordinator.engine.checks.mistake import Mistake
from coordinator.engine.tourney import definition as t
from coordinator.engine.tourney.check import by_word, tourney_mistakes
from coordinator.files.lines import KeyPath, path_of, path_text
from coordinator.files.problem import Problem, did_you_mean
from coordinator.files.source import Source, read
from coordinator.files.strict import Fault, Reader, WrongValue, converter, faults, shown
from coordinator.files.words import fault_path, file_reader, file_word, file_words, in_file_words

MARK: Final = "start_points"
"""The key that only a tourney has."""

EXAMPLES: Final = Path(__file__).with_name("examples")


def _wall_time(value: object) -> str:
    """A date and time of TOML without an offset; which instant it is, the time zone says."""
    expected = "a date and a time, such as 2026-03-01T20:00:00"
    if isinstance(value, datetime):
        if value.tzinfo is not None:
            mend = f"write {value.replace(tzinfo=None, microsecond=0).isoformat()} and a time_zone"
            raise WrongValue("got a time with an offset", expected, mend)
        return value.replace(microsecond=0).isoformat()
    if isinstance(value, date | time):
        raise WrongValue("got half of it", expected)
    mend = f"write {value} without quotes" if isinstance(value, str) and value[:4].isdecimal() else ""
    raise WrongValue(f"got {shown(value)}", expected, mend)


def _reader(field: str) -> Reader | None:
    return _wall_time if field == "start_at" else file_reader(field)


_STRICT: Final = converter(_reader, file_word)

_RULES: Final[Mapping[type, str]] = MappingProxyType(
    {
        t.StartPoint: "R-HI-02",
        t.Entry: "R-HI-03",
        t.Link: "R-HI-01",
        d.Reward: "R-HI-03",
        d.CarryOut: "R-CA-03",
    }
)
_EXPECTED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "id": "a name",
        "definition": "the id of a match definition",
        "matches": "one [[matches]] or more",
        "start_points": "one [[start_points]] or more",
        "opens": "the matches it opens",
        "from_match": "the match that feeds",
        "to_match": "the match that is fed",
        "n": "how many of the best go on",
        "from": "the first place of the band",
        "to": "the last place of the band",
        "items": "what each of these places receives",
    }
)


_OPEN_TO_ALL: Final = t.Entry()


@attrs.frozen
class FileMatch:
    """One of the ``[[matches]]``: ``definition`` names its rules."""

    id: str
    definition: str
    entry: t.Entry = _OPEN_TO_ALL
    rewards: tuple[d.Reward, ...] = ()


@attrs.frozen
class FileTourney:
    """A tourney as its file says it; ``definitions`` are read on their own."""

    id: str
    matches: tuple[FileMatch, ...]
    start_points: tuple[t.StartPoint, ...]
    links: tuple[t.Link, ...] = ()
    title: str = ""
    description: str = ""
    time_zone: str = "UTC"


@attrs.frozen
class CheckedTourney:
    """A tourney without problems, with the design advice for its own definitions."""

    definition: t.TourneyDefinition
    warnings: tuple[Problem, ...]


@attrs.frozen
class Library:
    """What a daemon knows: match definitions by id, the shipped ones among them, and the tourneys it runs."""

    matches: dict[str, d.MatchDefinition]
    tourneys: dict[str, t.TourneyDefinition]


def is_tourney(source: Source) -> bool:
    """Whether a file is one of a tourney."""
    return MARK in source.data


def shipped_tourneys() -> dict[str, Path]:
    """The shipped tourneys by name. A daemon runs none of them unless it is told to."""
    matches = shipped()
    return {file.stem: file for file in sorted(EXAMPLES.glob("*.toml")) if file.stem not in matches}


def library(paths: Iterable[Path]) -> Library:
    """All that a daemon knows: the shipped match definitions, then the files of ``paths``, or of their directories.

    Raises DefinitionRefused with the mistakes of all files together.
    """
    known = {definition.id: definition for definition in map(load, shipped().values())}
    tourneys: dict[str, t.TourneyDefinition] = {}
    origins: dict[tuple[str, str], Path] = {}
    found: list[Problem] = []
    sources = [(file, read(file)) for file in toml_files(paths)]
    for wanted in (False, True):  # tourneys last: they may name any of the matches
        for file, source in sources:
            if isinstance(source, Source) and is_tourney(source) != wanted:
                continue
            if isinstance(source, Problem) and wanted:
                continue
            try:
                if wanted and isinstance(source, Source):
                    definition = check_tourney(source, file, known).definition
                    name, rule = definition.id, "R-HI-01"
                    tourneys[name] = definition
                else:
                    match = load_checked(file).definition
                    name, rule = match.id, "R-HI-03"
                    known[name] = match
            except DefinitionRefused as error:
                found += error.problems
                continue
            first = origins.setdefault((rule, name), file)
            if first != file:
                message = f"{name!r} is also the id of {first}"
                found.append(Problem("id", message, "an id of its own", "", rule, str(file), None, "rule_broken"))
    if found:
        raise DefinitionRefused(found)
    return Library(known, tourneys)


def known_beside(file: Path) -> dict[str, d.MatchDefinition]:
    """The definitions that a tourney may name where nobody says which a daemon has: shipped ones, and its neighbours.

    Neighbours with mistakes of their own are left out.
    """
    known = {definition.id: definition for definition in map(load, shipped().values())}
    for neighbour in sorted(file.parent.glob("*.toml")):
        source = read(neighbour)
        if isinstance(source, Source) and not is_tourney(source):
            with suppress(DefinitionRefused):
                definition = check(source).definition
                known[definition.id] = definition
    return known


def check_tourney(source: Source, file: Path, known: Mapping[str, d.MatchDefinition]) -> CheckedTourney:
    """The tourney in a source. Raises DefinitionRefused with every mistake in it."""
    reading = _Reading(source, file, known)
    definition = reading.run()
    if definition is None or reading.problems:
        raise DefinitionRefused(sorted(reading.problems, key=lambda problem: problem.line or 0))
    return CheckedTourney(definition, tuple(reading.warnings))


class _Reading:
    """One file: its own definitions first, then the tourney that names them, then the rules."""

    def __init__(self, source: Source, file: Path, known: Mapping[str, d.MatchDefinition]) -> None:
        self.problems: list[Problem] = []
        self.warnings: list[Problem] = []
        self._source = source
        self._folder = file.parent
        self._known = dict(known)
        self._broken: dict[str, None] = {}
        self._own: dict[str, None] = {}

    def run(self) -> t.TourneyDefinition | None:
        """The tourney, or None where it cannot be read."""
        data = {key: value for key, value in self._source.data.items() if key != "definitions"}
        self._definitions(self._source.data.get("definitions", []))
        broken: list[Fault] = []
        tourney = self._structured(data, broken)
        if tourney is None:
            return None
        definition = self._resolved(tourney)
        for mistake in (*tourney_mistakes(definition, matches_too=False), *_calendar(definition)):
            path = in_file_words(path_of(mistake.path))
            if not any(touching(path, silent) for fault in broken for silent in _silenced(fault.path)):
                self.problems.append(located(mistake, self._source, path))
        return definition

    def _definitions(self, raw: object) -> None:
        """The file's own match definitions; each is checked as a file of its own would be."""
        if not isinstance(raw, list) or not all(isinstance(each, dict) for each in raw):
            self._problem(("definitions",), "is no list of tables", "[[definitions]]", "wrong_value")
            return
        lines: list[dict[KeyPath, int]] = [{} for _ in raw]
        for path, line in self._source.lines.items():
            if path[0] == "definitions" and len(path) > 1 and isinstance(path[1], int):
                lines[path[1]][path[2:]] = line
        for number, data in enumerate(raw):
            at: KeyPath = ("definitions", number)
            start = data.get("start", {})
            by_word_of = {"mode": "manual", **start} if isinstance(start, dict) else start
            inner = Source(self._source.file, {**data, "start": by_word_of}, lines[number])
            found, definition = match_in(inner)
            self.problems += [self._inside(at, problem) for problem in found]
            name = data.get("id")
            if not isinstance(name, str):
                continue
            if found or definition is None:
                self._broken[name] = None
            elif name in self._broken or name in self._own:
                self._problem((*at, "id"), f"{name!r} is the id of two definitions", "an id of its own", "rule_broken")
            else:
                self._own[name] = None
                self._known[name] = definition
                self.warnings += [self._inside(at, located(each, inner)) for each in advice(definition)]

    def _inside(self, at: KeyPath, problem: Problem) -> Problem:
        """A problem of an inner definition as one of this file."""
        path = path_text((*at, *path_of(problem.path)))
        line = problem.line if problem.line is not None else self._source.line(at)
        return attrs.evolve(problem, path=path, line=line)

    def _structured(self, data: dict[str, Any], broken: list[Fault]) -> FileTourney | None:
        """The tourney; with mistakes of shape what is left of it without them, so that the others are found too."""
        try:
            return _STRICT.structure(data, FileTourney)
        except Exception as error:
            for fault in islice(faults(error), MOST_FAULTS):
                fault = attrs.evolve(fault, path=fault_path(fault))
                broken.append(fault)
                rule = _RULES.get(fault.owner) if fault.owner is not None else None
                self.problems.append(structure_problem(fault, self._source, rule, _EXPECTED, _mend(fault)))
        try:
            return _STRICT.structure(_filled(without_paths(data, [fault.path for fault in broken])), FileTourney)
        except Exception:
            return None

    def _resolved(self, tourney: FileTourney) -> t.TourneyDefinition:
        matches = []
        for number, match in enumerate(tourney.matches):
            definition = self._definition(match.definition, ("matches", number, "definition"))
            matches.append(t.TourneyMatch(match.id, definition, match.entry, match.rewards))
        return t.TourneyDefinition(
            tourney.id,
            tuple(matches),
            tourney.start_points,
            tourney.links,
            tourney.title,
            tourney.description,
            tourney.time_zone,
        )

    def _definition(self, name: str, path: KeyPath) -> d.MatchDefinition:
        """The rules a match names; those that cannot be had are a problem, and nobody asks more of them."""
        if name.endswith(".toml"):
            try:
                return load(self._folder / name)
            except DefinitionRefused as error:
                self.problems += error.problems
                return _STAND_IN
        if name in self._known:
            return by_word(self._known[name])
        if name and name not in self._broken:
            mend = did_you_mean(name, list(self._known))
            expected = f"one of: {', '.join(self._known)}"
            self._problem(path, f"no definition {name!r} is known", expected, "rule_broken", mend)
        return _STAND_IN

    def _problem(self, path: KeyPath, message: str, expected: str, code: str, mend: str = "") -> None:
        line = self._source.line(path)
        self.problems.append(
            Problem(path_text(path), message, expected, mend, "R-HI-01", self._source.file, line, code)
        )


_STAND_IN: Final = d.MatchDefinition(
    "unknown",
    "unknown",
    (
        d.Phase(
            "main",
            (
                d.Stage(
                    id="only",
                    format="melee",
                    table_size=2,
                    round=d.Round(),
                    grouping=d.Grouping(),
                    leave="forbidden",
                    score_processing="none",
                    initial_player_state=d.PlayerState(1),
                    initial_game_state=d.GameState(),
                    elimination=d.Elimination(absolute=0),
                    end=d.End(remaining_below=2),
                ),
            ),
        ),
    ),
    start=d.Start("manual"),
)
"""A match that any number of players can play, in the place of one that cannot be read."""


def _calendar(definition: t.TourneyDefinition) -> Iterator[Mistake]:
    """R-HI-02: what only a calendar knows: time zones and days."""
    try:
        ZoneInfo(definition.time_zone)
    except (ValueError, OSError, LookupError):
        zones = available_timezones()
        near = did_you_mean(definition.time_zone, sorted(zones)) or _same_letters(definition.time_zone, zones)
        message = f"there is no time zone {definition.time_zone!r}"
        yield Mistake("time_zone", message, "a name such as Europe/Berlin", near, "R-HI-02")


def _same_letters(name: str, zones: Iterable[str]) -> str:
    """A time zone that only differs in capital letters, or whose city was meant."""
    wanted = name.lower().replace(" ", "_")
    for zone in sorted(zones):
        if wanted and wanted in (zone.lower(), zone.lower().rpartition("/")[2]):
            return f'did you mean "{zone}"?'
    return ""


def _filled(data: Any) -> Any:
    """Names for what has lost its name, so that the rest can be looked at."""
    whole = {"id": "unnamed", "matches": [], "start_points": [], **data}
    whole["matches"] = [{"id": f"unnamed{n}", "definition": "", **each} for n, each in enumerate(whole["matches"])]
    whole["start_points"] = [{"id": f"unnamed{n}", "opens": [], **each} for n, each in enumerate(whole["start_points"])]
    return whole


def _silenced(path: KeyPath) -> list[KeyPath]:
    """The places whose mistakes may follow from a fault at ``path``: its table, and what a start point leads to."""
    if path[:1] == ("start_points",) and path[2:3] in (("repeat",), ("mode",), ("opens",)):
        return [("start_points",), ("links",), ("matches",)]
    return [path[:2]]


def _mend(fault: Fault) -> str:
    if fault.kind != "unknown_key" or fault.owner is None:
        return fault.suggestion
    words = [*file_words(attrs.fields(fault.owner))]
    if fault.owner is FileTourney:
        words.append("definitions")
    return did_you_mean(str(fault.path[-1]), words)
