"""`definition.md`: every key of a definition file with its default, and every example through `coordinator check`.

R-ST-03: the keys a stage may have are those of the page, and no others.
"""

import random
import tomllib
from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest
from click.testing import CliRunner

from coordinator import definition_file
from coordinator.cli import cli
from coordinator.engine import definition as d
from coordinator.engine import effects as fx
from coordinator.engine.formats import FORMATS
from coordinator.engine.ladder.ladder_commands import CloseLadder
from coordinator.files.words import file_word
from tests.docs.pages import ROOT, Block, blocks, code, section, shown_default, table, text_of
from tests.engine.ladder_play import LadderGame
from tests.engine.playing import Game, zero_sum_scorer

CLASSES = {
    "Match": d.MatchDefinition,
    "Start": d.Start,
    "Rewards": d.Reward,
    "Phases": d.Phase,
    "Stage": d.Stage,
    "Round": d.Round,
    "Grouping": d.Grouping,
    "Initial player state": d.PlayerState,
    "Initial game state": d.GameState,
    "Elimination": d.Elimination,
    "End": d.End,
    "Growth": d.BaseGrowth,
    "Cuts": d.Cut,
    "Carry": d.CarryOut,
    "Island": d.Island,
    "Revival": d.Revival,
    "Packs": d.Pack,
    "Clock": d.Clock,
    "Duplicate": d.Duplicate,
    "Datum": d.Datum,
    "Main points": d.MainPoints,
    "Ladder": d.Ladder,
    "Hours": d.Hours,
    "Rating": d.Rating,
    "Interruption": d.Interruption,
}
"""Each class of a definition and the heading its keys stand under."""


@pytest.mark.parametrize("heading", CLASSES)
def test_every_key_is_described_with_its_default(heading: str) -> None:
    described = {code(row["key"]): row["default"] for row in table(section("definition", heading))}
    fields = {file_word(field.name): field for field in attrs.fields(CLASSES[heading])}
    assert set(described) == set(fields)
    for word, field in fields.items():
        shown = shown_default(field)
        if shown is not None:
            assert described[word] == shown, f"{heading}: {word}"
        else:
            assert described[word] != "required", f"{heading}: {word} may be left out"


def test_the_six_required_mechanisms_are_those_of_the_code() -> None:
    rows = table(section("definition", "Stage"))
    required = [code(row["key"]) for row in rows if row["default"] == "required"]
    assert sorted(required) == sorted(["id", "format", "table_size", *definition_file.REQUIRED_MECHANISMS])


def test_every_word_that_a_key_may_have_is_described() -> None:
    text = text_of("definition")
    for cls in CLASSES.values():
        for field in attrs.fields(cls):
            for word in _words(field.type):
                assert f"`{word}`" in text or f'"{word}"' in text, f"{field.name} may be {word!r}"


def _words(annotation: object) -> Iterator[str]:
    if isinstance(annotation, str):
        yield annotation
    for part in getattr(annotation, "__args__", ()):
        yield from _words(part)


def test_formats_stand_side_by_side_as_they_are() -> None:
    rows = {row[""]: row for row in table(section("definition", "What each format needs"))}
    for name, format in FORMATS.items():
        column = f"`{name}`"
        assert rows["`score_processing`"][column] == ('`"per_round"`' if format.reranks else '`"none"`')
        kinds = rows["`grouping.kind`"][column].split()
        assert kinds == [f"`{kind}`" for kind in dict.fromkeys(format.groupings)]


# ------------------------------------------------------------------------------------------- examples

BASE: dict[str, dict[str, str]] = {
    "knockout": {"format": '"knockout"', "score_processing": '"per_round"', "grouping": "{}"},
    "swiss_shift": {"format": '"swiss_shift"', "score_processing": '"per_round"', "grouping": "{}", "bouts": "3"},
    "melee": {
        "format": '"melee"',
        "score_processing": '"none"',
        "grouping": "{}",
        "elimination": "{ ratio_of_base = 0.25 }",
        "end": "{ remaining_below = 19 }",
        "base_growth": '{ kind = "arith" }',
    },
    "island": {
        "format": '"island"',
        "score_processing": '"none"',
        "grouping": "{}",
        "leave": '"allowed"',
        "join": '"any_time"',
        "island": "{ duration_s = 3600 }",
    },
    "continuous_swiss": {
        "format": '"continuous_swiss"',
        "score_processing": '"per_round"',
        "grouping": "{}",
        "leave": '"allowed"',
    },
    "swiss_1v1": {
        "format": '"swiss_1v1"',
        "table_size": "2",
        "score_processing": '"per_round"',
        "grouping": "{}",
        "round": "{ hands = 1 }",
    },
    "ladder": {
        "format": '"ladder"',
        "table_size": "4",
        "score_processing": '"per_round"',
        "grouping": "{}",
        "round": "{ hands = 16 }",
    },
    "default": {"format": '"default"', "score_processing": '"none"', "grouping": "{}"},
    "partners": {"format": '"knockout"', "table_size": "4", "score_processing": '"per_round"', "grouping": "{}"},
    "duel": {"format": '"knockout"', "table_size": "2", "score_processing": '"per_round"', "grouping": "{}"},
}
"""Around a fragment: what a stage of that format has besides."""

COMMON = {
    "id": '"one"',
    "table_size": "3",
    "leave": '"forbidden"',
    "round": "{}",
    "initial_player_state": "{ score = 1000 }",
    "initial_game_state": "{ base_score = 10 }",
}


def whole(block: Block) -> str:
    """A definition a reader can check: the block itself, or the stage its fence names with the block's keys in it."""
    format = block.info.removeprefix("toml").strip()
    if not format:
        return block.body
    own = tomllib.loads(block.body)
    lines = [f"{key} = {value}" for key, value in {**COMMON, **BASE[format]}.items() if key not in own]
    return "\n".join(
        ['id = "fragment"', 'game = "high_card"', 'start = { mode = "manual" }', "[[stages]]", *lines, block.body]
    )


def examples() -> list[Block]:
    return [
        block for page in ("README", "start", "definition", "organising", "ladder") for block in blocks(page, "toml")
    ]


@pytest.mark.parametrize("block", examples(), ids=lambda block: block.place)
def test_every_example_passes_check(block: Block, tmp_path: Path) -> None:
    file = tmp_path / "example.toml"
    file.write_text(whole(block), encoding="utf-8")
    result = CliRunner().invoke(cli, ["check", str(file)])
    assert result.exit_code == 0, f"{block.place}\n{result.output}"
    assert "is in order" in result.output
    assert "warning" not in result.output, f"{block.place}\n{result.output}"


PLAYERS = 32
"""Enough for every stage of the guide, and no multiple of its tables, so that somebody sits out."""


def of_two_sides(hand: fx.StartHand, seats: tuple[str, ...], rng: random.Random) -> tuple[int, ...]:
    """Partners, who sit across, have the same score; at an odd table one plays against the others."""
    if len(seats) % 2:
        return zero_sum_scorer(hand, seats, rng)
    won = hand.base_score * rng.randint(-3, 3)
    return tuple(-won if seat % 2 else won for seat in range(len(seats)))


@pytest.mark.parametrize("block", blocks("organising", "toml"), ids=lambda block: block.place)
def test_every_stage_of_the_guide_plays_to_its_end(block: Block) -> None:
    definition = definition_file.loads(whole(block))
    (stage,) = definition.stages
    if stage.format == "ladder":  # which teams play, by challenges
        ladder = LadderGame(definition).begin("A", "B")
        ladder.decided("B", "A", challenger_wins=True)
        ladder.ok(CloseLadder(ladder.t))
        assert (ladder.state.status, ladder.state.ranking) == ("over", ("B", "A"))
        return
    players = stage.table_size if stage.format == "default" else PLAYERS
    filled = attrs.evolve(definition, start=attrs.evolve(definition.start, mode="when_full", full_count=players))
    game = Game(filled, ms_per_hand=20_000, scorer=of_two_sides).register(players).play()
    assert game.state.status == "over"
    assert game.state.hands > 0


def test_the_guide_goes_through_every_mechanism() -> None:
    """R-ST-01: the ten mechanisms and what cuts across them, each shown by a stage or said to be missing."""
    shown = {key for block in blocks("organising", "toml") for key in tomllib.loads(block.body)}
    mechanisms = {"round", "grouping", "elimination", "join", "leave", "initial_player_state", "initial_game_state"}
    across = {"scoring", "min_payment", "tie_chain", "bye_points", "round_carry_pct", "carry_out", "revival", "island"}
    assert shown >= mechanisms | across
    formats = {block.info.removeprefix("toml").strip() for block in blocks("organising", "toml")}
    assert formats >= set(FORMATS)


def test_every_table_of_a_stage_has_an_example() -> None:
    shown = {key for block in examples() if block.info != "toml" for key in tomllib.loads(block.body)}
    assert shown >= {"round", "grouping", "elimination", "end", "base_growth", "cuts", "carry_out", "scoring"}


def test_the_shipped_examples_are_named() -> None:
    text = section("definition", "Shipped examples")
    for file in definition_file.shipped().values():
        assert f"`{file.relative_to(ROOT)}`" in text
        assert f"`{definition_file.load(file).id}`" in text
