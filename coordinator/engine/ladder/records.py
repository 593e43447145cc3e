"""What a ladder knows: its ranks, its teams, the open challenges and what became of the others."""

from typing import Literal

import attrs

from coordinator.engine.ladder.disputes import Dispute
from coordinator.engine.ladder.negotiation import State
from coordinator.engine.ladder.reporting import Report
from coordinator.engine.ladder.rights import Right
from coordinator.engine.ladder.slots import Slot

HowEnded = Literal[
    "result", "cancelled", "no_reply", "no_pick", "not_done", "late", "claimed", "failed", "left", "ruling"
]
"""Why a challenge is over."""


@attrs.define
class Team:
    """A team beside its :class:`coordinator.engine.state.Entrant`, whose score is its rating.

    ``matches`` are those that were rated. ``out_challenge`` and ``in_challenge`` are its locks (R-BL-04). ``leaving``:
    its challenges are being ended, in the same breath.
    """

    matches: int = 0
    roster_changes: int = 0
    out_challenge: int | None = None
    in_challenge: int | None = None
    leaving: bool = False


@attrs.define
class Challenge:
    """An open challenge (R-BL-06). Times are Unix milliseconds, keys of the dicts are teams unless said otherwise.

    ``offered_by`` has offered ``slots``, which the other side may accept. ``late_by`` is until when a team is on time.
    ``play_no`` counts the attempts at the match: a replay has fresh boards. ``tables`` are the open and the closed room
    of the match in play. ``drops`` and ``heard`` are by room number and by table. ``ruled`` are the IMPs of the
    challenger that referees gave for boards, by board number.
    """

    challenge_no: int
    challenger: str
    defender: str
    due: int
    slots: tuple[Slot, ...]
    offered_by: str | None
    state: State = "issued"
    at: int | None = None
    late_by: int | None = None
    checked_in: dict[str, int] = attrs.field(factory=dict)
    ready: dict[str, int] = attrs.field(factory=dict)
    lineups: dict[str, tuple[str, ...]] = attrs.field(factory=dict)
    rights: dict[str, Right] = attrs.field(factory=dict)
    rights_opened: int = 0
    play_no: int = 0
    tables: tuple[int, ...] = ()
    drops: dict[str, int] = attrs.field(factory=dict)
    deviations: dict[str, int] = attrs.field(factory=dict)
    heard: dict[int, tuple[int, int]] = attrs.field(factory=dict)
    reports: dict[str, Report] = attrs.field(factory=dict)
    disputes: list[Dispute] = attrs.field(factory=list)
    ruled: dict[int, int] = attrs.field(factory=dict)

    def other(self, team: str) -> str:
        """The opponent of one of the two teams."""
        return self.defender if team == self.challenger else self.challenger


@attrs.frozen
class Finished:
    """A challenge that is over. ``winner`` None: it came to nothing; ``imps`` are challenger's and defender's."""

    challenge_no: int
    challenger: str
    defender: str
    state: State
    how: HowEnded
    ended_at: int
    winner: str | None = None
    imps: tuple[int, ...] = ()
    boards: tuple[int, ...] = ()
    swapped: bool = False


@attrs.define
class LadderState:
    """A ladder in play. ``ranks`` are the teams from the first on, ``left`` those that left it, in their order, and
    ``teams`` are all of them. ``first_challenged_at`` is when the first rank was challenged last (R-BL-03)."""

    ranks: tuple[str, ...]
    teams: dict[str, Team]
    challenges: dict[int, Challenge] = attrs.field(factory=dict)
    finished: list[Finished] = attrs.field(factory=list)
    next_challenge_no: int = 1
    first_challenged_at: int | None = None
    left: tuple[str, ...] = ()

    def rank(self, team: str) -> int:
        """The rank of a team, counted from 1."""
        return self.ranks.index(team) + 1
