"""An echo server on the listener, for conformance suites: ``python autobahn_echo.py [PORT]``.

Prints the bound port as its first line. It takes what the daemon refuses and the suites need: text
messages, peers without a subprotocol, large messages, many fragments.
"""

import sys
from typing import Final

import trio

from coordinator.shell.listener import Connection, Limits, Listener, build_frame

LIMITS: Final = Limits(
    max_message_before_hello=1 << 24,
    max_message=1 << 24,
    max_fragments=1 << 17,
    outbox_bytes=1 << 26,
    outbox_frames=1 << 16,
)


class Echo:
    """Sends every message back."""

    def opened(self, conn: Connection) -> None:
        conn.raise_limit()

    def received(self, conn: Connection, payload: bytes) -> None:
        conn.send(payload)

    def received_text(self, conn: Connection, text: bytes) -> None:
        conn.send_built(build_frame(text, text=True))

    def closed(self, conn: Connection, code: int, reason: str) -> None:
        pass

    def batch_done(self) -> None:
        pass


async def main(port: int) -> None:
    echo = Echo()
    listener = Listener(
        echo,
        host="127.0.0.1",
        port=port,
        limits=LIMITS,
        subprotocols=(),
        require_subprotocol=False,
        on_text=echo.received_text,
    )
    async with trio.open_nursery() as nursery:
        print(await nursery.start(listener.serve), flush=True)


if __name__ == "__main__":
    trio.run(main, int(sys.argv[1]) if len(sys.argv) > 1 else 0)
