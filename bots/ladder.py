"""The teams of a ladder, played by bots: they challenge, negotiate, line up, report, and now and then fail to."""

import math
import random
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import trio

from protocol.client import Lobby, Notice, RequestRefused
from protocol.messages import ChallengeState, ProposedTime, RightOpened

PLAYERS = 5
"""Players on the roster of a team; four are fielded."""

PAUSE_S = 0.15
"""Between two challenges."""

SOON_MS = 600
APART_MS = 300
"""When the first of the proposed times is, and how far apart they are."""

MOVED_ON = (
    "challenge_over",
    "checkin_closed",
    "locked",
    "match_closed",
    "no_lineup",
    "no_open_right",
    "not_allowed",
    "not_started",
    "out_of_window",
    "slot_refused",
    "top_phase",
    "unknown_player",
)
"""Refusals that only say that the ladder has moved on meanwhile."""


def roster(team: str) -> list[str]:
    """The players registered for a team."""
    return [f"{team}-{number}" for number in range(1, PLAYERS + 1)]


class LadderCrowd:
    """Plays all teams of one ladder, and its referee. Tell it every notice; :meth:`run` until the match is over."""

    def __init__(self, lobby: Lobby, match_id: str, teams: Sequence[str], seed: str, *, slots: int = 4) -> None:
        self._lobby = lobby
        self._match_id = match_id
        self._teams = list(teams)
        self._slots = slots
        self._chance = random.Random(f"ladder/{seed}")
        self._done: dict[tuple[Any, ...], None] = {}
        self._send, self._heard = trio.open_memory_channel[ChallengeState | RightOpened](math.inf)

    def notice(self, notice: Notice) -> None:
        """Hear how a challenge stands."""
        if isinstance(notice, (ChallengeState, RightOpened)):
            self._send.send_nowait(notice)

    async def run(self) -> None:
        """Challenge and answer. Ends when it is cancelled."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._challenge_on)
            async for notice in self._heard:
                act = self._choose if isinstance(notice, RightOpened) else self._answer
                nursery.start_soon(self._unless_late, act, notice)

    async def _unless_late(self, act: Callable[[Any], Awaitable[None]], about: Any) -> None:
        try:
            await act(about)
        except RequestRefused as refused:
            if refused.code not in MOVED_ON:
                raise

    async def _challenge_on(self) -> None:
        while True:
            await trio.sleep(PAUSE_S)
            await self._unless_late(self._challenge, self._chance.choice(self._teams))

    async def _challenge(self, team: str) -> None:
        targets = await self._lobby.targets(self._match_id, team)
        if targets:
            defender = self._chance.choice(targets)
            await self._lobby.challenge(self._match_id, team, defender, self._times())

    def _times(self) -> list[ProposedTime]:
        now = int(time.time() * 1000) + SOON_MS
        return [ProposedTime(now + number * APART_MS) for number in range(self._slots)]

    async def _answer(self, told: ChallengeState) -> None:
        """What the side whose turn it is does, each thing once."""
        number = told.challenge_no
        match told.state:
            case "issued" if self._first(number, "answer"):
                await self._reply(told)
            case "countered" if self._first(number, "pick") and self._chance.random() < 0.8:
                await self._lobby.accept_time(self._match_id, number, told.challenger, len(told.slots))
            case "fixed" | "void":
                await self._meet(told)
            case "played":
                await self._report(told)
            case "disputed" if self._first(number, "rule"):
                winner = told.challenger if told.imps and told.imps[0] > told.imps[1] else told.defender
                await self._lobby.rule(
                    self._match_id, "outcome", challenge_no=number, winner=winner, reason="the boards decide"
                )
            case _:
                pass

    async def _reply(self, told: ChallengeState) -> None:
        """Most defenders take a time, some offer others, some say nothing; a few challengers think better of it."""
        mood = self._chance.random()
        if mood < 0.65:
            await self._lobby.accept_time(self._match_id, told.challenge_no, told.defender, len(told.slots) - 1)
        elif mood < 0.8:
            await self._lobby.propose_times(self._match_id, told.challenge_no, told.defender, self._times())
        elif mood < 0.88:
            await self._lobby.cancel_challenge(self._match_id, told.challenge_no, told.challenger)

    async def _meet(self, told: ChallengeState) -> None:
        """Agree anew where there is no time; else line up, check in, and be ready, most of the time."""
        number = told.challenge_no
        if told.at_ms is None:
            if told.offered_by is None and self._first(number, "anew", told.due_ms):
                await self._lobby.propose_times(self._match_id, number, told.challenger, self._times())
            elif told.offered_by == told.challenger and self._first(number, "anew too", told.due_ms):
                await self._lobby.accept_time(self._match_id, number, told.defender, len(told.slots))
            return
        for team, fielded in ((told.challenger, told.challenger_players), (told.defender, told.defender_players)):
            if not fielded and self._first(number, "line-up", team):
                await self._lobby.line_up(self._match_id, number, team, self._players(team))
            if fielded and self._first(number, "ready", team, told.at_ms) and self._chance.random() < 0.93:
                await self._lobby.ready(self._match_id, number, team)
                await self._lobby.check_in(self._match_id, number, team)

    def _players(self, team: str) -> list[str]:
        """Four of the roster, with a guest or, against the rules, two."""
        own = self._chance.sample(roster(team), 4)
        guests = self._chance.choices((0, 1, 2), (8, 3, 1))[0]
        return own[: 4 - guests] + [f"guest-of-{team}-{number}" for number in range(guests)]

    async def _choose(self, told: RightOpened) -> None:
        """One in two lets its right go."""
        if told.trigger == "lineup" and self._chance.random() < 0.5:
            await self._lobby.ready(self._match_id, told.challenge_no, told.team)
        else:
            choice = self._chance.choice(told.options)
            await self._lobby.choose_right(self._match_id, told.challenge_no, told.team, told.right_no, choice)

    async def _report(self, told: ChallengeState) -> None:
        """The winner reports; the other confirms, appeals, or lets the time for it pass."""
        number = told.challenge_no
        if not self._first(number, "report"):
            return
        imps = {told.challenger: told.imps[0], told.defender: told.imps[1]}
        first, second = told.challenger, told.defender
        if told.imps[0] <= told.imps[1]:
            first, second = second, first
        mood = self._chance.random()
        if mood < 0.05:
            return  # nobody reports: the challenger forfeits
        await self._lobby.report_result(self._match_id, number, first, imps=imps)
        if mood < 0.75:
            await self._lobby.report_result(self._match_id, number, second, imps=imps)
        elif mood < 0.85:
            await self._lobby.appeal(self._match_id, number, second, "we remember it otherwise")

    def _first(self, *what: Any) -> bool:
        """Whether this is done for the first time."""
        if what in self._done:
            return False
        self._done[what] = None
        return True
