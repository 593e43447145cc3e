"""A tourney thrown about: whatever comes in whatever order, some things never happen (R-HI-01 to R-HI-03)."""

from collections import Counter
from typing import Any

import attrs
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from coordinator.engine.definition import Reward
from coordinator.engine.refusal import Refused
from coordinator.engine.tourney import commands as tc
from coordinator.engine.tourney import events as te
from coordinator.engine.tourney.definition import Entry, TourneyDefinition
from coordinator.engine.tourney.tourney import evolve, new_tourney
from coordinator.journal.records import state_bytes
from tests.engine.tourney_play import DAY, HOUR, MINUTE, Play, cup, when_full

PLAYERS = [f"p{number}" for number in range(9)]
PRIZES = (Reward(1, 1, {"coins": 9}), Reward(2, 4, {"coins": 5}, shared=True))
EXCLUSIVE = Entry(fee=7, one_at_a_time=True)


def evenings() -> list[TourneyDefinition]:
    [daily] = cup(heats=2).start_points
    return [
        cup(entry=EXCLUSIVE, rewards=PRIZES),
        cup(heats=2, final=True, take=2, entry=EXCLUSIVE, rewards=PRIZES),
        cup(points=[when_full(4, wait_ms=HOUR, min_players=3)], entry=EXCLUSIVE, rewards=PRIZES),
        cup(points=[attrs.evolve(daily, repeat="hourly", opens=("heat1",))], entry=EXCLUSIVE),
    ]


class Thrown(RuleBasedStateMachine):
    """Commands in any order, and an observer who keeps books of money and seats."""

    @initialize(which=st.integers(0, 3))
    def open(self, which: int) -> None:
        self.play = Play(evenings()[which])
        self.payments = 0
        self.charged: dict[str, int] = {}
        """What each payment was: the fee of an entry that was made."""

    @rule(player=st.sampled_from(PLAYERS), pick=st.integers(0, 5))
    def enter(self, player: str, pick: int) -> None:
        names = ["cup", *self.play.state.instances]
        self.payments += 1
        payment = f"pay{self.payments}"
        told = self.play.enter(player, names[pick % len(names)], payment_ref=payment)
        if isinstance(told, te.EntryMade):
            assert told.payment_ref == payment
            self.charged[payment] = told.fee

    @rule(player=st.sampled_from(PLAYERS), pick=st.integers(0, 5))
    def withdraw(self, player: str, pick: int) -> None:
        names = list(self.play.state.instances)
        self.play.withdraw(player, names[pick % len(names)])

    @rule(ms=st.sampled_from([MINUTE, HOUR, 8 * HOUR, DAY, 3 * DAY]), busy=st.sets(st.sampled_from(PLAYERS)))
    def pass_time(self, ms: int, busy: set[str]) -> None:
        self.play.to(self.play.t + ms, sorted(busy))

    @rule(pick=st.integers(0, 9), turn=st.permutations(PLAYERS))
    @precondition(lambda self: self.play.state.matches)
    def finish(self, pick: int, turn: list[str]) -> None:
        names = list(self.play.state.matches)
        match = self.play.state.matches[names[pick % len(names)]]
        there = [player.player_id for player in match.players]
        self.play.finish(match.match_id, *[player for player in turn if player in there])

    @rule(pick=st.integers(0, 5))
    def cancel(self, pick: int) -> None:
        names = list(self.play.state.instances)
        self.play.do(tc.CancelInstance(self.play.t, names[pick % len(names)]))

    @rule(pick=st.integers(0, 9))
    @precondition(lambda self: self.play.state.dues)
    def confirm(self, pick: int) -> None:
        keys = list(self.play.state.dues)
        assert not isinstance(self.play.do(tc.ConfirmDue(self.play.t, keys[pick % len(keys)])), Refused)

    @rule()
    def restart(self) -> None:
        self.play.restart()

    @rule(which=st.integers(0, 3))
    def redefine(self, which: int) -> None:
        self.play.do(tc.RedefineTourney(self.play.t, evenings()[which]))

    @invariant()
    def no_match_is_opened_twice(self) -> None:
        opened = self.play.opened()
        assert len(set(opened)) == len(opened)

    @invariant()
    def nobody_is_in_two_starts_at_a_time(self) -> None:
        live: list[str] = []
        for instance in self.play.state.instances.values():
            if instance.status in ("registering", "running"):
                live += instance.entries
        assert len(set(live)) == len(live)

    @invariant()
    def nobody_is_in_two_running_matches_but_a_finalist_whose_heat_is_over(self) -> None:
        seats = [
            player.player_id
            for match in self.play.state.matches.values()
            if match.status == "running"
            for player in match.players
        ]
        assert len(set(seats)) == len(seats)

    @invariant()
    def what_goes_back_is_what_was_paid_and_goes_back_once(self) -> None:
        refunds = self.play.dues("refund")
        assert len({due.payment_ref for due in refunds}) == len(refunds)
        for due in refunds:
            assert due.payment_ref is not None
            assert due.amount == self.charged[due.payment_ref]

    @invariant()
    def every_fee_is_kept_for_an_entry_or_has_gone_back(self) -> None:
        back = {due.payment_ref for due in self.play.dues("refund")}
        held = {
            entry.payment_ref
            for instance in self.play.state.instances.values()
            if instance.status != "cancelled"
            for entry in instance.entries.values()
        }
        forgotten = len(self.charged) - len(back | held)
        assert forgotten == 0
        assert not back & held

    @invariant()
    def who_is_entered_for_a_match_is_counted(self) -> None:
        for instance in self.play.state.instances.values():
            if instance.status == "registering":
                entered = Counter(entry.match for entry in instance.entries.values())
                assert {match: count for match, count in instance.entered.items() if count} == entered

    @invariant()
    def a_key_is_given_once(self) -> None:
        keys = [due.key for kind in ("award", "refund") for due in self.play.dues(kind)]
        assert len(set(keys)) == len(keys)

    def teardown(self) -> None:
        """Folding the events again leads to the same state."""
        if hasattr(self, "play"):
            again: Any = new_tourney()
            for event in self.play.happened:
                evolve(again, event)
            assert state_bytes(again) == state_bytes(self.play.state)


TestThrown = Thrown.TestCase
TestThrown.settings = settings(max_examples=40, stateful_step_count=40, deadline=None)
