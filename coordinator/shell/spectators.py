"""Standings for spectators: the picture of a match, pushed when it moved and at most once a second."""

from collections.abc import Sequence

import trio

from coordinator.shell.archive import is_finished
from coordinator.shell.office import Office
from coordinator.shell.peers import Peer
from coordinator.shell.picture import Picture
from protocol.codec import encode_message
from protocol.messages import StandingRow, Standings

EVERY_S = 1.0
ROWS = 100


class Spectators:
    """Looks once a second at who watches what."""

    def __init__(self, office: Office, picture: Picture) -> None:
        self._office = office
        self._picture = picture

    def start(self) -> None:
        """Begin, once trio runs."""
        self._office.timers.set("spectators", trio.current_time() + EVERY_S, self._push)

    def _push(self) -> None:
        encoded: dict[str, bytes] = {}
        telling: list[tuple[Peer, bytes]] = []
        for peer in self._office.peers:
            if peer.conn is None or peer.mute:
                continue
            for match_id, seen in list(peer.watching.items()):
                desk, version = self._office.desks[match_id], self._picture.version(match_id)
                # The state of a desk that failed may be half of what it should be: nothing is shown of it.
                if version == seen or desk.failure is not None:
                    continue
                peer.watching[match_id] = version
                if match_id not in encoded:
                    try:
                        encoded[match_id] = encode_message(self._standings(match_id))
                    except Exception as error:
                        self._office.contain(error)
                        continue
                if is_finished(desk.state):
                    del peer.watching[match_id]  # nothing will move in it any more
                telling.append((peer, encoded[match_id]))
        if telling:
            # The states are ahead of the disk, so what was read from them waits for it.
            self._office.writer.append(None, self._tell, telling)
        self.start()

    def _tell(self, telling: Sequence[tuple[Peer, bytes]]) -> None:
        for peer, encoded in telling:
            self._office.peers.send_encoded(peer, encoded)
        self._office.peers.flush()

    def _standings(self, match_id: str) -> Standings:
        seen = self._picture.match(match_id, ROWS)
        assert seen is not None, "only a match that exists is watched"
        rows = [
            StandingRow(
                line["rank"],
                line["player_id"],
                line["name"],
                line["score"],
                line["points"],
                line["state"],
                line["table_id"],
            )
            for line in seen["standings"]
        ]
        return Standings(
            match_id,
            seen["stage_id"],
            seen["bout_no"],
            seen["players"],
            seen["remaining"],
            seen["base_score"],
            seen["hands"],
            rows,
        )
