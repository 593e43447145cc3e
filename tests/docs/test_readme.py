"""The README, followed by somebody who does what it says; and the tutorial of the manual after it."""

import re
from pathlib import Path

import pytest
import trio

from protocol.client import Lobby
from protocol.messages import MatchOver, PlaceRow
from tests.docs.console import STEP_S, Reader, reader
from tests.docs.pages import README, ROOT, blocks, files_of, text_of

NAMED = re.compile(r"[Cc]all it `(?P<name>[\w.]+)`")


def shown_files() -> dict[str, str]:
    """The files of the README: each block of Python or TOML under the sentence that names it."""
    names = [found["name"] for found in NAMED.finditer(text_of("README"))]
    bodies = [block.body for block in blocks("README") if block.kind in ("python", "toml")]
    return dict(zip(names, bodies, strict=True))


async def play_a_match(listen: str, match_id: str) -> list[PlaceRow]:
    """A lobby of the SDK: open the match, fill it, and wait for its places."""
    lobby = Lobby(f"ws://{listen}", "reader-lobby")
    notices = lobby.notices()
    places: list[PlaceRow] = []
    async with trio.open_nursery() as nursery:
        await nursery.start(lobby.run)
        await lobby.open_match(match_id, "high-card")
        await lobby.register_many(match_id, [(f"p{number}", f"Player {number}") for number in range(1, 10)])
        async for notice in notices:
            if isinstance(notice, MatchOver):
                places = notice.places
                break
        nursery.cancel_scope.cancel()
    return places


@pytest.mark.process
async def test_every_command_of_the_readme(tmp_path: Path) -> None:
    for name, body in shown_files().items():
        (tmp_path / name).write_text(body, encoding="utf-8")
    commands = [block.body.strip() for block in blocks("README", "sh")]
    assert all("\n" not in command for command in commands), "one command for each block"
    async with reader(tmp_path) as person:
        for command in commands:
            said = await _do(person, command)
            if command.startswith("coordinator check"):
                assert "is in order" in said
            elif command.startswith("python table_server.py"):
                await _a_whole_match(person)
            elif command.startswith("coordinator match list"):
                assert "first" in said
                assert "over" in said
            elif command.startswith("scripts/demo"):
                assert "same state, same effects" in said
            elif command.startswith("coordinator replay"):
                assert said.startswith("first: ")
                assert "same state, same messages, same decisions" in said


async def _do(person: Reader, command: str) -> str:
    if command.startswith("coordinator replay"):
        assert await person.stop_daemon() == 0
    return await person.follow(command)


async def _a_whole_match(person: Reader) -> None:
    with trio.fail_after(STEP_S):
        places = await play_a_match(person.listen, "first")
    assert [row.place for row in places] == list(range(1, 10))
    assert places[0].out_in is None
    assert "wins, scored" in await person.table_servers[0].line_with("table 4 hand 2")


@pytest.mark.process
async def test_every_command_of_the_tutorial(tmp_path: Path) -> None:
    for name, body in files_of("start").items():
        (tmp_path / name).write_text(body, encoding="utf-8")
    commands = [block.body.strip() for block in blocks("start", "sh")]
    assert commands[0] == "scripts/demo", "the README's test runs it"
    async with reader(tmp_path) as person:
        for command in commands[1:]:
            said = await _do(person, command)
            if command.startswith("python lobby.py"):
                assert [line.partition(".")[0] for line in said.splitlines()] == [str(n) for n in range(1, 10)]
            elif command.startswith("coordinator replay"):
                assert "same decisions" in said
            elif command.startswith("coordinator why"):
                assert said.startswith("Ada (ada) in first\n")
                assert said.endswith("records decided again: the same answers\n")


def test_the_tutorial_and_the_readme_show_the_same_files() -> None:
    readme, tutorial = shown_files(), files_of("start")
    assert set(readme) == {"high_card.toml", "table_server.py"}
    assert set(tutorial) == {*readme, "lobby.py"}
    for name, body in readme.items():
        assert tutorial[name] == body, f"{name} differs"


def test_the_table_server_is_short_and_the_match_too() -> None:
    files = shown_files()
    assert len(files["table_server.py"].splitlines()) <= 35
    assert len(files["high_card.toml"].splitlines()) <= 22


def test_the_readme_begins_with_what_it_is_a_picture_and_how_to_run_it() -> None:
    text = README.read_text(encoding="utf-8")
    title, _, *rest = text.splitlines()
    assert title.startswith("# ")
    said = [line for line in rest[: rest.index("## Run it")] if line]
    assert len(said) <= 5
    assert said[-1].startswith("![")
    order = ["Run it", "Test it", "Write a table server", "Run it as a daemon", "Define a match", "How fast",
             "Where the manual is", "Licence"]  # fmt: skip
    assert [line.removeprefix("## ") for line in text.splitlines() if line.startswith("## ")] == order


def test_links_of_the_readme_lead_somewhere() -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", text_of("README")):
        assert (ROOT / target).exists(), f"README.md: {target} does not exist"
