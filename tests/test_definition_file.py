"""Definition files: exact numbers, every mistake at once, each at its line and in the file's own words.

Proves R-ST-03.
"""

import tomllib
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coordinator.definition_file import DefinitionRefused, load, load_checked, loads, shipped
from coordinator.engine.definition import MatchDefinition, Reward
from coordinator.engine.field_flow import flow, why_not
from coordinator.files.problem import Problem
from coordinator.tourney_file import library

SMALL = """\
id = "small"
game = "dou_dizhu"
start = { mode = "manual" }

[[stages]]
id = "swiss"
format = "swiss_shift"
table_size = 3
bouts = 2
round = { hands = 2 }
grouping = { kind = "swiss" }
leave = "forbidden"
score_processing = "per_round"
initial_player_state = { score = 0 }
initial_game_state = { base_score = 10 }
"""


def refused(text: str | bytes) -> tuple[Problem, ...]:
    with pytest.raises(DefinitionRefused) as caught:
        loads(text, "small.toml")
    assert caught.value.exit_code == 3
    return caught.value.problems


def the_problem(text: str | bytes) -> Problem:
    (problem,) = refused(text)
    return problem


def changed(old: str, new: str) -> str:
    assert SMALL.count(old) == 1
    return SMALL.replace(old, new)


def test_a_match_of_one_phase_may_write_its_stages_at_the_top() -> None:
    definition = loads(SMALL)
    assert len(definition.phases) == 1
    assert [stage.id for stage in definition.stages] == ["swiss"]
    assert definition.stages[0].bouts == 2


def test_stages_stand_in_one_place_only() -> None:
    text = SMALL + '[[phases]]\nid = "p"\nstages = []\n'
    assert "stages" in [problem.path for problem in refused(text)]


def test_decimals_are_exact() -> None:
    text = SMALL + 'min_payment = true\nplatform_fee = 0.1\ncut = { mode = "percent", value = 33.3 }\n'
    stage = loads(text).stages[0]
    assert stage.platform_fee == Fraction(1, 10)
    assert stage.cut is not None
    assert stage.cut.value == Fraction(333, 10)


@pytest.mark.parametrize(("written", "ms"), [("2", 2_000), ("0.25", 250), ("1.001", 1_001), ("3.0", 3_000)])
def test_durations_are_seconds(written: str, ms: int) -> None:
    assert loads(f"{SMALL}table_timeout_s = {written}\n").stages[0].table_timeout_ms == ms


def test_finer_times_are_refused_not_rounded() -> None:
    problem = the_problem(f"{SMALL}table_timeout_s = 1.0005\n")
    assert problem.path == "stages[0].table_timeout_s"
    assert "three decimals" in problem.expected


@pytest.mark.parametrize(
    ("old", "new", "path", "expected"),
    [
        ("bouts = 2", 'bouts = "2"', "stages[0].bouts", 'a whole number or "until_done"'),
        ("bouts = 2", "bouts = true", "stages[0].bouts", 'a whole number or "until_done"'),
        ("bouts = 2", "bouts = 2.0", "stages[0].bouts", 'a whole number or "until_done"'),
        ("hands = 2", "hands = true", "stages[0].round.hands", "a whole number"),
        ("hands = 2", 'hands = "2"', "stages[0].round.hands", "a whole number"),
        ("hands = 2", "hands = 9223372036854775808", "stages[0].round.hands", "a whole number"),
        ("table_size = 3", "table_size = [3]", "stages[0].table_size", "a whole number"),
        ('id = "small"', "id = 5", "id", "a text in quotes"),
        ('id = "small"', "id = 2024-01-01", "id", "a text in quotes"),
        ('leave = "forbidden"', "leave = false", "stages[0].leave", '"forbidden" or "allowed"'),
        ("round = { hands = 2 }", "round = 2", "stages[0].round", "a table"),
        ('start = { mode = "manual" }', "start = []", "start", "a table"),
        ("bouts = 2", "bouts = 2\nintervention = 0", "stages[0].intervention", "true or false"),
        ("bouts = 2", "bouts = 2\nbye_points = inf", "stages[0].bye_points", "a number"),
        ("bouts = 2", "bouts = 2\nbye_points = 1e999999", "stages[0].bye_points", "a number"),
        ("bouts = 2", "bouts = 2\nplacement_points = 5", "stages[0].placement_points", "a list in square brackets"),
        ("bouts = 2", 'bouts = 2\nplacement_points = [5, "3", 1]', "stages[0].placement_points[1]", "a whole number"),
        ("bouts = 2", "bouts = 2\ngame_attrs = { a = 1 }", "stages[0].game_attrs.a", "a text in quotes"),
    ],
)
def test_nothing_is_converted(old: str, new: str, path: str, expected: str) -> None:
    """R-ST-03: the shape is what it is."""
    problem = the_problem(changed(old, new))
    assert (problem.path, problem.expected) == (path, expected)
    assert problem.line == changed(old, new)[: changed(old, new).index(new) + len(new)].count("\n") + 1


@pytest.mark.parametrize(
    "mechanism",
    ["round", "grouping", "leave", "score_processing", "initial_player_state", "initial_game_state"],
)
def test_a_missing_mechanism_is_named(mechanism: str) -> None:
    """AV-108, R-ST-01."""
    text = "".join(line for line in SMALL.splitlines(keepends=True) if not line.startswith(f"{mechanism} "))
    problem = the_problem(text)
    assert problem.code == "required_mechanism_missing"
    assert problem.rule == "R-ST-01"
    assert problem.path == f"stages[0].{mechanism}"
    assert mechanism in problem.message
    assert problem.line == SMALL.splitlines().index("[[stages]]") + 1
    assert mechanism in problem.suggestion
    mended = text + problem.suggestion + "\n"
    assert loads(mended).stages[0].id == "swiss"


@pytest.mark.parametrize(
    ("addition", "path", "suggestion"),
    [
        ("tabel_timeout_s = 5", "stages[0].tabel_timeout_s", 'did you mean "table_timeout_s"?'),
        ("table_timeout_ms = 5", "stages[0].table_timeout_ms", 'did you mean "table_timeout_s"?'),
        ("remaining_below = 5", "stages[0].remaining_below", "it belongs into end"),
        ("colour = 5", "stages[0].colour", ""),
        ('cut = { mode = "keep", valu = 5, value = 9 }', "stages[0].cut.valu", 'did you mean "value"?'),
        ("cut = { mode = 'kep', value = 9 }", "stages[0].cut.mode", 'did you mean "keep"?'),
    ],
)
def test_what_is_not_known_is_refused_with_a_suggestion(addition: str, path: str, suggestion: str) -> None:
    problem = the_problem(f"{SMALL}{addition}\n")
    assert (problem.path, problem.suggestion) == (path, suggestion)
    assert problem.line == SMALL.count("\n") + 1


@pytest.mark.parametrize(
    ("addition", "path", "mend"),
    [
        ("cut = 12", "stages[0].cut", 'cut = { mode = "keep", value = 12 }'),
        ("cuts = [20, 18]", "stages[0].cuts[0]", 'cuts = [ { mode = "keep", value = 12 } ]'),
        ("elimination = 0", "stages[0].elimination", "elimination = { absolute = 0 }"),
        ('base_growth = "double"', "stages[0].base_growth", "base_growth = {"),
    ],
)
def test_a_number_where_a_table_belongs_is_answered_with_the_table(addition: str, path: str, mend: str) -> None:
    problem = refused(f"{SMALL}{addition}\n")[0]
    assert (problem.path, problem.expected) == (path, "a table")
    assert problem.suggestion.startswith(mend)


def test_a_list_of_tables_in_one_bracket_is_answered_with_two() -> None:
    problems = refused(SMALL.replace("[[stages]]", "[stages]"))
    assert "write [[stages]] in two brackets" in [problem.suggestion for problem in problems]


def test_a_cut_names_its_rule() -> None:
    assert the_problem(f"{SMALL}cut = {{ mode = 'kep' }}\n").rule == "R-SW-02"


def test_a_missing_word_is_named_with_what_it_is() -> None:
    problem = the_problem(changed("table_size = 3\n", ""))
    assert problem.code == "missing"
    assert problem.path == "stages[0].table_size"
    assert problem.message == "table_size is missing"


def test_rewards_run_from_to() -> None:
    definition = loads("rewards = [{ from = 1, to = 3, items = { coin = 5 } }]\n" + SMALL)
    assert definition.rewards == (Reward(1, 3, {"coin": 5}),)
    problem = the_problem("rewards = [{ from = 3, to = 1, items = { coin = 5 } }]\n" + SMALL)
    assert problem.path == "rewards[0].to"
    problem = the_problem("rewards = [{ from = 3, items = { coin = 5 } }]\n" + SMALL)
    assert (problem.path, problem.line) == ("rewards[0].to", 1)


def test_all_mistakes_of_all_kinds_come_at_once_in_the_order_of_lines() -> None:
    text = (
        SMALL.replace('game = "dou_dizhu"', 'gaem = "dou_dizhu"')
        .replace("bouts = 2", "bouts = 0")
        .replace("hands = 2", 'hands = "2"')
        .replace('kind = "swiss"', 'kind = "direct"')
        .replace('leave = "forbidden"\n', "")
    )
    problems = refused(text)
    assert [problem.path for problem in problems] == [
        "game",  # it stands nowhere, so it comes first
        "gaem",
        "stages[0].leave",
        "stages[0].bouts",
        "stages[0].round.hands",
        "stages[0].grouping.kind",
    ]
    assert {problem.code for problem in problems} == {
        "unknown_key", "missing", "required_mechanism_missing", "wrong_value", "rule_broken"
    }  # fmt: skip
    assert [problem.line or 0 for problem in problems] == sorted(problem.line or 0 for problem in problems)


def test_one_unreadable_stage_does_not_hide_the_other() -> None:
    other = SMALL[SMALL.index("[[stages]]") :].replace("bouts = 2", "")
    problems = refused(changed("table_size = 3", "table_size = 'x'") + other)
    paths = [problem.path for problem in problems]
    assert paths == ["stages[0].table_size", "stages[1].bouts", "stages[1].id"]
    assert "stages[0].id" in problems[2].message


@pytest.mark.parametrize(
    "change",
    [
        ("bouts = 2", "bouts = 2\nscoring = 'plac'\nplacement_points = [5, 3, 1]"),
        ("bouts = 2", "bouts = 2\nround_carry_pct = 'all'"),
        ("bouts = 2", "bouts = 'two'\ncuts = [{ mode = 'fixed', value = 1 }]"),
        ("bouts = 2", "bouts = 2\nmin_payment = 1\nplatform_fee = 5"),
        ("bouts = 2", "bouts = 2\nbase_growth = { kind = 'aritm', add = 5 }"),
        ("round = { hands = 2 }", "round = { type = 'target ', target = 5, max_hands = 5 }"),
        ('start = { mode = "manual" }', 'start = { mode = "manually" }'),
    ],
)
def test_one_typing_error_is_one_problem(change: tuple[str, str]) -> None:
    """What would follow from the missing value is not reported beside it."""
    assert the_problem(changed(*change)).code == "wrong_value"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('id = "a"\nid = "b"\n', 2),
        ("id = \n", 1),
        ("\n\n[[stages]\n", 3),
        (b"id = 'a'\nx = '\xff'\n", 2),
        ("id = '''\n\n", 2),
    ],
)
def test_a_syntax_error_is_one_problem_with_its_line(text: str | bytes, line: int) -> None:
    problem = the_problem(text)
    assert (problem.code, problem.line) == ("syntax", line)


def test_numbers_that_would_explode_do_not() -> None:
    for number in ("1e999999999999999999999", "9" * 5000, "0x" + "f" * 9000, "1e-999999999", "-0.0e99999999"):
        assert refused(f"{SMALL}bye_points = {number}\n")
    assert the_problem("x = " + "[" * 100_000).code == "syntax"


@given(st.one_of(st.text(), st.binary()))
def test_no_text_can_do_more_than_be_refused(text: str | bytes) -> None:
    with pytest.raises(DefinitionRefused):
        loads(text)


values = st.recursive(
    st.one_of(
        st.integers(-(2**70), 2**70).map(str),
        st.floats().map(lambda number: repr(number)),
        st.sampled_from(["true", "false", "2024-01-01", '"x"', "''", '"until_done"', '"half"', "1e400", "[]", "{}"]),
    ),
    lambda inner: st.lists(inner, max_size=3).map(lambda items: f"[{', '.join(items)}]"),
    max_leaves=4,
)
lines = SMALL.splitlines()


@given(st.integers(0, len(lines) - 1), values, st.booleans(), st.data())
def test_no_value_in_any_place_can_do_more_than_be_refused(
    number: int, value: str, drop: bool, data: st.DataObject
) -> None:
    key, equals, _ = lines[number].partition(" = ")
    new = [*lines]
    if equals:
        new[number] = f"{key} = {value}"
    if drop:
        del new[data.draw(st.integers(0, len(new) - 1))]
    try:
        assert isinstance(loads("\n".join(new)), MatchDefinition)
    except DefinitionRefused as error:
        assert error.problems  # noqa: PT017
        for problem in error.problems:
            assert str(problem)


def inline(table: dict[str, str]) -> str:
    return "{ " + ", ".join(f'"{key}" = {value}' for key, value in table.items()) + " }"


keys = st.sampled_from(["id", "from", "first", "a b", "start", "phases", "stages", "x.y", "mode", "rewards", "items"])


@given(st.recursive(values, lambda inner: st.dictionaries(keys, inner, max_size=3).map(inline), max_leaves=6))
def test_nested_tables_anywhere_are_only_refused(value: str) -> None:
    for key in ("start", "rewards", "phases", "stages"):
        text = f"{key} = {value}\n"
        tomllib.loads(text)
        with pytest.raises(DefinitionRefused):
            loads(text)


# ------------------------------------------------------------------------------------------ shipped examples


@pytest.mark.parametrize("name", sorted(shipped()))
def test_the_examples_pass_without_a_warning(name: str) -> None:
    checked = load_checked(shipped()[name])
    assert checked.warnings == ()


@pytest.mark.parametrize("players", [90, 27, 1000])
def test_the_cup_can_be_played(players: int) -> None:
    cup = load(shipped()["cup"])
    assert why_not(cup, players) is None
    assert [step.leaves for step in flow(cup, players)][1:] == [(27, 27), (3, 3), (3, 3)]


def test_the_cup_has_byes() -> None:
    melee, swiss, *_ = flow(load(shipped()["cup"]), 90)
    assert melee.leaves == (43, 45)
    assert swiss.entrants == (43, 45)


@pytest.mark.parametrize(("players", "sends"), [(3, 1), (4, 2), (26, 4)])
def test_the_cup_says_why_not(players: int, sends: int) -> None:
    mistake = why_not(load(shipped()["cup"]), players)
    assert mistake is not None
    assert mistake.message == (
        f"'cup' cannot be played with {players} players: "
        f"stage 'final' seats exactly 3 and 'knockout' would send {sends} (R-DF-01)"
    )


# ------------------------------------------------------------------------------------------------ libraries


def test_a_library_knows_the_examples_and_the_organisers_own(tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text(SMALL, encoding="utf-8")
    (tmp_path / "notes.txt").write_text("no definition", encoding="utf-8")
    known = {name.replace("_", "-") for name in shipped()}
    assert set(library([]).matches) == known
    assert set(library([tmp_path]).matches) == {*known, "small"}
    own_cup = tmp_path / "cup.toml"
    own_cup.write_text(changed('id = "small"', 'id = "cup"'), encoding="utf-8")
    assert len(library([own_cup]).matches["cup"].stages) == 1


def test_a_library_reports_the_mistakes_of_all_files(tmp_path: Path) -> None:
    for name, text in {"a": SMALL, "b": SMALL, "c": "id = 5", "d": "id = "}.items():
        (tmp_path / f"{name}.toml").write_text(text, encoding="utf-8")
    with pytest.raises(DefinitionRefused) as caught:
        library([tmp_path, tmp_path / "missing.toml"])
    files = [Path(problem.file).name for problem in caught.value.problems]
    assert list(dict.fromkeys(files)) == ["b.toml", "c.toml", "d.toml", "missing.toml"]


def test_a_file_that_cannot_be_read_is_a_problem(tmp_path: Path) -> None:
    for path in (tmp_path / "missing.toml", tmp_path):
        with pytest.raises(DefinitionRefused) as caught:
            load(path)
        assert caught.value.problems[0].code == "unreadable"
