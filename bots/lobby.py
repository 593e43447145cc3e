"""The platform's front, played by a bot: opens a match, fills it with players and waits for its places."""

from collections.abc import Callable

import attrs
import trio

from bots.errors import MatchNotStarted
from bots.ladder import LadderCrowd, roster
from bots.names import player_ids, player_names
from bots.visitors import Visitors
from protocol.client import Due, Feed, Lobby, Notice, RequestRefused
from protocol.messages import MatchOver, PlaceRow, Seated

CONFIRM_WITHIN_S = 10.0
"""How long a lobby that has its places goes on to confirm what they win."""

START_WITHIN_S = 30.0
"""How long after the last registration a match must have started. It is a matter of milliseconds."""


@attrs.frozen
class Field:
    """Which match to open and who plays in it; the seed decides the draw and the players' names.

    ``needs_word`` is for a definition that does not start by itself when the field is full, ``moving`` for one that
    lets players come and go. The last ``late`` players come one by one while the match runs, each at the start of a
    bout, or all of them together right after it began; ``leave`` of the first ones go again. Of a ``ladder`` the
    players are teams.
    """

    match_id: str
    definition: str
    players: int
    seed: str
    needs_word: bool = False
    moving: bool = False
    late: int = 0
    late_together: bool = False
    leave: int = 0
    ladder: bool = False

    @property
    def punctual(self) -> int:
        """How many are there from the start."""
        return self.players - self.late

    def visitors(self) -> list[tuple[str, str]]:
        """Player id and name of those who may come later where players come and go."""
        more = self.players + self.players // 2 if self.moving else self.players
        return list(zip(player_ids(more), player_names(self.seed, more), strict=True))[self.players :]

    def entries(self) -> list[tuple[str, str]]:
        """Player id and name, in the order of registration."""
        return list(zip(player_ids(self.players), player_names(self.seed, self.players), strict=True))


class LobbyBot:
    """Plays one match through the lobby's eyes. ``on_notice`` sees every notice of it.

    ``dues`` are what its players are owed, by key: booked first and then confirmed, so that none is paid twice.
    """

    def __init__(self, lobby: Lobby, field: Field, *, on_notice: Callable[[Notice], None] = lambda _: None) -> None:
        self.field = field
        self._lobby = lobby
        self._on_notice = on_notice
        self._started = trio.Event()
        self._visitors = Visitors(
            lobby, field.match_id, field.entries(), field.visitors(), field.seed, moving=field.moving
        )
        self._teams = LadderCrowd(lobby, field.match_id, [team for team, _ in field.entries()], field.seed)
        self._bout_no = 0
        self.dues: dict[str, Due] = {}
        self._confirming = False
        self._confirmed = trio.Event()

    async def run(self) -> list[PlaceRow]:
        """From the opening to the final places, best first.

        Raises :class:`protocol.client.RequestRefused`, bare or in a group, when the coordinator will not have
        the match or a player.
        """
        field = self.field
        notices, dues = self._lobby.notices(), self._lobby.dues()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._lobby.run)
            nursery.start_soon(self._keep_books, dues)
            await self._lobby.open_match(field.match_id, field.definition, seed=field.seed, full_count=field.punctual)
            # In one go: who comes late to the first bout then does so before its first game is over, at any pace.
            at_once = field.players if field.late_together and not field.needs_word else field.punctual
            if field.ladder:
                for team, name in field.entries():
                    await self._lobby.register(field.match_id, team, name, roster=roster(team))
                nursery.start_soon(self._teams.run)
            else:
                await self._lobby.register_many(field.match_id, field.entries()[:at_once])
            if field.needs_word:
                await self._start()
                if field.late_together:
                    await self._lobby.register_many(field.match_id, field.entries()[field.punctual :])
            nursery.start_soon(self._expect_start)
            nursery.start_soon(self._visitors.run)
            places = await self._final_places(notices, nursery)
            with trio.move_on_after(CONFIRM_WITHIN_S):  # what is not confirmed is told to the next one again
                while len(dues) or self._confirming:
                    await self._confirmed.wait()
            nursery.cancel_scope.cancel()
        return places

    async def _keep_books(self, dues: Feed[Due]) -> None:
        """What is owed is in the books before it is confirmed. Awards come before the places they are for."""
        async for due in dues:
            self._confirming = True
            assert due.key is not None, "the feed has what is to be confirmed"
            self.dues[due.key] = due
            await self._lobby.received(due)
            self._confirming = False
            self._confirmed.set()
            self._confirmed = trio.Event()

    async def _start(self) -> None:
        """A lobby that was ended and runs again finds its match started."""
        try:
            await self._lobby.start_match(self.field.match_id)
        except RequestRefused as refused:
            if refused.code != "already_started":
                raise

    async def _final_places(self, notices: Feed[Notice], nursery: trio.Nursery) -> list[PlaceRow]:
        parts: dict[int, list[PlaceRow]] = {}
        async for notice in notices:
            if notice.match_id != self.field.match_id:
                continue
            self._started.set()  # by whichever notice: the first one may have gone into a snapshot
            self._on_notice(notice)
            self._visitors.notice(notice)
            self._teams.notice(notice)
            if isinstance(notice, Seated) and not self.field.ladder and notice.bout_no > self._bout_no:
                self._bout_no = notice.bout_no
                nursery.start_soon(self._come_and_go, notice.bout_no)
            if isinstance(notice, MatchOver):
                parts[notice.part] = notice.places  # a reconnect may tell a part twice
                if len(parts) == notice.parts:
                    break
        return [row for _, rows in sorted(parts.items()) for row in rows]

    async def _come_and_go(self, bout_no: int) -> None:
        """At the start of each bout one of the late players enters, and one of the first leaves from bout 3 on."""
        field = self.field
        entries = field.entries()
        if bout_no <= field.late and not field.late_together:
            player_id, name = entries[field.punctual + bout_no - 1]
            await self._lobby.register(field.match_id, player_id, name)
        if 3 <= bout_no < 3 + field.leave:
            await self._lobby.withdraw(field.match_id, entries[bout_no - 3][0])

    async def _expect_start(self) -> None:
        with trio.move_on_after(START_WITHIN_S):
            await self._started.wait()
            return
        raise MatchNotStarted(
            f"the match did not start with its {self.field.punctual} players within {START_WITHIN_S:g} seconds"
        )
