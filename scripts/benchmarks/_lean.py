"""A lean WebSocket client and a child daemon: the measuring side must never be the slow one.

Frames are masked with a key of zeros, which costs the client nothing and the server what any key costs it.
"""

import json
import os
import selectors
import socket
import subprocess
import sys
import tempfile
import time
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from struct import pack, unpack_from

from protocol.codec import encode_message, handshake_frame
from protocol.messages import SUBPROTOCOL, Hello, Message, Welcome
from protocol.session import Session, Side, read_answer

ROOT = Path(__file__).resolve().parents[2]


class LeanSocket:
    """One client socket, blocking for the handshake and not afterwards."""

    def __init__(self, port: int, subprotocol: str | None = SUBPROTOCOL) -> None:
        self.sock = socket.create_connection(("127.0.0.1", port))
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        extra = f"Sec-WebSocket-Protocol: {subprotocol}\r\n" if subprotocol else ""
        key = b64encode(os.urandom(16)).decode()
        self.sock.sendall(
            (
                f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n{extra}\r\n"
            ).encode()
        )
        head = b""
        while b"\r\n\r\n" not in head:
            chunk = self.sock.recv(65536)
            assert chunk, head
            head += chunk
        assert head.startswith(b"HTTP/1.1 101"), head
        self._buffer = head.split(b"\r\n\r\n", 1)[1]

    def send(self, payload: bytes) -> None:
        """One masked binary message."""
        self.sock.sendall(masked(payload))

    def receive(self) -> list[bytes]:
        """The payloads of all whole data frames that are here; waits for at least some bytes."""
        chunk = self.sock.recv(1 << 20)
        assert chunk, "the server closed the socket"
        data = self._buffer + chunk
        payloads, position, end = [], 0, len(data)
        while end - position >= 2:
            size = data[position + 1] & 127
            start = position + 2
            if size == 126:
                if end - position < 4:
                    break
                size, start = unpack_from("!H", data, start)[0], start + 2
            elif size == 127:
                if end - position < 10:
                    break
                size, start = unpack_from("!Q", data, start)[0], start + 8
            if end < start + size:
                break
            opcode = data[position] & 15
            if opcode in (1, 2):
                payloads.append(data[start : start + size])
            elif opcode == 9:
                self.sock.sendall(pack("!BBI", 0x8A, 0x80 | size, 0) + data[start : start + size])
            position = start + size
        self._buffer = data[position:]
        return payloads


def masked(payload: bytes) -> bytes:
    """A client's frame around a payload."""
    size = len(payload)
    if size < 126:
        return pack("!BBI", 0x82, 0x80 | size, 0) + payload
    if size < 65536:
        return pack("!BBHI", 0x82, 0xFE, size, 0) + payload
    return pack("!BBQI", 0x82, 0xFF, size, 0) + payload


class LeanPeer:
    """A peer with a real session on a lean socket."""

    def __init__(self, port: int, hello: Hello) -> None:
        self.link = LeanSocket(port)
        self.session = Session(Side.PEER, life=hello.life, window_frames=1 << 20, window_bytes=1 << 30)
        self.link.send(handshake_frame(hello))
        payloads = self.link.receive()
        answer = read_answer(payloads[0])
        assert isinstance(answer, Welcome), answer
        self.session.welcomed(answer)
        self._early = payloads[1:]

    def say(self, message: Message) -> None:
        """Queue a message for the next flush."""
        self.session.queue(encode_message(message))

    def flush(self) -> None:
        """Send what is queued, many messages a frame."""
        while (frame := self.session.take_frame()) is not None:
            self.link.send(frame)

    def hear(self) -> list[Message]:
        """What has come; waits for something."""
        payloads, self._early = (self._early or self.link.receive()), []
        heard: list[Message] = []
        for payload in payloads:
            heard += self.session.receive(payload)  # type: ignore[arg-type]
        return heard


class Loop:
    """Waits for any of many sockets."""

    def __init__(self) -> None:
        self._selector = selectors.DefaultSelector()

    def add(self, link: LeanSocket, owner: object) -> None:
        """Watch a socket."""
        self._selector.register(link.sock, selectors.EVENT_READ, owner)

    def ready(self, timeout: float) -> Iterator[object]:
        """The owners of sockets with something to read."""
        for key, _ in self._selector.select(timeout):
            yield key.data


@contextmanager
def daemon(*definitions: Path) -> Iterator[tuple[int, int]]:
    """A coordinator on a journal of its own, pinned to the first core: (port, process id)."""
    with tempfile.TemporaryDirectory(prefix="coordinator-bench-") as home:
        ready = Path(home) / "ready.json"
        command = [sys.executable, "-m", "coordinator", "serve", "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0"]
        command += ["--journal", f"sqlite:///{home}/journal.db", "--ready-file", str(ready), "--log-level", "warning"]
        for path in definitions:
            command += ["--definition", str(path)]
        child = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL)
        pin(child.pid, 0)
        pin(0, 1)
        try:
            while not ready.exists():
                assert child.poll() is None, "the daemon did not start"
                time.sleep(0.02)
            port = int(json.loads(ready.read_text())["listen"].rpartition(":")[2])
            yield port, child.pid
        finally:
            child.terminate()
            child.wait(30)


def pin(process: int, core: int) -> None:
    """Keep a process on one core where there are at least two."""
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    everything = os.cpu_count() or 1
    if everything >= 2 and hasattr(os, "sched_setaffinity") and (len(cores) >= 2 or process == 0):
        os.sched_setaffinity(process, {core})


def cpu_seconds(process: int) -> float:
    """CPU time a process has used so far, all its threads."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    ticks: int = os.sysconf("SC_CLK_TCK")
    return (int(fields[11]) + int(fields[12])) / ticks
