"""Questions to the journal for a page: answered by a process of its own, one at a time, and never for long."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import trio

from coordinator.journal.store import open_store
from coordinator.reasons.asked import ask
from coordinator.reasons.telling import data
from coordinator.shell import inquiries
from coordinator.shell.inquiries import RECORDS_MOST, WAITING_MOST, Inquiries
from coordinator.shell.view import NotAnswered
from tests.journal.small_match import played, write


@pytest.fixture
def url(tmp_path: Path) -> str:
    url = f"sqlite:///{tmp_path}/journal.db"
    with open_store(url) as made:
        write(made, steps=played())
    return url


@pytest.mark.process
async def test_the_answer_is_that_of_the_verb(url: str) -> None:
    found = await Inquiries(url).why("m", "p1", 40)
    with open_store(url, read_only=True) as store:
        assert found == json.loads(json.dumps(data(ask(store, "m", "p1"))))


@pytest.mark.process
async def test_a_daemon_that_writes_is_no_hindrance(url: str) -> None:
    with open_store(url):
        assert (await Inquiries(url).why("m", "p2", 40))["player"] == "p2"


@pytest.mark.process
async def test_a_journal_that_cannot_be_read_is_no_answer(tmp_path: Path) -> None:
    with pytest.raises(NotAnswered) as told:
        await Inquiries(f"sqlite:///{tmp_path}/nothing.db").why("m", "p1", 40)
    assert told.value.code == "not_answered"
    assert "coordinator why m p1" in told.value.message


@pytest.mark.parametrize(
    ("journal", "records", "code"),
    [("sqlite://", 1, "journal_in_memory"), ("sqlite:///there.db", RECORDS_MOST + 1, "journal_too_long")],
)
async def test_what_is_not_even_tried(journal: str, records: int, code: str) -> None:
    with pytest.raises(NotAnswered) as told:
        await Inquiries(journal).why("m", "p1", records)
    assert told.value.code == code


class Slow:
    """Processes that answer when they are told to; it knows how many run at the same time."""

    def __init__(self) -> None:
        self.running = self.most = self.begun = 0
        self.go = trio.Event()

    async def run(self, command: list[str], **_: Any) -> subprocess.CompletedProcess[bytes]:
        assert command[:3] == [sys.executable, "-m", "coordinator"]
        self.begun += 1
        self.running += 1
        self.most = max(self.most, self.running)
        try:
            await self.go.wait()
        finally:
            self.running -= 1
        return subprocess.CompletedProcess(command, 0, b"{}", b"")


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Slow:
    slow = Slow()
    monkeypatch.setattr("trio.run_process", slow.run)
    return slow


async def test_one_is_answered_at_a_time_and_few_may_wait(slow: Slow, autojump_clock: trio.testing.MockClock) -> None:
    asked, refused = Inquiries("sqlite:///there.db"), []

    async def why() -> None:
        try:
            await asked.why("m", "p1", 1)
        except NotAnswered as told:
            refused.append(told.code)

    async with trio.open_nursery() as nursery:
        for _ in range(WAITING_MOST + 3):
            nursery.start_soon(why)
        await trio.testing.wait_all_tasks_blocked()
        assert refused == ["too_many_questions"] * 2
        slow.go.set()
    assert (slow.begun, slow.most) == (WAITING_MOST + 1, 1)
    await asked.why("m", "p1", 1)  # and then there is room again


async def test_a_question_is_given_up_and_its_process_ended(slow: Slow, autojump_clock: trio.testing.MockClock) -> None:
    asked = Inquiries("sqlite:///there.db")
    with pytest.raises(NotAnswered) as told:
        await asked.why("m", "p1", 1)
    assert told.value.code == "took_too_long"
    assert trio.current_time() == pytest.approx(inquiries.AT_MOST_S)
    assert slow.running == 0
