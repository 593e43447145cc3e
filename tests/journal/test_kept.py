"""Journals of every released format are read for ever: the same facts come out of them as when they were written."""

import json
import shutil

import pytest

from coordinator.engine import commands
from coordinator.engine.match import step
from coordinator.engine.refusal import Refused
from coordinator.journal.records import FORMAT, UPCASTERS, state_hash
from coordinator.journal.replay import recover, replay
from coordinator.journal.store import open_store
from tests.journal import keep

FORMATS = range(1, FORMAT + 1)


@pytest.fixture(params=FORMATS, ids=lambda number: f"format {number}")
def kept(request, tmp_path):
    """A copy of a kept journal, and the facts about it."""
    file = shutil.copy(keep.KEPT / f"format-{request.param}.db", tmp_path / "journal.db")
    facts = json.loads((keep.KEPT / f"format-{request.param}.json").read_text())
    return f"sqlite:///{file}", facts


def test_every_format_there_was_is_kept_and_has_its_upcaster():
    assert sorted(file.name for file in keep.KEPT.glob("*.db")) == [f"format-{number}.db" for number in FORMATS]
    assert sorted(UPCASTERS) == list(FORMATS)[:-1]


def test_the_same_facts_come_out(kept):
    url, facts = kept
    with open_store(url) as store:
        assert sorted(facts) == store.named()
        for match_id, known in facts.items():
            recovered = recover(store, match_id)
            assert {**keep.facts(recovered.state), "records": store.verify(match_id).records} == known


def test_a_snapshot_and_the_way_from_the_start_lead_to_one_state(kept):
    url, facts = kept
    with open_store(url) as store:
        for match_id in facts:
            played_again = replay(store, match_id)
            assert state_hash(recover(store, match_id).state) == played_again.state_hash
            assert played_again.same_state is not False


def test_an_old_match_goes_on_in_the_new_format(kept):
    url, _ = kept
    with open_store(url) as store:
        recovered = recover(store, "melee")
        assert recovered.state.status == "running"
        lost = commands.LoseServer(recovered.t, "ts", "life")
        outcome = step(recovered.state, lost)
        assert not isinstance(outcome, Refused)
        assert outcome.events
        store.append([recovered.chain.seal(lost, outcome.events, outcome.effects, keep.WALL_MS)])
    with open_store(url, read_only=True) as store:
        assert store.verify("melee").records == recovered.chain.seq
        assert recover(store, "melee").state.tables == recovered.state.tables
        report = replay(store, "melee")
        assert report.same_effects is True
        assert report.first_difference is None


def test_messages_of_another_layout_are_not_compared(kept):
    """Format 1 did not say which fields its messages had; and no version knows what an older one left out."""
    url, facts = kept
    with open_store(url, read_only=True) as store:
        found = {replay(store, match_id).same_effects for match_id in facts}
    assert found <= {None, True}
