"""One course of a match: the real rules on a clock that jumps from one thing that happens to the next.

The course is to the rules what the daemon, the table servers and the lobby are together: it places tables, plays the
hands that are ordered, fires timers, takes offers, comes and goes. It opens no socket and reads no clock.
"""

import heapq
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from random import Random
from typing import Literal

import attrs

from coordinator.engine import commands, timers
from coordinator.engine import effects as fx
from coordinator.engine.definition import MatchDefinition
from coordinator.engine.formats import format_of
from coordinator.engine.formats.island import needs_wall_clock, utc_time_of_day
from coordinator.engine.ladder.ladder_commands import CloseLadder
from coordinator.engine.ladder.ladder_effects import TellChallenge
from coordinator.engine.ladder.wall_time import WEEK_MS
from coordinator.engine.match import Outcome, new_state, step
from coordinator.engine.refusal import Refused
from coordinator.engine.state import MatchState
from coordinator.files.zones import zone_of
from coordinator.simulation.contests import Contests
from coordinator.simulation.habits import HOUR_MS, Habits
from coordinator.simulation.players import AtTheTables, Invented, Played
from coordinator.simulation.teams import Teams, ladder_of, roster

MATCH_ID = "simulated"
SERVER = LOBBY = "simulated"
WALL_MS = 20_000 * 24 * HOUR_MS
"""A midnight on the wall clock of a simulation, as Unix time."""
HANDS_EACH = 1_000
"""A match that has played so many hands for each player is not going to end."""

Ending = Literal["over", "halted", "unfinished"]
Watch = Callable[[int, MatchState, Outcome], None]
Entry = tuple[str, str]
"""Player id and name."""


@attrs.define
class Course:
    """A match that is played from its opening to its end.

    ``tables`` is how many can be played at the same time; None: as many as there are. ``most_ms`` ends a match that
    would go on for ever. ``rng`` decides who comes, goes and returns; the hands have their own chance. In a ladder the
    ``entries`` are teams, and a director closes it at ``close_at``; its clock is the wall's, which begins at midnight.
    ``carried`` are the scores that players bring along from another match.
    """

    definition: MatchDefinition
    entries: Sequence[Entry]
    at_the_tables: AtTheTables
    seed: str
    habits: Habits = attrs.field(factory=Habits)
    rng: Random = attrs.field(factory=lambda: Random(0))
    latecomers: Sequence[tuple[int, Entry]] = ()
    tables: int | None = None
    most_ms: int = WEEK_MS
    watch: Watch = attrs.field(default=lambda t, state, outcome: None)
    contests: Contests = attrs.field(factory=Contests)
    carried: Mapping[str, int] = attrs.field(factory=dict)
    close_at: int | None = None
    state: MatchState = attrs.field(factory=new_state)
    t: int = 0
    _due: list[tuple[int, int, int, Callable[[], None]]] = attrs.field(factory=list)
    _serial: int = 0
    _placed: dict[int, None] = attrs.field(factory=dict)
    _homeless: dict[int, None] = attrs.field(factory=dict)
    _teams: Teams | None = None

    def run(self) -> Ending:
        """Play it to its end."""
        zone = zone_of(self.definition, WALL_MS)
        self._must(commands.OpenMatch(0, MATCH_ID, self.definition, self.seed, f"secret of {self.seed}", zone, LOBBY))
        if needs_wall_clock(self.definition):
            self._must(commands.TellTime(0, self._wall_ms()))
        rules = ladder_of(self.definition)
        if rules is not None:
            self._teams = Teams(self, rules, self.habits, self.rng, self.contests)
        for player_id, name in self.entries:
            self._must(self._registered(player_id, name))
        if self.state.status == "registering":
            self._must(commands.StartMatch(0))
        if self._teams is not None:
            for player_id, _ in self.entries:
                self._teams.enter(player_id)
            if self.close_at is not None:
                self.later(self.close_at, lambda: self.attempt(CloseLadder(self.t)))
        for at, (player_id, name) in self.latecomers:
            self.later(at, partial(self._come, player_id, name))
        most_hands = HANDS_EACH * (len(self.entries) + len(self.latecomers))
        while self._due and self.state.status == "running":
            self.t, _, _, happen = heapq.heappop(self._due)
            # A ladder goes on for as long as it is open, however many hands that are.
            if self.t > self.most_ms or (self._teams is None and self.state.hands > most_hands):
                return "unfinished"
            happen()
        if self.state.status == "running":
            return "unfinished"
        return "over" if self.state.status == "over" else "halted"

    def _wall_ms(self) -> int:
        """A wall clock on which the first island that ends at a time of day has an hour to go."""
        times = [stage.island.end_at for stage in self.definition.stages if stage.island is not None]
        first = next(utc_time_of_day(text) for text in times if text is not None)
        assert first is not None, "a checked island names a time of day"
        return WALL_MS + first - HOUR_MS

    # ------------------------------------------------------------------------------------- what happens when

    def later(self, at: int, happen: Callable[[], None], *, timer: bool = False) -> None:
        """Do something at a time. Timers come before everything else of their millisecond, as at a desk."""
        self._serial += 1
        heapq.heappush(self._due, (at, 0 if timer else 1, self._serial, happen))

    def _do(self, command: commands.Command) -> Outcome | Refused:
        outcome = step(self.state, command)
        if isinstance(outcome, Refused):
            return outcome
        self.watch(self.t, self.state, outcome)
        if self._teams is not None:
            self.contests.watch(self.t, self.state, outcome.events)
        for effect in outcome.effects:
            self._carry_out(effect)
        return outcome

    def attempt(self, command: commands.Command) -> None:
        """Ask something of the match that it may refuse, because it has moved on meanwhile."""
        self._do(command)

    def _must(self, command: commands.Command) -> None:
        outcome = self._do(command)
        assert not isinstance(outcome, Refused), f"{command}: {outcome}"

    def _carry_out(self, effect: fx.Effect) -> None:
        match effect:
            case fx.SetTimer(timer_id, at_ms):
                self.later(at_ms, lambda: self._fire(timer_id, at_ms), timer=True)
            case fx.FindServers(table_ids):
                self._homeless.update(dict.fromkeys(table_ids))
                self._place()
            case fx.StartHand():
                self._start(effect)
            case fx.CloseTable(table_id=table_id):
                if self._placed.pop(table_id, self) is None:
                    self._place()
            case fx.TellOffered():
                self._consider(effect)
            case TellChallenge() if self._teams is not None:
                self._teams.hear(effect)
            case fx.TellWaiting(players=players, reason="resting"):
                for player_id in players:
                    self._rest(player_id)
            case _:
                pass

    # --------------------------------------------------------------------------------- what the daemon would do

    def _place(self) -> None:
        """Give tables to the one table server as far as it has room."""
        room = len(self._homeless) if self.tables is None else self.tables - len(self._placed)
        chosen: list[int] = []
        for table_id in list(self._homeless):
            if len(chosen) >= room:
                break
            del self._homeless[table_id]
            if table_id in self.state.tables:
                chosen.append(table_id)
        if chosen:
            self._placed.update(dict.fromkeys(chosen))
            self._must(commands.PlaceTables(self.t, tuple(commands.Placement(n, SERVER, "life") for n in chosen)))

    def _fire(self, timer_id: str, at_ms: int) -> None:
        if self.state.timers.get(timer_id) != at_ms:
            return  # it was set anew, or cancelled
        kind, number = timers.kind_of(timer_id)
        if kind == "table" and self.state.tables[number].in_hand:
            # A table server tells the actions of a long hand as it goes on, so that its table is never silent.
            table = self.state.tables[number]
            at = (self.t, SERVER, number, table.epoch, table.hand_no, table.attempt_no)
            self._must(commands.RecordActions(*at, len(table.log), (len(table.log),)))
        self._must(commands.FireTimer(self.t, timer_id))

    # ------------------------------------------------------------------------------ what a table server would do

    def _start(self, order: fx.StartHand) -> None:
        played = self.at_the_tables.play(self.state, order, self.state.tables[order.table_id].seats)
        self.later(self.t + played.length_ms, lambda: self._end(order, played))

    def _end(self, order: fx.StartHand, played: Played) -> None:
        table = self.state.tables.get(order.table_id)
        if table is None or not table.in_hand or (table.hand_no, table.attempt_no) != (order.hand_no, order.attempt_no):
            return  # the table was closed meanwhile
        seats = table.seats
        dropped = played.dropped or self._walk_away_from(seats)
        scores = dict(zip(seats, played.scores, strict=True))
        at = (self.t, SERVER, order.table_id, order.epoch, order.hand_no, order.attempt_no)
        self._must(commands.EndHand(*at, scores, dropped))
        if self._teams is None:  # a team that has had enough is silent from the next challenge on
            for player_id in dropped or self._had_enough(seats):
                self._walk_away(player_id)

    # ----------------------------------------------------------------------------------- what players would do

    def _come(self, player_id: str, name: str) -> None:
        """Late, where the stage still takes somebody; else in vain."""
        if self._rules_are("join", "any_time") and self.state.stage_rules.island is not None:
            self._do(commands.JoinMatch(self.t, player_id, name, LOBBY))
        elif not isinstance(self._do(self._registered(player_id, name)), Refused) and self._teams is not None:
            self._teams.enter(player_id)

    def _registered(self, player_id: str, name: str) -> commands.RegisterPlayer:
        players = () if self._teams is None else roster(player_id)
        carried = self.carried.get(player_id, 0)
        return commands.RegisterPlayer(self.t, player_id, name, carried, players, LOBBY)

    def _walk_away_from(self, seats: Sequence[str]) -> tuple[str, ...]:
        """R-DM-03: a game of a Dominion Swiss is left before its end by those who walk away in it."""
        return self._had_enough(seats) if format_of(self.state.stage_rules).duels else ()

    def _had_enough(self, seats: Sequence[str]) -> tuple[str, ...]:
        if not self.habits.dropout:
            return ()
        return tuple(player_id for player_id in seats if self.rng.random() < self.habits.dropout)

    def _walk_away(self, player_id: str) -> None:
        """Out of the stage where it lets players go, else from a seat that is played all the same."""
        if self.state.status != "running":
            return
        if self._rules_are("leave", "allowed"):
            self._do(commands.LeaveMatch(self.t, player_id))
        elif isinstance(self.at_the_tables, Invented):
            self.at_the_tables.absent[player_id] = None

    def _rest(self, player_id: str) -> None:
        """R-IS-05: rest for a while and go on."""
        rule = self.state.stage_rules.island
        assert rule is not None
        assert rule.rest_ms is not None
        wait = round(self.rng.uniform(0.2, 0.8) * rule.rest_ms)
        self.later(self.t + wait, lambda: self._go_on(player_id))

    def _go_on(self, player_id: str) -> None:
        entrant = self.state.entrants[player_id]
        if self.state.status == "running" and entrant.state == "resting":
            self._must(commands.JoinMatch(self.t, player_id, entrant.name))

    def _consider(self, offer: fx.TellOffered) -> None:
        """R-RV-01: take the offer of revival or decline it, some time before it runs out."""
        wait = round(self.rng.uniform(0.1, 0.9) * offer.timeout_ms)
        takes = self.rng.random() < self.habits.revive
        pack = self.rng.randint(1, len(offer.packs)) if offer.packs else None
        at = (self.t + wait, offer.player_id, offer.offer_no)
        command: commands.Command = commands.DeclineRevival(*at)
        if takes:
            command = commands.Revive(*at, f"paid for {offer.offer_no}", pack)
        # The stage may end before; then the answer is refused.
        self.later(self.t + wait, lambda: self.attempt(command))

    def _rules_are(self, mechanism: Literal["join", "leave"], value: str) -> bool:
        return bool(getattr(self.state.stage_rules, mechanism) == value)
