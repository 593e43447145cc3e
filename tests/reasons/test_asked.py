"""Why, asked of a journal: answers in order, decided again, and told apart where they differ."""

import json
from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest
from click.testing import CliRunner, Result

from coordinator.cli import cli
from coordinator.engine import events
from coordinator.engine.match import Outcome
from coordinator.errors import PlayerUnknown
from coordinator.journal.records import Chain
from coordinator.journal.store import Store, open_store
from coordinator.reasons.asked import Answers, ask
from coordinator.reasons.telling import clock, data, lines, verdict
from tests.journal.small_match import WALL_MS, Step, played, write


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(f"sqlite:///{tmp_path}/journal.db") as store:
        yield store


def kinds(answers: Answers) -> list[str]:
    return [reason.kind for answer in answers.answers for reason in answer.reasons]


def test_the_way_of_a_winner_and_of_a_loser(store: Store) -> None:
    """A knockout of nine: three tables, then one."""
    steps = played()
    write(store, steps=steps)
    final = next(e for _, outcome in steps for e in outcome.events if isinstance(e, events.MatchEnded))
    winner, loser = ask(store, "m", final.ranking[0]), ask(store, "m", final.ranking[-1])
    assert kinds(winner)[:3] == ["entry", "carry", "seat"]
    assert kinds(winner).count("seat") == 2
    assert kinds(winner)[-1] == "place"
    assert [kind for kind in kinds(loser) if kind in ("out", "place")] == ["out", "place", "place"]
    for answers in (winner, loser):
        assert answers.same
        assert answers.records == len(steps)
        assert all(answer.again == answer.reasons for answer in answers.answers)
        assert [answer.seq for answer in answers.answers] == sorted(answer.seq for answer in answers.answers)


def test_what_held_after_a_record(store: Store) -> None:
    write(store, steps=played())
    whole = ask(store, "m", "p1")
    first, second, *_ = (answer.seq for answer in whole.answers)
    for seq, expected in [(first, first), (second - 1, first), (second, second)]:
        found = ask(store, "m", "p1", until=seq).at(seq)
        assert [answer.seq for answer in found.answers] == [expected]
        assert found.records == seq
    with pytest.raises(PlayerUnknown):
        ask(store, "m", "p9", until=1)


def altered(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """The same commands, but the first tables were written down with two players swapped."""
    out = []
    for command, outcome in steps:
        happened = [
            attrs.evolve(event, tables=(event.tables[0][1:] + event.tables[0][:1], *event.tables[1:]))
            if isinstance(event, events.TablesSeated) and event.bout_no == 1
            else event
            for event in outcome.events
        ]
        out.append((command, Outcome(tuple(happened), outcome.effects)))
    return tuple(out)


def write_as_is(store: Store, steps: tuple[Step, ...]) -> None:
    chain = Chain.start("m")
    for command, outcome in steps:
        store.append([chain.seal(command, outcome.events, outcome.effects, WALL_MS)])


def test_another_answer_is_told_beside_the_one_that_was_written(store: Store) -> None:
    steps = played(9, 0)
    write_as_is(store, altered(steps))
    seated = next(e for _, outcome in steps for e in outcome.events if isinstance(e, events.TablesSeated))
    answers = ask(store, "m", seated.tables[0][0])
    assert not answers.same
    last = answers.answers[-1]
    assert last.differs == "TablesSeated is decided otherwise now"
    assert last.again is not None
    then, now = last.reasons[-1], last.again[-1]
    assert (then.inputs["seat_no"], now.inputs["seat_no"]) == (3, 1)
    told = list(lines(answers))
    assert any("DIFFERS when decided again" in line for line in told)
    assert any(line.strip().startswith("now: seat: seat 1 of table 1") for line in told)
    assert verdict(answers).startswith("decided again, the answers differ: Record 10, RegisterPlayer: TablesSeated")
    [*_, shown] = data(answers)["answers"]
    assert (shown["same"], shown["differs"]) == (False, last.differs)
    assert shown["again"][-1]["inputs"]["seat_no"] == 1


def test_after_a_difference_nothing_is_decided_again(store: Store) -> None:
    write_as_is(store, altered(played()))
    answers = ask(store, "m", "p1")
    assert answers.first_difference is not None
    decided = [(answer.again is not None, answer.differs is not None) for answer in answers.answers]
    at = decided.index((True, True))
    assert decided[:at] == [(True, False)] * at
    assert decided[at + 1 :] == [(False, False)] * (len(decided) - at - 1) != []


def test_the_match_clock_for_people() -> None:
    assert clock(1_709_692_200_042) == "2024-03-06 02:30:00.042Z", "a ladder goes by the calendar"
    assert clock(0) == "0:00:00.000"
    assert clock(3_723_004) == "1:02:03.004"


# ------------------------------------------------------------------------------------------------- the verb


def run(*words: str) -> Result:
    return CliRunner().invoke(cli, ["why", *words])


@pytest.fixture
def journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    url = f"sqlite:///{tmp_path}/journal.db"
    with open_store(url) as made:
        write(made, steps=played())
    return url


def test_for_people(journal: str) -> None:
    said = run("m", "p1", "--journal", journal)
    assert said.exit_code == 0, said.stderr
    told = said.stdout.splitlines()
    assert told[0] == "Player 1 (p1) in m"
    assert told[1].startswith("record 2, 0:00:00.000: entry: registered with number 1")
    assert told[-1].endswith("records decided again: the same answers")
    assert any("[R-GR-04, R-HI-06]" in line for line in told)
    assert any(line.startswith("    drawn from seed '1', blocks 0 to ") for line in told)
    assert any(line.startswith(("    before Player ", "    behind Player ")) for line in told)


def test_for_programs_and_at_a_record(journal: str) -> None:
    answer = json.loads(run("m", "p1", "--journal", journal, "--json").stdout)
    assert (answer["match"], answer["player"], answer["same"]) == ("m", "p1", True)
    seats = [r for each in answer["answers"] for r in each["reasons"] if r["kind"] == "seat"]
    assert seats[0]["rules"] == ["R-GR-04", "R-HI-06"]
    assert seats[0]["draw"]["seed"] == "1"
    at = answer["answers"][1]["seq"]
    only = json.loads(run("m", "p1", "--journal", journal, "--json", "--at", str(at)).stdout)
    assert only["answers"] == [answer["answers"][1]]


def test_errors(journal: str) -> None:
    for words, code, told in [
        (("nobody", "p1", "--journal", journal), 1, "[match_unknown]"),
        (("m", "nobody", "--journal", journal), 1, "[player_unknown]"),
        (("m", "p1", "--journal", journal, "--at", "0"), 2, "--at"),
        (("m", "p1", "--journal", "sqlite:///no/such.db"), 6, "[database_unreachable]"),
    ]:
        said = run(*words)
        assert said.exit_code == code, said.stderr
        assert told in said.stderr
        assert said.stdout == ""


def test_a_difference_ends_with_its_own_exit_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    url = f"sqlite:///{tmp_path}/journal.db"
    with open_store(url) as made:
        write_as_is(made, altered(played(9, 0)))
    assert run("m", "p1", "--journal", url).exit_code == 4
