"""Which sockets are ready: the system's epoll where there is one, otherwise whatever `selectors` has."""

import select
import selectors
from typing import Protocol

READ, WRITE = 1, 4
"""Event masks. The values are those of epoll, so that its answers need no translation."""


class Poller(Protocol):
    """A set of descriptors that can itself be waited for, as `select.epoll` is."""

    def fileno(self) -> int: ...
    def register(self, fd: int, events: int, /) -> None: ...
    def modify(self, fd: int, events: int, /) -> None: ...
    def unregister(self, fd: int, /) -> None: ...

    def poll(self, timeout: float, max_events: int, /) -> list[tuple[int, int]]:
        """Ready descriptors with their event masks; errors and hang-ups count as readable."""

    def close(self) -> None: ...


class SelectorPoller:
    """The same on `selectors`, for systems without epoll (kqueue and its kin)."""

    def __init__(self) -> None:
        self._selector = selectors.DefaultSelector()

    def fileno(self) -> int:
        """Descriptor that is readable when a registered one is ready."""
        fileno: int = self._selector.fileno()
        return fileno

    def register(self, fd: int, events: int, /) -> None:
        """Start to watch `fd`."""
        self._selector.register(fd, _to_selectors(events))

    def modify(self, fd: int, events: int, /) -> None:
        """Watch `fd` for other events."""
        self._selector.modify(fd, _to_selectors(events))

    def unregister(self, fd: int, /) -> None:
        """Stop to watch `fd`."""
        self._selector.unregister(fd)

    def poll(self, timeout: float, max_events: int, /) -> list[tuple[int, int]]:
        """Ready descriptors with their event masks."""
        ready = self._selector.select(timeout)[:max_events]
        return [(key.fd, _from_selectors(events)) for key, events in ready]

    def close(self) -> None:
        """Give the descriptor of the set back."""
        self._selector.close()


def _to_selectors(events: int) -> int:
    return (selectors.EVENT_READ if events & READ else 0) | (selectors.EVENT_WRITE if events & WRITE else 0)


def _from_selectors(events: int) -> int:
    return (READ if events & selectors.EVENT_READ else 0) | (WRITE if events & selectors.EVENT_WRITE else 0)


def make_poller() -> Poller:
    """The best this system has."""
    return select.epoll() if hasattr(select, "epoll") else SelectorPoller()
