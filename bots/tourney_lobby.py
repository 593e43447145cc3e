"""The lobby of a tourney, played by a bot: it charges fees, enters players start after start, and pays out once."""

from collections.abc import Callable

import attrs
import trio

from protocol.client import Lobby, RequestRefused
from protocol.messages import (
    Award,
    InstanceCancelled,
    InstanceOver,
    InstanceRow,
    MatchOpened,
    MatchOver,
    PlaceRow,
    Refund,
)

LOOK_EVERY_S = 0.2
_TOO_LATE = ("match_closed", "registration_not_open", "unknown_instance", "entered_elsewhere", "match_full")


@attrs.define
class TourneyBooks:
    """What the platform keeps. Awards and refunds are booked by their keys, so that none is paid twice.

    ``places`` are the final places by match, ``played`` the starts that are over.
    """

    awards: dict[str, Award] = attrs.field(factory=dict)
    refunds: dict[str, Refund] = attrs.field(factory=dict)
    places: dict[str, list[PlaceRow]] = attrs.field(factory=dict)
    opened: list[str] = attrs.field(factory=list)
    played: list[str] = attrs.field(factory=list)
    cancelled: list[str] = attrs.field(factory=list)


class TourneyLobby:
    """Plays ``starts`` starts of a tourney with the same players; one that is called off does not count."""

    def __init__(
        self,
        lobby: Lobby,
        tourney_id: str,
        players: list[tuple[str, str]],
        starts: int,
        *,
        say: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.books = TourneyBooks()
        self._lobby = lobby
        self._tourney_id = tourney_id
        self._players = players
        self._starts = starts
        self._say = say
        self._moved = trio.Event()

    async def run(self) -> TourneyBooks:
        """From the first registration to the last award. Raises RequestRefused for what no later start mends."""
        dues, notices = self._lobby.tourney_notices(), self._lobby.notices()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._lobby.run)

            async def keep_books() -> None:
                async for notice in dues:
                    await self._book(notice)

            async def keep_places() -> None:
                async for notice in notices:
                    if isinstance(notice, MatchOver):
                        self.books.places.setdefault(notice.match_id, []).extend(notice.places)

            nursery.start_soon(keep_books)
            nursery.start_soon(keep_places)
            while len(self.books.played) < self._starts:
                instance = await self._next_start()
                if await self._enter_all(instance):
                    await self._end_of(instance.instance_id)
            nursery.cancel_scope.cancel()
        return self.books

    async def _next_start(self) -> InstanceRow:
        """The first start that takes players and that was not played yet."""
        while True:
            done = (*self.books.played, *self.books.cancelled)
            for row in await self._lobby.instances(self._tourney_id):
                if row.status == "registering" and row.instance_id not in done:
                    return row
            await trio.sleep(LOOK_EVERY_S)

    async def _enter_all(self, instance: InstanceRow) -> bool:
        """Charge each player and enter all; whether anybody is in."""
        entered = 0
        for player_id, name in self._players:
            payment = f"{instance.instance_id}/{player_id}"[-64:]
            try:
                await self._lobby.enter(instance.instance_id, player_id, name, payment_ref=payment)
            except RequestRefused as refused:
                if refused.code not in _TOO_LATE:
                    raise
                await trio.sleep(LOOK_EVERY_S)
                break
            entered += 1
        if entered:
            self._say(f"{instance.instance_id}: {entered} players are registered")
        return entered > 0

    async def _end_of(self, instance_id: str) -> None:
        while instance_id not in self.books.played and instance_id not in self.books.cancelled:
            await self._moved.wait()

    async def _book(self, notice: object) -> None:
        """An award or a refund is in the books before it is confirmed."""
        books = self.books
        match notice:
            case Award():
                books.awards.setdefault(notice.key, notice)
                await self._lobby.received(notice)
            case Refund():
                books.refunds.setdefault(notice.key, notice)
                await self._lobby.received(notice)
            case MatchOpened():
                books.opened.append(notice.match_id)
                self._say(f"{notice.match_id} is open")
            case InstanceOver():
                books.played.append(notice.instance_id)
            case InstanceCancelled():
                books.cancelled.append(notice.instance_id)
                if notice.players:
                    self._say(f"{notice.instance_id} is off: {notice.reason}")
        self._moved.set()
        self._moved = trio.Event()
