import attrs
import pytest

from coordinator.engine import commands, events
from coordinator.engine import effects as fx
from coordinator.engine.match import Outcome, new_state, step
from coordinator.errors import JournalDamaged
from coordinator.journal.records import Chain, state_hash
from coordinator.journal.replay import Recovered, recover, replay, sentence
from coordinator.journal.sqlite import MemoryStore
from tests.journal.small_match import WALL_MS, played, write

STEPS = played(9)
LAST = len(STEPS)
EVENTS = sum(len(outcome.events) for _, outcome in STEPS)


class OpenStore(MemoryStore):
    """A store whose rows can be reached directly."""

    def raw(self, sql: str, *values: object) -> list:
        return self._connection.execute(sql, values).fetchall()


@pytest.fixture
def store():
    with OpenStore() as store:
        yield store


def state_after(seq):
    state = new_state()
    for command, _ in STEPS[:seq]:
        step(state, command)
    return state


def written_with(store, seq, change):
    """A whole journal in which record ``seq`` tells of another outcome than the one its command has."""
    chain = Chain.start("m")
    for number, (command, outcome) in enumerate(STEPS, start=1):
        told = change(outcome) if number == seq else outcome
        store.append([chain.seal(command, told.events, told.effects, WALL_MS)])


def first_with(kind):
    """The number of the first record with an event of this kind."""
    return next(
        number
        for number, (_, outcome) in enumerate(STEPS, start=1)
        if any(type(event) is kind for event in outcome.events)
    )


# --- recovery -------------------------------------------------------------------------------------------------------


def test_a_match_is_taken_up_where_it_stood(store):
    written = write(store, steps=STEPS)
    recovered = recover(store, "m")
    assert recovered == Recovered(state_after(LAST), written, LAST, STEPS[-1][0].t)
    assert state_hash(recovered.state) == state_hash(state_after(LAST))


def test_a_match_taken_up_goes_on_as_if_nothing_had_happened(store):
    write(store, steps=STEPS[: LAST // 2])
    recovered = recover(store, "m")
    for command, outcome in STEPS[LAST // 2 :]:
        assert step(recovered.state, command) == outcome
        store.append([recovered.chain.seal(command, outcome.events, outcome.effects, WALL_MS)])
    assert replay(store, "m", check=True).first_difference is None


def test_an_unknown_match_has_no_state_yet(store):
    assert recover(store, "m") == Recovered(new_state(), Chain.start("m"), 0, 0)


@pytest.mark.parametrize("seq", [1, 2, LAST - 1, LAST])
def test_a_snapshot_is_a_shortcut_to_the_same_state(store, seq):
    written = write(store, steps=STEPS, snapshots_after=(seq,))
    recovered = recover(store, "m")
    assert recovered == Recovered(state_after(LAST), written, LAST - seq, STEPS[-1][0].t, seq)
    assert state_hash(recovered.state) == state_hash(state_after(LAST))


def test_without_any_snapshot_nothing_changes_but_the_time(store):
    write(store, steps=STEPS, snapshots_after=(4, 9))
    short = recover(store, "m")
    store.raw("DELETE FROM snapshots")
    long = recover(store, "m")
    assert (short.snapshot, long.snapshot) == (9, 0)
    assert (long.state, long.chain, long.t) == (short.state, short.chain, short.t)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("state", b"\x80"),
        ("state", b"garbage"),
        ("state_hash", bytes(16)),
        ("effects", b"\1" * 16),
        ("record_hash", bytes(16)),
        ("hash", bytes(16)),
        ("layout", "of another version"),
    ],
)
def test_an_altered_snapshot_is_passed_over_for_the_one_before(store, column, value):
    write(store, steps=STEPS, snapshots_after=(4, 9))
    store.raw(f"UPDATE snapshots SET {column} = ? WHERE seq = 9", value)
    recovered = recover(store, "m")
    assert (recovered.snapshot, recovered.passed_over, recovered.records) == (4, (9,), LAST - 4)
    assert state_hash(recovered.state) == state_hash(state_after(LAST))
    store.raw(f"UPDATE snapshots SET {column} = ?", value)
    recovered = recover(store, "m")
    assert (recovered.snapshot, recovered.passed_over, recovered.records) == (0, (9, 4), LAST)


def test_a_snapshot_of_another_match_is_passed_over(store):
    write(store, steps=STEPS, snapshots_after=(4,))
    write(store, "n", steps=STEPS[:-1])
    store.raw("UPDATE snapshots SET match_id = 'n'")
    assert recover(store, "n").passed_over == (4,)


def test_a_snapshot_of_records_that_are_gone_does_not_bring_them_back(store):
    write(store, steps=STEPS, snapshots_after=(9,))
    store.raw("DELETE FROM records WHERE seq > 7")
    with pytest.raises(JournalDamaged) as caught:
        recover(store, "m")
    assert caught.value.seq == 8


def test_a_record_cut_off_behind_a_snapshot_is_noticed(store):
    write(store, steps=STEPS, snapshots_after=(9,))
    store.raw("DELETE FROM records WHERE seq = ?", LAST)
    with pytest.raises(JournalDamaged) as caught:
        recover(store, "m")
    assert caught.value.seq == LAST


@pytest.mark.parametrize("use", [recover, replay])
def test_events_that_do_not_fit_are_damage_and_named(store, use):
    seq = first_with(events.HandScored)
    written_with(store, seq, lambda outcome: Outcome((events.HandScored(0, 777, 1, 1, (0,), (0,)),), ()))
    with pytest.raises(JournalDamaged, match="event HandScored does not fit what came before") as caught:
        use(store, "m")
    assert (caught.value.match_id, caught.value.seq) == ("m", seq)


# --- replay ---------------------------------------------------------------------------------------------------------


def test_a_replay_without_snapshots_proves_the_messages(store):
    write(store, steps=STEPS)
    report = replay(store, "m")
    assert (report.records, report.events) == (LAST, EVENTS)
    assert (report.same_state, report.same_effects, report.same_decisions) == (None, True, None)
    assert report.state_hash == state_hash(state_after(LAST))
    assert sentence(report) == f"{EVENTS} events replayed: same messages."


def test_a_replay_meets_every_snapshot_also_those_without_a_state(store):
    write(store, steps=STEPS, snapshots_after=(2, 4, 6, LAST))
    report = replay(store, "m")
    assert report.same_state is True
    assert sentence(report) == f"{EVENTS} events replayed: same state, same messages."


def test_a_check_decides_everything_again(store):
    write(store, steps=STEPS)
    report = replay(store, "m", check=True)
    assert (report.same_state, report.same_effects, report.same_decisions) == (True, True, True)
    assert sentence(report) == f"{EVENTS} events replayed: same state, same messages, same decisions."


def test_the_sentence_groups_thousands_and_knows_one(store):
    write(store, steps=STEPS[:1])
    report = replay(store, "m")
    assert sentence(report) == "1 event replayed: same messages."
    assert sentence(attrs.evolve(report, events=18_204, same_state=True)).startswith("18,204 events replayed: same st")


def test_progress_is_told_up_to_the_last_record(store):
    write(store, steps=STEPS)
    told: list[int] = []
    replay(store, "m", on_progress=told.append)
    assert told == [LAST]


@pytest.mark.parametrize("seq", [2, 4, LAST])
def test_another_state_than_was_noted_is_named(store, seq):
    write(store, steps=STEPS, snapshots_after=(2, 4, LAST))
    [snapshot] = [each for each in store.snapshots("m") if each.seq == seq]
    false = attrs.evolve(snapshot, state=b"", state_hash=bytes(16))
    store.raw("DELETE FROM snapshots WHERE seq = ?", seq)
    store.put_snapshot(attrs.evolve(false, hash=false.seal()))
    report = replay(store, "m")
    assert (report.same_state, report.same_effects) == (False, True)
    assert report.first_difference == (
        f"Record {seq}, {type(STEPS[seq - 1][0]).__name__}: the state after it is not the one that was noted."
    )


def test_a_snapshot_of_another_version_is_not_compared(store):
    write(store, steps=STEPS, snapshots_after=(2,))
    [snapshot] = store.snapshots("m")
    old = attrs.evolve(snapshot, layout="0-old", state_hash=bytes(16))
    store.put_snapshot(attrs.evolve(old, hash=old.seal()))
    assert replay(store, "m").same_state is None


def test_other_messages_than_were_sent_are_named_once(store):
    seq = first_with(events.HandScored)
    written_with(store, seq, lambda outcome: Outcome(outcome.events, outcome.effects[:-1]))
    report = replay(store, "m")
    assert report.same_effects is False
    assert sentence(report) == (
        f"{EVENTS} events replayed: other messages. Record {seq}, EndHand: its messages are not those that were sent."
    )


@pytest.mark.parametrize("seq", range(1, LAST + 1))
def test_a_message_more_is_noticed_at_its_record(store, seq):
    written_with(store, seq, lambda outcome: Outcome(outcome.events, (*outcome.effects, fx.RaiseAlarm("x", "y"))))
    report = replay(store, "m")
    assert report.same_effects is False
    assert f"Record {seq}, " in str(report.first_difference)


def with_other_scores(outcome):
    first, *others = outcome.events
    return Outcome((attrs.evolve(first, scores=(2, -1, -1)), *others), outcome.effects)


def test_a_decision_that_would_be_another_today_is_named_with_its_field(store):
    seq = first_with(events.HandScored)
    written_with(store, seq, with_other_scores)
    report = replay(store, "m", check=True)
    assert report.same_decisions is False
    was = next(event.scores for event in STEPS[seq - 1][1].events if type(event) is events.HandScored)
    assert f"Record {seq}, EndHand: event 1, HandScored: scores was (2, -1, -1) and is {was} now." == (
        report.first_difference
    )
    assert "other decisions" in sentence(report)


def test_an_event_that_would_not_come_today_is_named(store):
    seq = first_with(events.HandScored)
    alarmed = events.ResultParked(1, 1, 1, "ts", (0, 0, 0))
    written_with(store, seq - 1, lambda outcome: Outcome((*outcome.events, alarmed), outcome.effects))
    report = replay(store, "m", check=True)
    assert report.same_decisions is False
    extra = len(STEPS[seq - 2][1].events) + 1
    assert report.first_difference == f"Record {seq - 1}, PlaceTables: event {extra}, ResultParked, comes then only."


def test_a_command_that_would_be_refused_today_is_named(store):
    chain, state = Chain.start("m"), new_state()
    for command, outcome in STEPS[:3]:
        step(state, command)
        store.append([chain.seal(command, outcome.events, outcome.effects, WALL_MS)])
    late = commands.WithdrawPlayer(0, "nobody")
    store.append([chain.seal(late, (), (), WALL_MS)])
    report = replay(store, "m", check=True)
    assert report.same_decisions is False
    assert str(report.first_difference).startswith("Record 4, WithdrawPlayer: it was accepted and is refused now (")


def test_damage_ends_a_replay_with_its_place(store):
    write(store, steps=STEPS)
    store.raw("UPDATE records SET body = zeroblob(20) WHERE seq = 5")
    with pytest.raises(JournalDamaged) as caught:
        replay(store, "m", check=True)
    assert (caught.value.match_id, caught.value.seq) == ("m", 5)
