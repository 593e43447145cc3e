"""What became of the challenges of a ladder in one course, gathered while it is played."""

from collections.abc import Callable
from typing import Any

import attrs

from coordinator.engine.events import Event
from coordinator.engine.ladder import ladder_events as ev
from coordinator.engine.ladder.looking import ladder_rules
from coordinator.engine.ladder.rating import status
from coordinator.engine.state import MatchState
from coordinator.simulation.figures import add_step


@attrs.define
class Contests:
    """The challenges of one course.

    ``wishes`` is how often a team looked for somebody to challenge, ``locked`` how often all in its reach were taken
    (R-BL-04). ``ended`` counts challenges by how they ended; ``locked_ms`` is how long each locked its teams.
    ``matches`` are those played, ``repeats`` those of teams that had met before, ``matches_of`` those of each team.
    From each time on ``ranks`` are the ranks, ``open`` how many challenges are open, ``answering`` how many teams still
    answer. ``provisional`` are the teams whose rating is not established at the end (R-RA-01).
    """

    wishes: int = 0
    locked: int = 0
    issued: int = 0
    swaps: int = 0
    matches: int = 0
    repeats: int = 0
    provisional: int = 0
    ended: dict[str, int] = attrs.field(factory=dict)
    locked_ms: list[int] = attrs.field(factory=list)
    matches_of: dict[str, int] = attrs.field(factory=dict)
    ranks: list[tuple[int, tuple[str, ...]]] = attrs.field(factory=list)
    open: list[tuple[int, int]] = attrs.field(factory=list)
    answering: list[tuple[int, int]] = attrs.field(factory=list)
    _issued_as: dict[int, ev.ChallengeIssued] = attrs.field(factory=dict)
    _met: dict[tuple[str, ...], None] = attrs.field(factory=dict)

    def watch(self, t: int, state: MatchState, happened: tuple[Event, ...]) -> None:
        """Take in the events of a command; the state is that after all of them."""
        for event in happened:
            note = _NOTE.get(type(event))
            if note is not None:
                note(self, event)
        if state.ladder is None:
            return
        if not self.ranks or self.ranks[-1][1] != state.ladder.ranks:
            self.ranks.append((t, state.ladder.ranks))
        add_step(self.open, t, len(state.ladder.challenges))

    def close(self, state: MatchState) -> None:
        """The course has ended."""
        if state.ladder is not None:
            model, teams = ladder_rules(state).rating, state.ladder.teams.values()
            self.provisional = sum(status(team.matches, model) == "provisional" for team in teams)

    def _issued(self, event: ev.ChallengeIssued) -> None:
        self.issued += 1
        self._issued_as[event.challenge_no] = event

    def _played(self, event: ev.MatchPlayed) -> None:
        issued = self._issued_as[event.challenge_no]
        teams = tuple(sorted((issued.challenger, issued.defender)))
        self.matches += 1
        self.repeats += teams in self._met
        self._met[teams] = None
        for team in teams:
            self.matches_of[team] = self.matches_of.get(team, 0) + 1

    def _ended(self, event: ev.ChallengeEnded) -> None:
        self.ended[event.how] = self.ended.get(event.how, 0) + 1
        self.locked_ms.append(event.t - self._issued_as.pop(event.challenge_no).t)
        self.swaps += event.swapped


_NOTE: dict[type, Callable[[Contests, Any], None]] = {
    ev.ChallengeIssued: Contests._issued,
    ev.MatchPlayed: Contests._played,
    ev.ChallengeEnded: Contests._ended,
}
