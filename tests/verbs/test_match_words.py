"""``coordinator match penalty`` and its kin, said to a coordinator that runs."""

import json
import logging
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import attrs
import pytest
import structlog
import trio
from click.testing import CliRunner, Result

from coordinator.cli import cli
from coordinator.credentials import Credentials
from coordinator.engine.definition import Grouping
from protocol.auth import HashedToken
from tests.cases.table_servers import orders
from tests.engine.stages import SWISS, match_of
from tests.shell.premises import Premises, premises
from tests.shell.programs import open_match

PAIRS = match_of(attrs.evolve(SWISS, table_size=2, bouts=2, grouping=Grouping(kind="swiss")), players=4, zero_sum=True)


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """The coordinator of these tests runs in the process of the verb, whose output is looked at."""
    before = structlog.get_config()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    yield
    structlog.configure(**before)


async def said(house: Premises, *words: str) -> Result:
    """The verb, run as people run it: in a process of its own, here in a thread."""
    words = ("match", *words, "--url", f"ws://127.0.0.1:{house.port}/")
    result: Result = await trio.to_thread.run_sync(partial(CliRunner().invoke, cli, words))
    return result


async def test_all_five_words() -> None:
    async with premises({"pairs": PAIRS}) as house:
        lobby = await house.lobby()
        await open_match(lobby, "m", "pairs", 4)
        answer = await said(house, "penalty", "m", "p3", "--points", "-10", "--reason", "late", "--json")
        assert (answer.exit_code, answer.stderr) == (0, "")
        assert json.loads(answer.stdout) == {"match_id": "m", "kind": "penalty", "player_id": "p3", "points": -10}
        answer = await said(house, "reseat", "m")
        assert (answer.exit_code, answer.stdout) == (0, "ruled\n")
        server = await house.table_server()
        first, _ = (await orders(server)).values()
        await server.ask(first.ended())
        one, other = first.players
        answer = await said(house, "correct", "m", f"{first.start.table_id}", "1", f"{one}=-4", f"{other}=4")
        assert answer.exit_code == 0, answer.output
        assert house.desk("m").state.entrants[other].score == 4
        assert (await said(house, "disqualify", "m", one)).exit_code == 0
        assert list(house.desk("m").state.disqualified) == [one]
        assert (await said(house, "reinstate", "m", one)).exit_code == 0
        assert house.desk("m").state.disqualified == {}
        assert house.desk("m").state.entrants["p3"].penalty == -10


async def test_a_key_books_once() -> None:
    async with premises({"pairs": PAIRS}) as house:
        await open_match(await house.lobby(), "m", "pairs", 4)
        for _ in range(2):
            answer = await said(house, "penalty", "m", "p3", "--points", "-10", "--key", "late p3")
            assert answer.exit_code == 0
        assert house.desk("m").state.entrants["p3"].score == -10


async def test_a_refusal_says_the_field_and_what_was_expected() -> None:
    async with premises({"pairs": PAIRS}) as house:
        await open_match(await house.lobby(), "m", "pairs", 4)
        answer = await said(house, "correct", "m", "1", "1", "p1=1", "p2=-1")
        assert answer.exit_code == 1
        assert "hand_no: expected from 1 to 0 [no_such_hand]" in answer.stderr


async def test_a_director_who_is_not_believed_hears_that_and_not_that_nobody_is_there(tmp_path: Path) -> None:
    file = tmp_path / "credentials.toml"
    hashed = HashedToken.of("right", iterations=2)
    file.write_text(f'[[credential]]\nidentity = "ada"\nroles = ["director"]\ntoken = "{hashed}"\n')
    async with premises({"pairs": PAIRS}, credentials=Credentials(file)) as house:
        for token, code in (("wrong", "[bad_token]"), ("", "[no_token]")):
            answer = await said(house, "reseat", "m", "--id", "ada", *(["--token", token] if token else []))
            assert answer.exit_code == 1
            assert code in answer.stderr
            assert "[daemon_refused]" in answer.stderr


@pytest.mark.parametrize("scores", [("p1",), ("p1=much",), ("=",)])
def test_what_is_no_score(scores: Any) -> None:
    answer = CliRunner().invoke(cli, ["match", "correct", "m", "1", "1", *scores])
    assert answer.exit_code == 2
    assert "is not PLAYER=SCORE" in answer.output
