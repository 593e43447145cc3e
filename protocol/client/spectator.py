"""The spectator's end of the wire: the standings of the matches one watches."""

import random
import ssl
from collections.abc import Callable

from protocol.client.channel import Dial
from protocol.client.feed import Feed
from protocol.client.peer import Peer
from protocol.messages import Message, Standings, Subscribe


class Spectator(Peer):
    """Somebody who watches. Run :meth:`run` in a task."""

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
            url, identity, roles=["spectator"], token=token, tls=tls, software=software, dial=dial, chance=chance
        )
        self._watched: dict[str, None] = {}
        self._standings: Feed[Standings] = Feed()

    async def subscribe(self, match_id: str) -> None:
        """Watch a match, in every session to come. Raises RequestRefused."""
        await self._answer(_subscription(match_id))
        self._watched[match_id] = None

    def standings(self) -> Feed[Standings]:
        """The pictures as they come, of all matches watched. The one feed of this spectator; slow readers
        skip.
        """
        return self._standings

    def restarted(self, *, snapshot_follows: bool) -> None:
        """A new session has no subscriptions: make them again."""
        super().restarted(snapshot_follows=snapshot_follows)
        for match_id in self._watched:
            self._ask(_subscription(match_id))

    def _on_notice(self, message: Message) -> None:
        if isinstance(message, Standings):
            # Only the newest picture of a match is of use.
            self._standings.put(message, key=message.match_id)

    def _on_end(self) -> None:
        self._standings.end()


def _subscription(match_id: str) -> Callable[[int], Message]:
    return lambda ref: Subscribe(match_id, ref=ref)
