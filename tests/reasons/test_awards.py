"""Why a place wins what it wins: asked of a match that a lobby opened, and of one that belongs to a tourney."""

import json
from pathlib import Path
from typing import Any

import attrs
import pytest
from click.testing import CliRunner

from coordinator.cli import cli
from coordinator.engine.tourney import events
from coordinator.journal.records import Chain
from coordinator.journal.sqlite import MemoryStore
from coordinator.journal.store import Store, open_store
from coordinator.reasons.asked import Answers, ask
from coordinator.reasons.reason import Reason
from coordinator.reasons.telling import data, lines, verdict
from tests.engine.tourney_play import NOON
from tests.shell.evening import Books, FragileStore, evening
from tests.shell.paying import DAY_ONE, KNOWN, opened, the_whole_evening

FINAL = f"{DAY_ONE}.final"


def of_kind(answers: Answers, kind: str) -> list[Reason]:
    return [reason for answer in answers.answers for reason in answer.reasons if reason.kind == kind]


async def a_match(books: Books) -> MemoryStore:
    store = FragileStore()
    async with evening(store, {}, books, [0.0], definitions=KNOWN) as house:
        await opened(house)
        await house.play()
        await house.settle()
    return store


async def an_evening() -> MemoryStore:
    store = FragileStore()
    await the_whole_evening(store, Books(), [NOON / 1000])
    return store


async def test_a_match_of_its_own_says_what_a_place_wins_and_who_confirmed_it() -> None:
    """R-HI-03: the second of two who share fifty coins."""
    answers = ask(await a_match(Books()), "m", "b")
    won, confirmed = of_kind(answers, "award")
    assert won.rules == confirmed.rules == ("R-HI-03",)
    assert won.says == (
        "wins 13 coins: place 2 lies in the band from 2 to 3 of the match, whose places share 25 coins; "
        "it is told until that is confirmed"
    )
    assert dict(won.inputs) == {
        "place": 2,
        "from": 2,
        "to": 3,
        "items": "13 coins",
        "shared": "25 coins",
        "ranked": 3,
        "key": "m/award/2",
        "lobby": "front",
    }
    assert confirmed.says == "lobby front has confirmed 13 coins"
    assert (answers.same, answers.records_above, answers.unconfirmed) == (True, 0, ())


async def test_what_nobody_has_confirmed_is_said() -> None:
    answers = ask(await a_match(Books(confirmed=dict.fromkeys([f"m/award/{n}" for n in (1, 2, 3)]))), "m", "a")
    assert [due.key for due in answers.unconfirmed] == ["m/award/1"]
    assert "award m/award/1 is not confirmed: lobby front is told of it again and again" in list(lines(answers))
    assert data(answers)["unconfirmed"] == ["m/award/1"]


async def test_a_tourney_says_how_a_player_came_in_and_what_the_place_wins() -> None:
    """R-HI-01 to R-HI-03: the tourney's own prizes, from its own journal."""
    store = await an_evening()
    answers = ask(store, FINAL, "b")
    first, *_, won, confirmed = [reason for answer in answers.answers for reason in answer.reasons]
    assert first.rules == ("R-HI-01", "R-CA-03")
    assert first.says == "comes from heat2 as number 1 of the best 2, with 0"
    assert won.says.startswith("wins 10 coins: place 2 lies in the band from 2 to 3 of the match")
    assert confirmed.says == "lobby front has confirmed 10 coins"
    assert {answer.stream for answer in answers.answers} == {FINAL, "tourney:cup"}
    assert answers.same
    assert verdict(answers).endswith(f" and {answers.records_above} of its tourney decided again: the same answers")
    assert all(answer.again == answer.reasons for answer in answers.answers)
    assert any(line.split(",")[0].endswith(" of tourney:cup") for line in lines(answers))


async def test_who_wins_nothing_is_told_the_bands() -> None:
    answers = ask(await an_evening(), FINAL, "d")
    [nothing] = of_kind(answers, "award")
    assert nothing.says == "wins nothing: place 4 has no part in the bands 1 to 1, 2 to 3"


async def test_who_registered_was_dealt_to_a_heat() -> None:
    """R-HI-02, R-HI-03: heats with the same conditions share their players in turn."""
    answers = ask(await an_evening(), f"{DAY_ONE}.heat2", "d")
    entry = of_kind(answers, "entry")[0]
    assert entry.rules == ("R-HI-02", "R-HI-03")
    assert "registered for cup.2026-01-01 with number 4" in entry.says
    assert "heat1, heat2 have the same conditions" in entry.says


def altered(store: MemoryStore) -> MemoryStore:
    """The same tourney, but another player was written down for the first prize."""
    found = MemoryStore()
    for stream in [entry.match_id for entry in store.matches()]:
        chain = Chain.start(stream)
        for record in store.follow(Chain.start(stream)):
            happened: list[Any] = list(record.events)
            for number, event in enumerate(happened):
                if isinstance(event, events.DuesOwed) and event.dues[0].kind == "award":
                    wrong = attrs.evolve(event.dues[0], player_id="d")
                    happened[number] = attrs.evolve(event, dues=(wrong, *event.dues[1:]))
            found.append([chain.seal(record.command, tuple(happened), (), record.wall_ms)])
    return found


async def test_an_award_that_is_decided_otherwise_now_is_shown_beside_the_one_that_was_paid() -> None:
    answers = ask(altered(await an_evening()), FINAL, "a")
    assert not answers.same
    assert "DuesOwed is decided otherwise now" in (answers.first_difference or "")
    last = next(answer for answer in answers.answers if answer.differs is not None)
    assert last.again is not None
    assert [reason.kind for reason in last.again] == ["award"]
    assert not any(reason.inputs.get("items") for reason in last.reasons)
    assert any(line.strip().startswith("now: award: wins 100 coins") for line in lines(answers))


def copied(store: MemoryStore, url: str) -> None:
    with open_store(url) as made:
        copy_all(store, made)


def copy_all(store: MemoryStore, made: Store) -> None:
    for stream in [entry.match_id for entry in store.matches()]:
        chain = Chain.start(stream)
        for record in store.follow(Chain.start(stream)):
            made.append([chain.seal(record.command, record.events, (), record.wall_ms)])


async def test_the_verb_asks_the_tourney_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    url = f"sqlite:///{tmp_path}/journal.db"
    copied(await an_evening(), url)
    said = CliRunner().invoke(cli, ["why", FINAL, "a", "--journal", url, "--json"])
    assert said.exit_code == 0, said.stderr
    told = json.loads(said.stdout)
    awards = [r["inputs"]["items"] for each in told["answers"] for r in each["reasons"] if "items" in r["inputs"]]
    assert awards == ["100 coins"]
    assert told["records_above"] > 10
    at = CliRunner().invoke(cli, ["why", FINAL, "a", "--journal", url, "--json", "--at", "2"])
    assert json.loads(at.stdout)["records_above"] == 0
