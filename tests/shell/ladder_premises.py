"""A ladder of three teams with its lobby and its table server, on a clock that a test sets."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import attrs
from trio.testing import MockClock

from coordinator.engine.definition import Start
from protocol import messages as m
from tests.engine.ladder_play import ladder_match, roster
from tests.shell.premises import Premises, premises
from tests.shell.programs import Program

TEAMS = ("t1", "t2", "t3")
DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
NOON = 1_709_692_200_000
"""Wednesday, 6 March 2024, 10:30 in Shanghai."""
SMALL = attrs.evolve(ladder_match(boards=2, days=DAYS), id="ladder", start=Start("when_full", len(TEAMS)))


class SetClock:
    """A wall clock that a test sets, and that goes on with trio's."""

    def __init__(self, mock_clock: MockClock, at_ms: int = NOON) -> None:
        self._clock = mock_clock
        self._zero = at_ms - int(mock_clock.current_time() * 1000)

    def __call__(self) -> int:
        return self._zero + int(self._clock.current_time() * 1000)


@asynccontextmanager
async def ladder(mock_clock: MockClock, **words: Any) -> AsyncIterator[tuple[Premises, Program, Program]]:
    """A ladder of three teams that has begun, a lobby, and a table server that plays bridge."""
    async with premises({"ladder": SMALL}, **words) as house:
        house.office.wall_ms = SetClock(mock_clock)  # type: ignore[method-assign]
        server = await house.table_server(games=["dou_dizhu", "bridge"])
        lobby = await house.lobby(director=True)
        await lobby.ask(m.OpenMatch("lad", "ladder", ref=1))
        for team in TEAMS:
            entered = await lobby.ask(m.Register("lad", team, f"Team {team}", ref=1, roster=list(roster(team))))
            assert entered.type == "entered", entered
        yield house, lobby, server


def times(first_ms: int = NOON + 5_000) -> list[m.ProposedTime]:
    """Four times, an hour apart, that both teams agreed on."""
    return [m.ProposedTime(first_ms + number * 3_600_000, mutual=True) for number in range(4)]


async def fixed(lobby: Program) -> int:
    """A challenge of t2 to t1 that is fixed at its first time, both teams lined up and ready."""
    answer = await lobby.ask(m.IssueChallenge("lad", "t2", "t1", times(), ref=1))
    assert isinstance(answer, m.Challenged), answer
    number = answer.challenge_no
    for told in (
        m.AcceptTime("lad", number, "t1", 1, ref=1),
        *[m.LineUp("lad", number, team, list(roster(team)[:4]), ref=1) for team in ("t1", "t2")],
        *[m.Ready("lad", number, team, ref=1) for team in ("t1", "t2")],
    ):
        answer = await lobby.ask(told)
        assert answer.type == "ok", answer
    return number
