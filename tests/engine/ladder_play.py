"""Plays a ladder inside the engine: teams by name, times as people write them, and a clock that is turned by hand."""

import datetime
from typing import Any

import attrs

from coordinator.engine import commands
from coordinator.engine import effects as fx
from coordinator.engine.definition import GameState, Grouping, Ladder, MatchDefinition, Phase, PlayerState, Round, Stage
from coordinator.engine.definition import Start as Start
from coordinator.engine.events import Event
from coordinator.engine.ladder import ladder_commands as ask
from coordinator.engine.ladder.records import Challenge, Finished
from coordinator.engine.ladder.slots import Slot
from coordinator.engine.ladder.wall_time import HOUR_MS, Offset
from coordinator.engine.match import Outcome, new_state, step
from coordinator.engine.refusal import Refused
from coordinator.engine.state import MatchState

SHANGHAI = (Offset(0, 8 * HOUR_MS),)
LADDER = Stage(
    id="ladder",
    format="ladder",
    table_size=4,
    round=Round(hands=16),
    grouping=Grouping(),
    leave="allowed",
    join="any_time",
    score_processing="per_round",
    initial_player_state=PlayerState(1600),
    initial_game_state=GameState(1),
    ladder=Ladder(),
)
MIDWEEK = "2024-03-06T10:00"
"""A Wednesday: nothing of the top phase is left."""


def at(text: str) -> int:
    """Unix milliseconds of a time in Shanghai."""
    zone = datetime.timezone(datetime.timedelta(hours=8))
    return int(datetime.datetime.fromisoformat(text).replace(tzinfo=zone).timestamp() * 1000)


def ladder_match(boards: int = 16, **words: Any) -> MatchDefinition:
    """A ladder that starts on a word; ``words`` are those of its own table."""
    stage = attrs.evolve(LADDER, round=Round(hands=boards), ladder=Ladder(**words))
    return MatchDefinition("ladder", "bridge", (Phase("only", (stage,)),), start=Start(mode="manual"))


def roster(team: str) -> tuple[str, ...]:
    """Five players of a team."""
    return tuple(f"{team}{number}" for number in range(1, 6))


@attrs.define
class LadderGame:
    """A ladder and everything that happened on it. ``t`` is the wall clock; timers fire as it is turned."""

    definition: MatchDefinition
    t: int = attrs.field(factory=lambda: at(MIDWEEK))
    state: MatchState = attrs.field(factory=new_state)
    events: list[Event] = attrs.field(factory=list)
    effects: list[fx.Effect] = attrs.field(factory=list)
    given: list[commands.Command] = attrs.field(factory=list)

    def begin(self, *teams: str) -> "LadderGame":
        """Open, register the teams in the order of their ranks, start."""
        self.ok(commands.OpenMatch(self.t, "m", self.definition, "seed", "secret", SHANGHAI))
        for team in teams:
            self.ok(commands.RegisterPlayer(self.t, team, f"Team {team}", roster=roster(team)))
        self.ok(commands.StartMatch(self.t))
        return self

    def do(self, command: commands.Command) -> Outcome | Refused:
        """Give a command, after the timers that are due by then."""
        self._fire_due(command.t)
        return self._decide(command)

    def _decide(self, command: commands.Command) -> Outcome | Refused:
        outcome = step(self.state, command)
        if isinstance(outcome, Refused):
            return outcome
        self.given.append(command)
        self.events += outcome.events
        self.effects += outcome.effects
        for effect in outcome.effects:
            if isinstance(effect, fx.FindServers):
                placed = tuple(commands.Placement(n, "ts", "life") for n in effect.table_ids)
                self._decide(commands.PlaceTables(command.t, placed))
        return outcome

    def ok(self, command: commands.Command) -> Outcome:
        """Give a command that must be accepted."""
        outcome = self.do(command)
        assert not isinstance(outcome, Refused), outcome
        return outcome

    def refused(self, command: commands.Command) -> Refused:
        """Give a command that must be refused, and change nothing."""
        outcome = self.do(command)
        assert isinstance(outcome, Refused), outcome
        return outcome

    def until(self, t: int | str) -> "LadderGame":
        """Turn the clock on; what falls due meanwhile falls due at its own time."""
        self.t = at(t) if isinstance(t, str) else t
        self._fire_due(self.t)
        return self

    def wake(self, t: int | str) -> "LadderGame":
        """Turn the clock on while nobody runs: what fell due is carried out at the next start, in its order."""
        self.t = at(t) if isinstance(t, str) else t
        while due := [(when, timer) for timer, when in self.state.timers.items() if when <= self.t]:
            outcome = self._decide(commands.FireTimer(self.t, min(due)[1]))
            assert not isinstance(outcome, Refused), outcome
        return self

    def _fire_due(self, t: int) -> None:
        while due := [(when, timer) for timer, when in self.state.timers.items() if when <= t]:
            when, timer = min(due)
            outcome = self._decide(commands.FireTimer(max(when, 0), timer))
            assert not isinstance(outcome, Refused), outcome

    # --- what teams do ------------------------------------------------------------------------------------

    def slots(self, days: int = 4, hour: str = "20:00") -> tuple[Slot, ...]:
        """Four times from tomorrow on, agreed by both sides as far as weekends are concerned."""
        tomorrow = datetime.datetime.fromtimestamp(self.t / 1000, datetime.timezone(datetime.timedelta(hours=8)))
        dates = [(tomorrow + datetime.timedelta(days=n)).date() for n in range(1, days + 1)]
        return tuple(Slot(at(f"{date}T{hour}"), mutual=True) for date in dates)

    def issue(self, team: str, defender: str) -> int:
        """A challenge with four times; returns its number."""
        self.ok(ask.IssueChallenge(self.t, team, defender, self.slots()))
        ladder = self.state.ladder
        assert ladder is not None
        return ladder.next_challenge_no - 1

    def fixed(self, team: str, defender: str) -> int:
        """A challenge whose first time the defender takes."""
        number = self.issue(team, defender)
        self.ok(ask.AcceptTime(self.t, number, defender, 1))
        return number

    def lined_up(self, number: int, *, of_challenger: tuple[str, ...] = (), of_defender: tuple[str, ...] = ()) -> None:
        """Both teams field their first four, or those named."""
        challenge = self.challenge(number)
        for team, named in ((challenge.challenger, of_challenger), (challenge.defender, of_defender)):
            self.ok(ask.GiveLineUp(self.t, number, team, named or roster(team)[:4]))

    def playing(self, team: str, defender: str) -> int:
        """A match whose two rooms are open."""
        number = self.fixed(team, defender)
        self.lined_up(number)
        for side in (team, defender):
            self.ok(ask.SayReady(self.t, number, side))
        when = self.challenge(number).at
        assert when is not None
        self.until(when)
        assert self.challenge(number).state == "playing"
        return number

    def play(self, number: int, differences: list[int]) -> None:
        """Play all boards that are left: so much does the challenger gain on each."""
        open_room, closed_room = self.challenge(number).tables
        for difference in differences:
            self.score(open_room, difference)
            self.score(closed_room, 0)

    def score(self, table_id: int, north_south: int, **other: Any) -> Outcome | Refused:
        """The hand in play at a table ends with this result."""
        table = self.state.tables[table_id]
        results = (north_south, -north_south, north_south, -north_south)
        told = commands.EndHand(
            self.t,
            "ts",
            table_id,
            table.epoch,
            table.hand_no,
            table.attempt_no,
            dict(zip(table.seats, results, strict=True)),
        )
        return self.do(attrs.evolve(told, **other))

    def report(self, number: int, team: str, challenger_imps: int, defender_imps: int) -> Outcome | Refused:
        """Submit a result."""
        challenge = self.challenge(number)
        imps = {challenge.challenger: challenger_imps, challenge.defender: defender_imps}
        return self.do(ask.ReportResult(self.t, number, team, imps))

    def decided(self, team: str, defender: str, *, challenger_wins: bool) -> int:
        """A whole challenge, played and reported by both."""
        number = self.playing(team, defender)
        boards = self.definition.stages[0].round.hands
        self.play(number, [430 if challenger_wins else 0] + [0] * (boards - 1))
        for side in (team, defender):
            self.report(number, side, *((10, 0) if challenger_wins else (0, 0)))
        return number

    def incident(self, number: int, kind: Any, player: str) -> Outcome | Refused:
        """Something a table server sees of a player."""
        challenge = self.challenge(number)
        [table_id] = [n for n in challenge.tables if n in self.state.tables and player in self.state.tables[n].seats]
        epoch, heard = challenge.heard.get(table_id, (1, 0))
        return self.do(ask.NoteIncident(self.t, "ts", table_id, epoch, heard + 1, kind, player))

    # --- what one sees --------------------------------------------------------------------------------------

    @property
    def ranks(self) -> tuple[str, ...]:
        """The teams from the first on."""
        assert self.state.ladder is not None
        return self.state.ladder.ranks

    def challenge(self, number: int) -> Challenge:
        """An open challenge."""
        assert self.state.ladder is not None
        return self.state.ladder.challenges[number]

    def over(self, number: int) -> Finished:
        """A challenge that is over."""
        assert self.state.ladder is not None
        [found] = [finished for finished in self.state.ladder.finished if finished.challenge_no == number]
        return found

    def rating(self, team: str) -> tuple[int, int]:
        """A team's rating and rated matches."""
        assert self.state.ladder is not None
        return self.state.entrants[team].score, self.state.ladder.teams[team].matches

    def of(self, kind: type) -> list[Any]:
        """All events of one class."""
        return [event for event in self.events if type(event) is kind]
