"""Tables, hands and reports, as the code of a table server sees them."""

from collections.abc import Iterable, Mapping
from typing import Protocol

import attrs

from protocol.client.failures import RequestRefused
from protocol.client.peer import Pending
from protocol.messages import SeatedPlayer, Verdict


@attrs.define(eq=False)
class Table:
    """A table this server owns. The SDK keeps it up to date; game code only reads it."""

    match_id: str
    table_id: int
    epoch: int
    game: str
    stage_id: str
    bout_no: int
    seats: list[SeatedPlayer]
    game_attrs: dict[str, str]
    hand: "Hand | None" = attrs.field(default=None, repr=False)
    """The newest hand that was started here, over or not."""
    absent: dict[str, None] = attrs.field(factory=dict, repr=False)
    """Players who were reported to be away."""
    incidents: int = attrs.field(default=0, repr=False)
    """How many incidents of a match were told (:meth:`TableServer.incident`)."""

    @property
    def players(self) -> list[str]:
        """The players' ids, in seat order."""
        return [seat.player_id for seat in self.seats]


class HandKeeper(Protocol):
    """What a hand needs of its server."""

    def actions_recorded(self, hand: "Hand") -> None: ...

    def hand_reported(self, hand: "Hand", scores: dict[str, int], dropped: list[str]) -> "Report": ...


class Hand:
    """One attempt of one hand that is to be played.

    ``log`` is not empty when an interrupted hand is repeated: play these actions first, exactly, without
    recording them; then play is free (R-RC-02). ``base_score`` stays what it is whatever ticks arrive
    (R-HI-08). ``deal`` is expanded by :mod:`protocol.deal`.
    """

    def __init__(
        self,
        keeper: HandKeeper,
        table: Table,
        *,
        hand_no: int,
        attempt_no: int,
        base_score: int,
        deal: str,
        log: list[int | str],
        board_no: int | None = None,
    ) -> None:
        self._keeper = keeper
        self.table = table
        self.epoch = table.epoch
        self.hand_no = hand_no
        self.attempt_no = attempt_no
        self.base_score = base_score
        self.deal = deal
        self.board_no = board_no
        """The board where all tables play the same ones, None elsewhere."""
        self.log = log
        self.recorded: list[int | str] = []
        """The actions that were recorded here, after those of ``log``."""
        self.told = len(log)
        """How many actions of ``log`` and ``recorded`` together the coordinator was told."""
        self.told_started = False
        """Whether the coordinator was told that the hand is played."""
        self.taken = False
        """Whether game code has taken the hand up."""
        self.cancelled = False
        """Whether the coordinator took the hand away: stop playing, a report would not count."""
        self.reported: Report | None = None
        """The newest report of it."""

    @property
    def open(self) -> bool:
        """Whether a report is still due: none was made, or the newest one was refused and is to be mended."""
        return self.reported is None or self.reported.refused

    def __repr__(self) -> str:
        table = self.table
        return f"<Hand {table.match_id}/{table.table_id} hand {self.hand_no} attempt {self.attempt_no}>"

    def actions(self, first: int, end: int) -> list[int | str]:
        """The actions ``first`` up to ``end`` of the whole log, repeated ones and recorded ones."""
        known = len(self.log)
        if first >= known:
            return self.recorded[first - known : end - known]
        return [*self.log, *self.recorded][first:end]

    def record(self, *actions: int | str) -> None:
        """Note what was played after the repeated log; all that is noted by then leaves with the next frame.

        On a hand that was cancelled it does nothing. Raises ValueError on a hand that was reported.
        """
        if not self.open:
            raise ValueError(f"{self!r} is over")
        if actions and not self.cancelled:
            self.recorded.extend(actions)
            self._keeper.actions_recorded(self)

    def report(self, scores: Mapping[str, int], dropped: Iterable[str] = ()) -> "Report":
        """The hand is over. ``scores`` names every player at the table, ``dropped`` those who left it before its end.

        The report is kept and sent, in new sessions again, until its verdict is here. One that was refused, as
        ``invalid`` or because it could not be read, is mended by reporting again. Raises ValueError when the hand
        was reported with other scores, LinkEnded when the server has stopped.
        """
        words, left = dict(scores), sorted(dropped)
        if self.reported is None or self.reported.refused:
            self.reported = self._keeper.hand_reported(self, words, left)
        elif (self.reported.scores, self.reported.dropped) != (words, left):
            raise ValueError(f"{self!r} was reported with other scores")
        return self.reported


class Report:
    """A reported hand on its way to a verdict."""

    def __init__(self, scores: dict[str, int], pending: Pending, dropped: list[str] | None = None) -> None:
        self.scores = scores
        self.dropped = dropped or []
        self._pending = pending

    @property
    def verdict(self) -> Verdict | None:
        """The coordinator's verdict, once it is here."""
        outcome = self._pending.outcome
        return outcome if isinstance(outcome, Verdict) else None

    @property
    def refused(self) -> bool:
        """Whether it counts for nothing and is to be mended: ``invalid``, or not even readable."""
        outcome = self._pending.outcome
        return isinstance(outcome, RequestRefused) or (isinstance(outcome, Verdict) and outcome.verdict == "invalid")

    async def wait(self) -> Verdict:
        """The coordinator's verdict. Raises RequestRefused when it could not read the report, LinkEnded."""
        answer = await self._pending.wait()
        assert isinstance(answer, Verdict)
        return answer
