"""What a lobby asks of a ladder, where teams challenge each other (R-BL, R-RC)."""

from collections.abc import Mapping, Sequence
from typing import Literal

from protocol.client.peer import Peer
from protocol.messages import (
    AcceptTime,
    Appeal,
    CancelChallenge,
    Challenged,
    CheckIn,
    ChooseRight,
    ConfirmDispute,
    IssueChallenge,
    LineUp,
    ListTargets,
    ProposedTime,
    ProposeTimes,
    RaiseDispute,
    Ready,
    ReportResult,
    Targets,
)


class LadderRequests(Peer):
    """The requests of a ladder. Each can be made again in the same words without harm, and raises
    :class:`RequestRefused` when the coordinator says no. ``key`` names a request, so that a program that makes it again
    after a crash of its own has it count once.
    """

    async def challenge(
        self, match_id: str, team: str, defender: str, slots: Sequence[ProposedTime], *, key: str = ""
    ) -> int:
        """Challenge a team of a higher rank with the times proposed; the number of the challenge."""
        told, named = list(slots), key or self._new_key()
        answer = await self._answer(lambda ref: IssueChallenge(match_id, team, defender, told, ref, named))
        assert isinstance(answer, Challenged)
        return answer.challenge_no

    async def accept_time(self, match_id: str, challenge_no: int, team: str, slot: int, *, key: str = "") -> None:
        """Take one of the times the other side offers, counted from 1."""
        named = key or self._new_key()
        await self._answer(lambda ref: AcceptTime(match_id, challenge_no, team, slot, ref, named))

    async def propose_times(
        self, match_id: str, challenge_no: int, team: str, slots: Sequence[ProposedTime], *, key: str = ""
    ) -> None:
        """Offer other times: as the defender's answer, or for a match that was not played."""
        told, named = list(slots), key or self._new_key()
        await self._answer(lambda ref: ProposeTimes(match_id, challenge_no, team, told, ref, named))

    async def cancel_challenge(self, match_id: str, challenge_no: int, team: str) -> None:
        """Take a challenge back before the defender has reacted."""
        await self._answer(lambda ref: CancelChallenge(match_id, challenge_no, team, ref))

    async def check_in(self, match_id: str, challenge_no: int, team: str) -> None:
        """Prove that the team is there, in the hour around the agreed time."""
        await self._answer(lambda ref: CheckIn(match_id, challenge_no, team, ref))

    async def line_up(self, match_id: str, challenge_no: int, team: str, players: Sequence[str]) -> None:
        """Name the four players, the pair of the open room first; again to substitute before the start."""
        await self._answer(lambda ref: LineUp(match_id, challenge_no, team, list(players), ref))

    async def ready(self, match_id: str, challenge_no: int, team: str) -> None:
        """The team is complete and can start."""
        await self._answer(lambda ref: Ready(match_id, challenge_no, team, ref))

    async def choose_right(
        self,
        match_id: str,
        challenge_no: int,
        team: str,
        right_no: int,
        choice: Literal["redo", "reschedule", "claim_win", "continue"],
    ) -> None:
        """Exercise a right; a choice is final."""
        await self._answer(lambda ref: ChooseRight(match_id, challenge_no, team, right_no, choice, ref))

    async def report_result(
        self,
        match_id: str,
        challenge_no: int,
        team: str,
        *,
        imps: Mapping[str, int] | None = None,
        failed: str | None = None,
    ) -> None:
        """Submit a result: the IMPs of both teams by name, or the team that did not play."""
        told = dict(imps or {})
        await self._answer(lambda ref: ReportResult(match_id, challenge_no, team, told, ref, failed))

    async def appeal(self, match_id: str, challenge_no: int, team: str, text: str) -> None:
        """Contest what the other side has reported."""
        await self._answer(lambda ref: Appeal(match_id, challenge_no, team, text, ref))

    async def raise_dispute(
        self, match_id: str, challenge_no: int, team: str, boards: Sequence[int], text: str
    ) -> None:
        """Dispute boards before the match ends."""
        await self._answer(lambda ref: RaiseDispute(match_id, challenge_no, team, list(boards), text, ref))

    async def confirm_dispute(self, match_id: str, challenge_no: int, team: str, dispute_no: int) -> None:
        """Confirm a dispute of the other side."""
        await self._answer(lambda ref: ConfirmDispute(match_id, challenge_no, team, dispute_no, ref))

    async def targets(self, match_id: str, team: str) -> list[str]:
        """Whom a team may challenge now, the highest rank first."""
        answer = await self._answer(lambda ref: ListTargets(match_id, team, ref))
        assert isinstance(answer, Targets)
        return answer.targets
