"""Plays a match inside the engine: one obliging table server, hands drawn from a seed, no clock but the one given."""

import random
from collections import deque
from collections.abc import Callable
from typing import Any

import attrs

from coordinator.engine import commands
from coordinator.engine import effects as fx
from coordinator.engine.definition import MatchDefinition, Phase, Stage, Start
from coordinator.engine.events import Event
from coordinator.engine.match import Outcome, new_state, step
from coordinator.engine.refusal import Refused
from coordinator.engine.state import MatchState

Scorer = Callable[[fx.StartHand, tuple[str, ...], random.Random], tuple[int, ...]]


def zero_sum_scorer(hand: fx.StartHand, seats: tuple[str, ...], rng: random.Random) -> tuple[int, ...]:
    """One player wins or loses a few bases against all the others."""
    multiple = rng.choice((-3, -2, -1, 1, 2, 3))
    solo = rng.randrange(len(seats))
    return tuple(hand.base_score * multiple * (len(seats) - 1 if seat == solo else -1) for seat in range(len(seats)))


@attrs.define
class Game:
    """A match and everything that happened in it."""

    definition: MatchDefinition
    seed: int = 1
    ms_per_hand: int = 0
    scorer: Scorer = zero_sum_scorer
    state: MatchState = attrs.field(factory=new_state)
    t: int = 0
    events: list[Event] = attrs.field(factory=list)
    effects: list[fx.Effect] = attrs.field(factory=list)
    given: list[commands.Command] = attrs.field(factory=list)
    orders: deque[fx.StartHand] = attrs.field(factory=deque)
    servers: bool = True
    rng: random.Random = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        self.rng = random.Random(self.seed)
        self.do(commands.OpenMatch(0, "m", self.definition, str(self.seed), f"secret {self.seed}"))

    def do(self, command: commands.Command) -> Outcome | Refused:
        """Give one command, and place the tables it asks to be placed."""
        outcome = step(self.state, command)
        if isinstance(outcome, Refused):
            return outcome
        self.given.append(command)
        self.events += outcome.events
        self.effects += outcome.effects
        for effect in outcome.effects:
            if isinstance(effect, fx.StartHand):
                self.orders.append(effect)
            elif isinstance(effect, fx.FindServers) and self.servers:
                self.do(
                    commands.PlaceTables(
                        self.t,
                        tuple(commands.Placement(table_id, "ts", "life") for table_id in effect.table_ids),
                    )
                )
        return outcome

    def register(self, players: int) -> "Game":
        """Enter players p1, p2, …; a match that starts when full starts with the last."""
        for number in range(1, players + 1):
            outcome = self.do(commands.RegisterPlayer(self.t, f"p{number}", f"Player {number}"))
            assert not isinstance(outcome, Refused), outcome
        return self

    def end_hand(self, hand: fx.StartHand, scores: tuple[int, ...] | None = None) -> Outcome | Refused:
        """Report one ordered hand, by the scorer unless its scores are given in seat order."""
        seats = self.state.tables[hand.table_id].seats
        result = self.scorer(hand, seats, self.rng) if scores is None else scores
        return self.do(
            commands.EndHand(
                self.t,
                hand.server_id,
                hand.table_id,
                hand.epoch,
                hand.hand_no,
                hand.attempt_no,
                dict(zip(seats, result, strict=True)),
            )
        )

    def play(self, hands: int = 10**9) -> "Game":
        """Play ordered hands in turn until none is left, firing timers as they fall due."""
        while hands and (self.orders or self.state.timers) and self.state.status == "running":
            if not self.orders:
                self.t = max(self.t, min(self.state.timers.values()))
                self.fire_due()
                continue
            self.t += self.ms_per_hand
            self.fire_due()
            hand = self.orders.popleft()
            table = self.state.tables.get(hand.table_id)
            if table is None or not table.in_hand or table.attempt_no != hand.attempt_no:
                continue
            outcome = self.end_hand(hand)
            assert not isinstance(outcome, Refused), outcome
            hands -= 1
        return self

    def fire_due(self) -> None:
        """Fire every timer that is due, the earliest first."""
        while due := [(at, timer_id) for timer_id, at in self.state.timers.items() if at <= self.t]:
            outcome = self.do(commands.FireTimer(self.t, min(due)[1]))
            assert not isinstance(outcome, Refused), outcome

    def of(self, kind: type) -> list:
        """All events of one class."""
        return [event for event in self.events if type(event) is kind]


def a_match(*stages: Stage, players: int, **more: Any) -> MatchDefinition:
    """A match of these stages that starts with so many players."""
    return MatchDefinition(
        id="test",
        game="dou_dizhu",
        phases=(Phase("only", stages),),
        start=Start(full_count=players),
        **more,
    )
