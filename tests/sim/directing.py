"""A director in the simulated world: words that fit what the match has come to, said by the platform's staff."""

import random
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from coordinator.engine.state import MatchState
from protocol import messages as m
from protocol.client import Lobby, RequestRefused

if TYPE_CHECKING:
    from tests.sim.world import World

Word = Callable[[Lobby], Awaitable[None]]

EMPTY_S = 9.0
"""How long a house takes no tables, so that a seating waits and can be made anew."""


class Staff:
    """Says the words. What a word hits is drawn from the step's own stream."""

    def __init__(self, world: "World") -> None:
        self._world = world

    def rule(self, luck: random.Random) -> None:
        """One word, or two where the second takes the first back."""
        match_id = self._some_match(luck)
        state = self._state(match_id)
        if state is None:
            return
        kind = luck.choice(
            ("penalty", "penalty", "disqualify", "disqualify", "correct", "correct", "correct", "reseat")
        )
        player_id = f"{match_id}-p{luck.randint(1, self._world.recipes[match_id].players)}"
        key = f"{luck.getrandbits(64):016x}"
        if kind == "penalty":
            points = luck.choice((-40, -10, -1, 5, 30))
            self._say("penalty", lambda lobby: lobby.penalty(match_id, player_id, points, key=key), twice=True)
        elif kind == "reseat":
            self._say("reseat", lambda lobby: lobby.reseat(match_id, key=key))
        elif kind == "disqualify":
            self._say("disqualify", lambda lobby: lobby.disqualify(match_id, player_id))
            if luck.random() < 0.7:
                self._world.agenda.after(
                    luck.choice((0.05, 0.8, 6.0)),
                    partial(self._say, "reinstate", lambda lobby: lobby.reinstate(match_id, player_id)),
                )
        else:
            self._correct(luck, match_id, state)

    def empty_house(self, luck: random.Random) -> None:
        """No table server takes a table for a while; what is seated meanwhile waits, and is seated anew."""
        match_id = self._some_match(luck)
        for program in list(self._world.table_servers):
            server = program.server
            if server is not None and not server._ended:
                server._link.send(m.Capacity(program.capacity, drain=True))
                self._world.agenda.after(EMPTY_S, partial(self._fill, server, program.capacity))
        for number in range(1, int(EMPTY_S)):
            anew = partial(_reseat, match_id, f"{luck.getrandbits(64):016x}")
            self._world.agenda.after(float(number), partial(self._say, "reseat", anew))

    def _fill(self, server: Any, capacity: int) -> None:
        if not server._ended:
            server._link.send(m.Capacity(capacity))

    def _some_match(self, luck: random.Random) -> str:
        """One that runs, most of the time."""
        known = list(self._world.recipes)
        states = {match_id: self._state(match_id) for match_id in known}
        running = [n for n, state in states.items() if state is not None and state.status == "running"]
        return luck.choice(running if running and luck.random() < 0.9 else known)

    def _state(self, match_id: str) -> MatchState | None:
        """What the staff sees on the page."""
        life = self._world.life
        desk = None if life is None or life.dead or not life.listening else life.office.desks.get(match_id)
        return None if desk is None else desk.state

    def _correct(self, luck: random.Random, match_id: str, state: MatchState) -> None:
        """Another winner of a hand that has ended, or the result of one that never did."""
        if state.stage is None:
            return
        found = {table.table_id: (table.seats, table.scores) for table in state.tables.values() if table.scores}
        found |= {n: (state.closed_tables[n].seats, parted.scores) for n, parted in state.stage.parted.items()}
        if luck.random() < 0.15:  # one whose bout is long over
            found |= {n: (closed.seats, [(0,) * len(closed.seats)]) for n, closed in state.closed_tables.items()}
        if not found or state.ladder is not None:
            return
        table_id = luck.choice(list(found))
        seats, scores = found[table_id]
        hand_no = luck.randint(1, max(1, len(scores) + (luck.random() < 0.2)))
        kept = sum(scores[hand_no - 1]) if hand_no <= len(scores) else 0
        solo, worth = luck.randrange(len(seats)), luck.choice((-20, -3, 0, 3, 20))
        told = {p: worth * (len(seats) - 1 if seat == solo else -1) for seat, p in enumerate(seats)}
        told[seats[0]] += kept
        self._say("correct", lambda lobby: lobby.correct(match_id, table_id, hand_no, told))

    def _say(self, word: str, ask: Word, *, twice: bool = False) -> None:
        self._world.rules(word, ask)
        if twice:
            self._world.rules(word, ask)


async def _reseat(match_id: str, key: str, lobby: Lobby) -> None:
    await lobby.reseat(match_id, key=key)


async def said(lobby_program: Any, word: str, ask: Word) -> None:
    """Ask until there is an answer; that it is refused is one too."""
    world = lobby_program.world
    try:
        await lobby_program.ask(ask)
    except RequestRefused as refused:
        world.count(f"{word} refused")
        world.note(word, "refused", refused.code)
    else:
        world.count(f"{word} done")
