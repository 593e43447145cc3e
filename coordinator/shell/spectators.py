"""Standings for spectators: the picture of a match, pushed when it moved and at most once a second."""

import trio

from coordinator.shell.office import Office
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
        for peer in self._office.peers:
            if peer.conn is None:
                continue
            for match_id, seen in peer.watching.items():
                version = self._picture.version(match_id)
                if version == seen:
                    continue
                if match_id not in encoded:
                    encoded[match_id] = encode_message(self._standings(match_id))
                peer.watching[match_id] = version
                self._office.peers.send_encoded(peer, encoded[match_id])
        self._office.peers.flush()
        self.start()

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
                line["state"],  # type: ignore[arg-type]
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
