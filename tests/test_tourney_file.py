"""Tourney files: every mistake at once, at its line, in the file's own words."""

from pathlib import Path

import pytest

from coordinator.definition_file import DefinitionRefused, shipped
from coordinator.files.problem import Problem
from coordinator.files.source import parse
from coordinator.tourney_file import CheckedTourney, check_tourney, known_beside, library, shipped_tourneys

DAILY = shipped_tourneys()["daily_cup"].read_text(encoding="utf-8")


def checked(text: str, folder: Path = Path()) -> CheckedTourney:
    source = parse(text, "cup.toml")
    assert not isinstance(source, Problem), source
    return check_tourney(source, folder / "cup.toml", known_beside(folder / "cup.toml"))


def mistakes(text: str, folder: Path = Path()) -> list[Problem]:
    with pytest.raises(DefinitionRefused) as caught:
        checked(text, folder)
    return list(caught.value.problems)


def changed(*changes: tuple[str, str]) -> str:
    text = DAILY
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return text


def test_the_shipped_tourney_is_in_order() -> None:
    found = checked(DAILY)
    assert found.warnings == ()
    definition = found.definition
    assert [match.id for match in definition.matches] == ["heat_a", "heat_b", "final"]
    assert definition.start_points[0].start_at == "2026-01-01T20:00:00"
    assert definition.start_points[0].window_ms == 18 * 3_600_000
    assert definition.matches[2].prizes[2].shared
    assert [phase.game_attrs for phase in definition.matches[2].definition.phases] == [
        {"think_time_s": "15"},
        {"think_time_s": "30"},
    ]
    assert "daily_cup" not in shipped(), "a match it is not"


def test_all_mistakes_are_told_at_once_with_their_lines() -> None:
    found = mistakes(
        changed(
            ('repeat = "daily"', 'repeat = "dayly"'),
            ('time_zone = "Europe/Berlin"', 'time_zone = "berlin"'),
            ("min_players = 18", 'min_players = "18"'),
            ("entry = { fee = 10, one_at_a_time = true }      #", "entry = { fe = 10 }      #"),
            ('definition = "final"', 'definition = "finale"'),
            ("table_size = 3\nbouts = 3", "table_size = 1\nbouts = 3"),
        )
    )
    assert [(problem.path, problem.rule) for problem in found] == [
        ("time_zone", "R-HI-02"),
        ("start_points[0].repeat", "R-HI-02"),
        ("start_points[0].min_players", "R-HI-02"),
        ("matches[0].entry.fe", "R-HI-03"),
        ("matches[2].definition", "R-HI-01"),
        ("definitions[0].stages[0].table_size", "R-HI-08"),
    ]
    lines = DAILY.splitlines()
    for problem, word in zip(
        found, ("time_zone", "repeat", "min_players", "entry", "definition", "table_size"), strict=True
    ):
        assert problem.line is not None
        assert lines[problem.line - 1].startswith(word)
    assert 'did you mean "Europe/Berlin"?' in found[0].suggestion
    assert found[1].suggestion == 'did you mean "daily"?'
    assert found[3].suggestion == 'did you mean "fee"?'
    assert 'did you mean "final"?' in found[4].suggestion


@pytest.mark.parametrize(
    ("old", "new", "path", "part"),
    [
        (
            "start_at = 2026-01-01T20:00:00",
            'start_at = "2026-01-01T20:00:00"',
            "start_points[0].start_at",
            "without quotes",
        ),
        ("start_at = 2026-01-01T20:00:00", "start_at = 2026-01-01T20:00:00Z", "start_points[0].start_at", "time_zone"),
        ("start_at = 2026-01-01T20:00:00", "start_at = 20:00:00", "start_points[0].start_at", "half of it"),
        ("register_from_s = 64800", "register_until_s_ = 1", "start_points[0].register_until_s_", "register_until_s"),
        ('title = "The daily cup"', 'titel = "x"', "titel", "title"),
        ("n = 3\n\n# ---", "\n\n# ---", "links[1].n", "n is missing"),
        ('opens = ["heat_a", "heat_b"]', "", "start_points[0].opens", "opens is missing"),
        ('id = "daily_cup"  ', 'id = "daily.cup"  ', "id", "has a dot"),
    ],
)
def test_a_mistake_says_how_to_mend_it(old: str, new: str, path: str, part: str) -> None:
    found = mistakes(changed((old, new)))
    [problem] = [each for each in found if each.path == path]
    assert part in str(problem)


def test_rules_may_lie_beside_the_file_or_be_known(tmp_path: Path) -> None:
    match = DAILY[DAILY.index('id = "heat"\n') :].split("[[definitions]]")[0]
    match = match.replace("[[definitions.stages]]", "[[stages]]").replace("start = {", 'start = { mode = "manual",')
    (tmp_path / "own_heat.toml").write_text(match.replace('id = "heat"', 'id = "own_heat"'), encoding="utf-8")
    by_file = checked(changed(('definition = "heat"', 'definition = "own_heat.toml"')), tmp_path)
    by_name = checked(changed(('definition = "heat"', 'definition = "own_heat"')), tmp_path)
    shipped_rules = checked(changed(('definition = "heat"', 'definition = "half-knockout"')), tmp_path)
    assert by_file.definition.matches[0].definition.id == "own_heat"
    assert by_name.definition.matches[0].definition.stages == by_file.definition.matches[0].definition.stages
    assert shipped_rules.definition.matches[0].definition.start.mode == "manual", "a start point starts it"
    [missing] = mistakes(changed(('definition = "final"', 'definition = "gone.toml"')), tmp_path)
    assert "cannot be read" in missing.message


def test_a_library_has_matches_and_tourneys(tmp_path: Path) -> None:
    (tmp_path / "evenings.toml").write_text(DAILY, encoding="utf-8")
    found = library([tmp_path])
    assert list(found.tourneys) == ["daily_cup"]
    assert "cup" in found.matches
    assert library([]).tourneys == {}, "a shipped tourney runs where it is given"
    (tmp_path / "again.toml").write_text(DAILY, encoding="utf-8")
    with pytest.raises(DefinitionRefused) as caught:
        library([tmp_path])
    [problem] = caught.value.problems
    assert (problem.path, problem.rule) == ("id", "R-HI-01")


def test_two_definitions_of_one_id_are_a_mistake() -> None:
    twice = changed(('[[definitions]]\nid = "final"', '[[definitions]]\nid = "heat"'))
    assert ("definitions[1].id", "rule_broken") in [(problem.path, problem.code) for problem in mistakes(twice)]
