"""The director's end of the wire: what tournament staff decide of matches."""

import random
import ssl
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from protocol.client.channel import Dial
from protocol.client.peer import Peer
from protocol.messages import Ruling

LadderRuling = Literal["outcome", "board", "false_report", "place", "extend", "roster", "close"]


class DirectorWords(Peer):
    """The words of a director, for a peer that holds the role. Each can be said again in the same words without harm,
    and is when a session is lost before the answer; each raises :class:`RequestRefused` when the coordinator says no.

    ``key`` names the word, so that a program that says it again after a crash of its own has it count once.
    """

    async def penalty(self, match_id: str, player_id: str, points: int, *, reason: str = "", key: str = "") -> None:
        """Book points for a player; the opposite number takes them back."""
        await self._rule(match_id, "penalty", reason, key, player_id=player_id, points=points)

    async def disqualify(self, match_id: str, player_id: str, *, reason: str = "", key: str = "") -> None:
        """Exclude a player. The table the player sits at parts on its finished hands."""
        await self._rule(match_id, "disqualify", reason, key, player_id=player_id)

    async def reinstate(self, match_id: str, player_id: str, *, reason: str = "", key: str = "") -> None:
        """Take a disqualification back; in the same bout the player is in again as well."""
        await self._rule(match_id, "reinstate", reason, key, player_id=player_id)

    async def correct(
        self, match_id: str, table_id: int, hand_no: int, scores: Mapping[str, int], *, reason: str = "", key: str = ""
    ) -> None:
        """Say what a hand counts for, as long as its bout is open."""
        told = dict(scores)
        await self._rule(match_id, "correct", reason, key, table_id=table_id, hand_no=hand_no, scores=told)

    async def reseat(self, match_id: str, *, reason: str = "", key: str = "") -> None:
        """Seat anew, as long as no hand of the seating has started."""
        await self._rule(match_id, "reseat", reason, key)

    async def rule(
        self,
        match_id: str,
        kind: LadderRuling,
        *,
        challenge_no: int | None = None,
        team: str | None = None,
        winner: str | None = None,
        board_no: int | None = None,
        imps: int | None = None,
        rank: int | None = None,
        by_ms: int | None = None,
        leaving: Sequence[str] = (),
        coming: Sequence[str] = (),
        reason: str = "",
        key: str = "",
    ) -> None:
        """The ruling of a referee on a ladder; ``kind`` says which of the other words it takes (:class:`Ruling`)."""
        await self._rule(
            match_id,
            kind,
            reason,
            key,
            challenge_no=challenge_no,
            team=team,
            winner=winner,
            board_no=board_no,
            imps=imps,
            rank=rank,
            by_ms=by_ms,
            leaving=list(leaving),
            coming=list(coming),
        )

    async def _rule(self, match_id: str, kind: Any, reason: str, key: str, **words: Any) -> None:
        named = key or self._new_key()
        await self._answer(lambda ref: Ruling(match_id, kind, ref, reason=reason, key=named, **words))


class Director(DirectorWords):
    """A program that rules and does nothing else. Run :meth:`run` in a task."""

    def __init__(
        self,
        url: str,
        identity: str,
        *,
        token: str | None = None,
        tls: ssl.SSLContext | None = None,
        software: str = "",
        dial: Dial | None = None,
        chance: random.Random | None = None,
    ) -> None:
        super().__init__(
            url, identity, roles=["director"], token=token, tls=tls, software=software, dial=dial, chance=chance
        )
