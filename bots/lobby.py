"""The platform's front, played by a bot: opens a match, fills it with players and waits for its places."""

from collections.abc import Callable

import attrs
import trio

from bots.errors import MatchNotStarted
from bots.names import player_ids, player_names
from protocol.client import Feed, Lobby, Notice
from protocol.messages import MatchOver, PlaceRow

START_WITHIN_S = 30.0
"""How long after the last registration a match must have started. It is a matter of milliseconds."""


@attrs.frozen
class Field:
    """Which match to open and who plays in it; the seed decides the draw and the players' names.

    ``needs_word`` is for a definition that does not start by itself when the field is full. The last ``late`` players
    come when the match has just begun.
    """

    match_id: str
    definition: str
    players: int
    seed: str
    needs_word: bool = False
    late: int = 0

    def entries(self) -> list[tuple[str, str]]:
        """Player id and name, in the order of registration."""
        return list(zip(player_ids(self.players), player_names(self.seed, self.players), strict=True))


class LobbyBot:
    """Plays one match through the lobby's eyes. ``on_notice`` sees every notice of it."""

    def __init__(self, lobby: Lobby, field: Field, *, on_notice: Callable[[Notice], None] = lambda _: None) -> None:
        self.field = field
        self._lobby = lobby
        self._on_notice = on_notice
        self._started = trio.Event()

    async def run(self) -> list[PlaceRow]:
        """From the opening to the final places, best first.

        Raises :class:`protocol.client.RequestRefused`, bare or in a group, when the coordinator will not have
        the match or a player.
        """
        field = self.field
        notices = self._lobby.notices()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._lobby.run)
            on_time = field.players - field.late
            await self._lobby.open_match(field.match_id, field.definition, seed=field.seed, full_count=on_time)
            if field.needs_word:
                await self._lobby.register_many(field.match_id, field.entries()[:on_time])
                await self._lobby.start_match(field.match_id)
            # In one go: those who come late then do so before the first game is over, whatever the pace.
            await self._lobby.register_many(field.match_id, field.entries())
            nursery.start_soon(self._expect_start)
            places = await self._final_places(notices)
            nursery.cancel_scope.cancel()
        return places

    async def _final_places(self, notices: Feed[Notice]) -> list[PlaceRow]:
        parts: dict[int, list[PlaceRow]] = {}
        async for notice in notices:
            if notice.match_id != self.field.match_id:
                continue
            self._started.set()  # by whichever notice: the first one may have gone into a snapshot
            self._on_notice(notice)
            if isinstance(notice, MatchOver):
                parts[notice.part] = notice.places  # a reconnect may tell a part twice
                if len(parts) == notice.parts:
                    break
        return [row for _, rows in sorted(parts.items()) for row in rows]

    async def _expect_start(self) -> None:
        with trio.move_on_after(START_WITHIN_S):
            await self._started.wait()
            return
        raise MatchNotStarted(
            f"the match did not start with its {self.field.players} players within {START_WITHIN_S:g} seconds"
        )
