"""A link to a database that is cut after so many bytes, as the network, or the death of a process, cuts it."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Literal

from sqlalchemy import make_url

Way = Literal["up", "down"]


class CutLink:
    """Carries one connection to a database, and counts what goes each way."""

    def __init__(self, url: str, way: Way, after_bytes: int | None) -> None:
        self.carried: dict[Way, int] = {"up": 0, "down": 0}
        self._limits: dict[Way, int | None] = {"up": None, "down": None, way: after_bytes}
        self._door = socket.create_server(("127.0.0.1", 0))
        place = make_url(url)
        self._far = ("127.0.0.1", place.port or 5432)
        self.url = place.set(port=self._door.getsockname()[1]).render_as_string(hide_password=False)
        """The database by way of this link."""

    def carry(self) -> None:
        """One connection, from its beginning to its end."""
        near, _ = self._door.accept()
        far = socket.create_connection(self._far)
        ways: tuple[tuple[Way, socket.socket, socket.socket], ...] = (("up", near, far), ("down", far, near))
        with near, far:
            pumps = [threading.Thread(target=self._pump, args=each, daemon=True) for each in ways]
            for pump in pumps:
                pump.start()
            for pump in pumps:
                pump.join()

    def close(self) -> None:
        self._door.close()

    def _pump(self, way: Way, source: socket.socket, target: socket.socket) -> None:
        """Carry bytes until one end is gone or the limit is reached; then both ends are gone."""
        limit = self._limits[way]
        with suppress(OSError):
            while limit is None or self.carried[way] < limit:
                piece = source.recv(65_536 if limit is None else limit - self.carried[way])
                if not piece:
                    break
                self.carried[way] += len(piece)
                target.sendall(piece)
        for end in (source, target):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


@contextmanager
def cut_link(url: str, way: Way = "up", after_bytes: int | None = None) -> Iterator[CutLink]:
    """A link to a database for one connection, which breaks after so many bytes to it (up) or from it (down)."""
    link = CutLink(url, way, after_bytes)
    carrying = threading.Thread(target=link.carry, daemon=True)
    carrying.start()
    try:
        yield link
        carrying.join()
    finally:
        link.close()
