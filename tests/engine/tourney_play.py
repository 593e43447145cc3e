"""A tourney without a daemon: who comes, what time it is, and how its matches end, in the words of an evening.

The calendar here is plain arithmetic in UTC, which is all that the rules need of one.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import attrs

from coordinator.engine.definition import MatchDefinition, Reward, Start
from coordinator.engine.dues import Due
from coordinator.engine.refusal import Refused
from coordinator.engine.tourney import commands as tc
from coordinator.engine.tourney import effects as fx
from coordinator.engine.tourney import events as te
from coordinator.engine.tourney.definition import Entry, Link, StartPoint, TourneyDefinition, TourneyMatch
from coordinator.engine.tourney.state import Instance, TourneyState
from coordinator.engine.tourney.tourney import new_tourney, next_starts, step
from coordinator.journal.records import state_bytes
from tests.engine.stages import DEFAULT, SWISS, match_of

SECOND, MINUTE, HOUR, DAY = 1_000, 60_000, 3_600_000, 86_400_000
NOON = 1_767_268_800_000
"""2026-01-01T12:00:00Z, when all of these tourneys are opened."""
EVENING = NOON + 8 * HOUR

TABLE = match_of(DEFAULT)
"""Exactly three players at one table."""
FIELD = match_of(attrs.evolve(SWISS, carry_out=DEFAULT.carry_out))
"""Three players or more, one bout, everybody ranked."""


def named(definition: MatchDefinition, **words: Any) -> MatchDefinition:
    return attrs.evolve(definition, start=Start("manual", min_players=2), **words)


def cup(
    *,
    points: Sequence[StartPoint] | None = None,
    heats: int = 1,
    final: bool = False,
    take: int = 3,
    entry: Entry | None = None,
    rewards: Sequence[Reward] = (),
    **words: Any,
) -> TourneyDefinition:
    """A tourney of heats that start together at eight every evening, and perhaps a final of their best."""
    names = tuple(f"heat{number}" for number in range(1, heats + 1))
    matches = [TourneyMatch(name, named(FIELD), Entry() if entry is None else entry) for name in names]
    if final:
        matches.append(TourneyMatch("final", named(FIELD), rewards=tuple(rewards)))
    else:
        matches = [attrs.evolve(match, rewards=tuple(rewards)) for match in matches]
    evening = StartPoint("evening", names, start_at="2026-01-01T20:00:00", repeat="daily", min_players=3)
    told: dict[str, Any] = {"links": tuple(Link(name, "final", take) for name in names) if final else (), **words}
    return TourneyDefinition("cup", tuple(matches), tuple(points or (evening,)), **told)


def when_full(count: int, **words: Any) -> StartPoint:
    return StartPoint("sit", words.pop("opens", ("heat1",)), mode="when_full", full_count=count, **words)


class Play:
    """One tourney from its opening on. ``t`` is what the calendar reads."""

    def __init__(self, definition: TourneyDefinition, t: int = NOON) -> None:
        self.state: TourneyState = new_tourney()
        self.t = t
        self.happened: list[te.TourneyEvent] = []
        self.left: list[fx.TourneyEffect] = []
        self.orders: list[fx.LaunchMatch] = []
        self.do(tc.OpenTourney(t, definition, "seed", "secret"))

    def do(self, command: tc.TourneyCommand) -> list[te.TourneyEvent] | Refused:
        """Decide a command; a refusal, as anywhere, leaves the state alone."""
        before = state_bytes(self.state)
        outcome = step(self.state, command)
        if isinstance(outcome, Refused):
            assert state_bytes(self.state) == before, "a refusal changes nothing"
            return outcome
        happened = list(outcome.events)
        self.happened += outcome.events
        self.left += outcome.effects
        for effect in outcome.effects:
            if isinstance(effect, fx.LaunchMatch):
                self.orders.append(effect)
            if isinstance(effect, fx.PlanNext):
                planned = self.plan(effect)
                if planned is not None:
                    more = self.do(planned)
                    assert isinstance(more, list)
                    happened += more
        return happened

    def plan(self, effect: fx.PlanNext) -> tc.PlanStart | None:
        point = self.state.definition.start_point(effect.start_point)
        assert point is not None
        assert point.start_at is not None
        day = int(point.start_at[8:10])
        hour = int(point.start_at[11:13])
        first = NOON + (day - 1) * DAY + (hour - 12) * HOUR
        every = {"daily": DAY, "hourly": HOUR, "weekly": 7 * DAY, "none": 0, "monthly": 31 * DAY}[point.repeat]
        if not every:
            return tc.PlanStart(self.t, point.id, f"d{day}", first) if first > effect.after else None
        number = max(0, (effect.after - first) // every + 1)
        return tc.PlanStart(self.t, point.id, f"n{number}", first + number * every)

    def to(self, t: int, busy: Iterable[str] = ()) -> None:
        """Let the calendar run to this moment; what falls due on the way happens in its order."""
        while due := [(at, timer) for timer, at in self.state.timers.items() if at <= t]:
            at, timer = min(due)
            self.t = max(self.t, at)
            fired = self.do(tc.FireStartTimer(self.t, timer, tuple(busy)))
            assert not isinstance(fired, Refused), fired
        self.t = max(self.t, t)

    def enter(self, player: str, at: str = "cup", **words: Any) -> te.EntryMade | Refused | None:
        """Register a player; the entry made, None where it was made before."""
        told = self.do(tc.EnterPlayer(self.t, at, player, player.upper(), words.pop("lobby", "lobby"), **words))
        if isinstance(told, Refused):
            return told
        return next((event for event in told if isinstance(event, te.EntryMade)), None)

    def enter_all(self, players: Iterable[str], at: str = "cup", **words: Any) -> None:
        for player in players:
            made = self.enter(player, at, **{key: f"{value}-{player}" for key, value in words.items()})
            assert isinstance(made, te.EntryMade), (player, made)

    def withdraw(self, player: str, instance_id: str) -> Any:
        return self.do(tc.WithdrawEntry(self.t, instance_id, player))

    def finish(self, match_id: str, *order: str) -> Any:
        """A match ends, with these players first and the others as they came."""
        names = [player.player_id for player in self.state.matches[match_id].players]
        ranking = [*order, *(name for name in names if name not in order)]
        places = tuple((name, 10 * (len(ranking) - place)) for place, name in enumerate(ranking))
        return self.do(tc.EndTourneyMatch(self.t, match_id, places))

    def restart(self) -> None:
        """What a daemon asks anew when it takes a tourney up."""
        for effect in next_starts(self.state, self.t):
            assert isinstance(effect, fx.PlanNext)
            planned = self.plan(effect)
            if planned is not None:
                self.do(planned)

    def instance(self, instance_id: str) -> Instance:
        return self.state.instances[instance_id]

    def opened(self) -> list[str]:
        return [order.match_id for order in self.orders]

    def players_of(self, match_id: str) -> list[str]:
        return [player.player_id for player in self.state.matches[match_id].players]

    def dues(self, kind: str) -> list[Due]:
        owed = [due for event in self.happened if isinstance(event, te.DuesOwed) for due in event.dues]
        return [due for due in owed if due.kind == kind]
