"""The pages for authors of table servers and bots, followed by one; and their tables against the code."""

import signal
from pathlib import Path
from typing import Any

import pytest
import trio

from protocol.client import Hand, TableServer, failures
from protocol.client.peer import Peer
from tests.docs.console import TABLE_SERVERS, Reader, Started, reader, run
from tests.docs.pages import blocks, code, files_of, section, table


def lines_of(page: str) -> list[str]:
    return [line for block in blocks(page, "sh") for line in block.body.strip().splitlines()]


def put(folder: Path, *pages: str) -> None:
    for page in pages:
        for name, body in files_of(page).items():
            (folder / name).write_text(body, encoding="utf-8")


async def who_says(words: str, one: Started, other: Started) -> tuple[Started, Started]:
    """The first of two programs that says this, and the other one."""
    said: list[tuple[Started, Started]] = []
    async with trio.open_nursery() as nursery:

        async def listen(who: Started, to: Started) -> None:
            await who.line_with(words)
            said.append((who, to))
            nursery.cancel_scope.cancel()

        nursery.start_soon(listen, one, other)
        nursery.start_soon(listen, other, one)
    return said[0]


@pytest.mark.process
async def test_a_table_server_that_is_killed_in_the_middle_of_a_hand(tmp_path: Path) -> None:
    """What the page says of it: the other one repeats the hand, card by card, and the match comes to its end."""
    put(tmp_path, "start", "sdk")
    *before, lobby = lines_of("sdk")
    async with reader(tmp_path) as person:
        for command in before:
            await person.follow(command)
        said: list[str] = []
        async with trio.open_nursery() as nursery:

            async def fill() -> None:
                said.append(await person.follow(lobby))

            nursery.start_soon(fill)
            # Whoever came first may have all the tables.
            one, other = await who_says("hand 1 attempt 1: 0 cards repeated, scored", *person.table_servers)
            await one.stop(signal.SIGKILL)
            await other.line_with("attempt 2: ")
        assert [line.partition(".")[0] for line in said[0].splitlines()] == [str(n) for n in range(1, 10)]


@pytest.mark.process
async def test_a_crowd_and_a_strategy_of_ones_own(tmp_path: Path) -> None:
    pytest.importorskip("pyspiel")
    put(tmp_path, "bots")
    async with reader(tmp_path) as person:
        over = [await _lightly(person, command) for command in lines_of("bots")]
    assert ["load-1 is over" in said for said in over].count(True) == 1
    assert ["load-2 is over" in said for said in over].count(True) == 1


async def _lightly(person: Reader, command: str) -> str:
    """The command with results instead of cards, so that it is soon done; the strategy plays cards all the same."""
    if command.startswith("python -m bots.table_server"):
        command += " --game-model score"
    return await person.follow(command)


@pytest.mark.process
def test_the_test_without_a_daemon_passes(tmp_path: Path) -> None:
    put(tmp_path, "sdk")
    exit_code, said = run("python -m pytest -q -p no:cacheprovider test_whist.py", tmp_path)
    assert exit_code == 0, said


def words(heading: str) -> set[str]:
    return {code(row["word"]) for row in table(section("sdk", heading))}


def test_every_word_of_a_table_server_is_described() -> None:
    of_the_link = {name for name in dir(Peer) if name != "run"} | {"actions_recorded", "hand_reported"}
    ours = {name for name in dir(TableServer) if not name.startswith("_")} - of_the_link
    assert words("Table server") == ours


def test_every_word_of_a_hand_exists() -> None:
    nobody: Any = None
    where: Any = type("Table", (), {"epoch": 1})()
    hand = Hand(nobody, where, hand_no=1, attempt_no=1, base_score=1, deal="0" * 64, log=[])
    assert {word for word in words("Hand") if not hasattr(hand, word)} == set()


def test_every_failure_is_described() -> None:
    ours = {name for name, value in vars(failures).items() if isinstance(value, type)}
    assert {code(row["raised"]) for row in table(section("sdk", "When it does not go well"))} == ours


def test_programs_that_go_on_are_those_of_the_pages() -> None:
    shown = [line for page in ("start", "sdk", "bots") for line in lines_of(page)]
    for beginning in TABLE_SERVERS:
        assert any(line.startswith(beginning) for line in shown), beginning
