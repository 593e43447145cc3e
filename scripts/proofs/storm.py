"""Thousands of sessions are cut at once and come back at once: each resumes, and hears exactly what it missed.

Every session is a lobby of a real daemon in a process of its own. While all of them are away matches begin, of which
each must be told. The yardstick is taken in the same run: the same sockets to a plain TCP server that takes as many
bytes and gives as many, with no WebSocket, no session and no journal in between.
"""

import argparse
import os
import random
import resource
import socket
import struct
import subprocess
import sys
import tempfile
import time
from base64 import b64encode
from pathlib import Path
from statistics import median
from typing import Any

import attrs
import trio

from protocol.codec import build_frame, handshake_frame
from protocol.errors import WireError
from protocol.messages import SUBPROTOCOL, BaseScore, Hello, MatchStarted, Message, OpenMatch, Register, Welcome
from protocol.session import Session, Side, read_answer
from scripts.benchmarks._lean import ROOT, LeanPeer, masked
from scripts.proofs._report import begin, finish, say
from tests.e2e.processes import ONE_TABLE

MATCHES_MISSED = 5
PATIENCE_S = 300.0
BAR = 3.0
ROUNDS = 3

FLOOR = """
import sys, trio
from functools import partial
asked, given = int(sys.argv[1]), b"x" * int(sys.argv[2])
async def serve(stream):
    left = asked
    while left:
        chunk = await stream.receive_some(left)
        if not chunk:
            return
        left -= len(chunk)
    await stream.send_all(given)
    while await stream.receive_some(65536):
        pass
async def contained(stream):
    try:
        await serve(stream)
    except trio.BrokenResourceError:
        pass
async def main():
    async with trio.open_nursery() as nursery:
        [listener] = await nursery.start(partial(trio.serve_tcp, contained, 0, host="127.0.0.1", backlog=4096))
        print(listener.socket.getsockname()[1], flush=True)
trio.run(main)
"""


@attrs.define(eq=False)
class Client:
    """One session, through any number of sockets."""

    identity: str
    port: int
    chance: random.Random
    session: Session = attrs.field(factory=lambda: Session(Side.PEER))
    stream: trio.SocketStream | None = None
    heard: list[Message] = attrs.field(factory=list)
    resumed: list[str] = attrs.field(factory=list)
    refusals: int = 0
    sent: int = 0
    received: int = 0

    def hello(self) -> Hello:
        """Who this is, and what it has of its session."""
        known = self.session
        return Hello(
            self.identity, ["lobby"], life="1", session=known.session, epoch=known.epoch, last_seq=known.received
        )

    async def come(self, messages: int) -> None:
        """Dial until let in, and hear so many messages in all."""
        tries = 0
        while not await self._dial():
            self.refusals += 1
            await trio.sleep(self.chance.uniform(0, min(4.0, 0.25 * 2**tries)))
            tries += 1
        await self._resume(messages)

    async def _dial(self) -> bool:
        """Open a WebSocket; False if the coordinator has its hands full and asks to come back later."""
        self.sent = self.received = 0
        stream = self.stream = await trio.open_tcp_stream("127.0.0.1", self.port)
        key = b64encode(self.chance.randbytes(16)).decode()
        head = b""
        try:
            await self._send(
                "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n"
                f"Sec-WebSocket-Protocol: {SUBPROTOCOL}\r\n\r\n".encode()
            )
            while not head.endswith(b"\r\n\r\n"):
                head += await self._some()
        except trio.BrokenResourceError:
            head = b"reset"
        if not head.startswith(b"HTTP/1.1 101"):
            await trio.aclose_forcefully(stream)
            return False
        return True

    async def _resume(self, messages: int) -> None:
        data = b""
        await self._send(masked(handshake_frame(self.hello())))
        welcomed = False
        while not welcomed or len(self.heard) < messages:
            payloads, data = _payloads(data)
            for payload in payloads:
                if not welcomed:
                    answer = read_answer(payload)
                    assert isinstance(answer, Welcome), answer
                    self.session.welcomed(answer)
                    self.resumed.append(answer.resumed)
                    welcomed = True
                    continue
                for said in self.session.receive(payload):
                    assert not isinstance(said, WireError), said
                    self.heard.append(said)
            if not welcomed or len(self.heard) < messages:
                data += await self._some()
        sent, received = self.sent, self.received
        await self._send(masked(build_frame(0, self.session.received, ())))
        self.sent, self.received = sent, received

    def cut(self) -> None:
        """Lose the socket without a word."""
        assert self.stream is not None
        self.stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.stream.socket.close()

    async def _send(self, data: bytes) -> None:
        assert self.stream is not None
        self.sent += len(data)
        await self.stream.send_all(data)

    async def _some(self) -> bytes:
        assert self.stream is not None
        chunk = bytes(await self.stream.receive_some(65_536))
        assert chunk, "the coordinator closed the socket"
        self.received += len(chunk)
        return chunk


def _payloads(data: bytes) -> tuple[list[bytes], bytes]:
    """The whole data frames of a server that sends no fragments, and the rest."""
    found = []
    while len(data) >= 2:
        size, start = data[1], 2
        if size == 126:
            if len(data) < 4:
                break
            size, start = int.from_bytes(data[2:4], "big"), 4
        if len(data) < start + size:
            break
        if data[0] & 15 == 2:
            found.append(data[start : start + size])
        data = data[start + size :]
    return found, data


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sessions", type=int, default=2000, help="sessions that are cut (%(default)s)")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    options = parser.parse_args()
    begin("storm", seed=options.seed, sessions=options.sessions)
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with tempfile.TemporaryDirectory(prefix="storm-") as home:
        trio.run(_storm, Path(home), options.sessions, random.Random(options.seed), options.seed)


async def _storm(home: Path, sessions: int, chance: random.Random, seed: int) -> None:
    (home / "table.toml").write_text(ONE_TABLE)
    ready = home / "ready.json"
    command = [sys.executable, "-m", "coordinator", "serve", "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0"]
    command += ["--journal", f"sqlite:///{home}/journal.db", "--ready-file", str(ready), "--log-level", "warning"]
    command += ["--definition", str(home / "table.toml")]
    limits = {"COORDINATOR_LIMITS_SESSIONS": str(max(10_000, sessions * 4)), "COORDINATOR_SESSION_KEEP_S": "600"}
    daemon = await trio.lowlevel.open_process(command, cwd=ROOT, stdin=subprocess.DEVNULL, env={**os.environ, **limits})
    try:
        while not ready.exists():
            assert daemon.returncode is None, "the daemon did not start"
            await trio.sleep(0.02)
        port = int(ready.read_text().partition('"listen": "')[2].partition('"')[0].rpartition(":")[2])
        clients = [Client(f"lobby-{number}", port, random.Random(chance.random())) for number in range(sessions)]
        opening_s = await _all_at_once(clients, 0)
        say(f"{sessions} sessions are open after {opening_s:.2f} s")
        rounds: list[tuple[float, float]] = []
        for number in range(ROUNDS):
            for client in clients:
                client.cut()
            platform_heard = await trio.to_thread.run_sync(_play, port, number)
            expected = len(clients[0].heard) + len(platform_heard)
            back_s = await _all_at_once(clients, expected)
            told = [client.heard[-len(platform_heard) :] for client in clients]
            lost = sum(each != platform_heard for each in told)
            if lost:
                break
            floor_s = await _floor(clients)
            rounds.append((back_s, floor_s))
            say(f"all back after {back_s:.2f} s, plain sockets after {floor_s:.2f} s")
        else:
            lost = 0
        peak = _peak_mib(daemon.pid)
    finally:
        daemon.terminate()
        with trio.CancelScope(shield=True):
            await daemon.wait()
    _report(seed, clients, rounds, lost, peak)


def _report(seed: int, clients: list[Client], rounds: list[tuple[float, float]], lost: int, peak_mib: int) -> None:
    ratio = median(back / floor for back, floor in rounds) if rounds else float("inf")
    words: dict[str, int] = {}
    for client in clients:
        for word in client.resumed[1:]:
            words[word] = words.get(word, 0) + 1
    resumed = words.get("gap", 0)
    finish(
        "storm",
        ok=lost == 0 and resumed == len(clients) * ROUNDS and ratio <= BAR,
        seed=seed,
        sessions=len(clients),
        resumed=words,
        sessions_that_lost=lost,
        messages_missed_each=len(clients[0].heard),
        ratio=round(ratio, 2),
        bar=BAR,
        back_s=[round(back, 2) for back, _ in rounds],
        floor_s=[round(floor, 2) for _, floor in rounds],
        busy_answers=sum(client.refusals for client in clients),
        daemon_peak_mib=peak_mib,
    )


def _peak_mib(process: int) -> int:
    """The most memory a process has had."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) // 1024


async def _all_at_once(clients: list[Client], messages: int) -> float:
    """Everybody dials; seconds until everybody has heard all there is."""
    started = time.perf_counter()
    with trio.fail_after(PATIENCE_S):
        async with trio.open_nursery() as nursery:
            for client in clients:
                nursery.start_soon(client.come, messages)
    return time.perf_counter() - started


def _play(port: int, number: int) -> list[Message]:
    """Begin matches while the others are away; the notices of it, which everybody must hear."""
    platform = LeanPeer(port, Hello(f"platform-{number}", ["lobby"], life="1"))
    _rest(platform, 999_998)  # what a lobby is told of matches that were before it came
    ref, notices, begun = number * 1_000, list[Message](), 0
    for match in range(MATCHES_MISSED):
        name = f"storm-{number}-{match}"
        platform.say(OpenMatch(name, "table", ref=(ref := ref + 1)))
        for player in ("a", "b", "c"):
            platform.say(Register(name, player, player, ref=(ref := ref + 1)))
    platform.flush()
    answers = 0
    while begun < MATCHES_MISSED or answers < MATCHES_MISSED * 4:
        for message in platform.hear():
            if getattr(message, "ref", 0):
                answers += 1
            elif not isinstance(message, BaseScore):  # of which only the newest counts, so that nobody misses one
                notices.append(message)
                begun += isinstance(message, MatchStarted)
    return notices + _rest(platform, 999_999)


def _rest(platform: LeanPeer, ref: int) -> list[Message]:
    """What is still under way behind the last answer."""
    platform.say(OpenMatch("storm-0-0", "no such definition", ref=ref))
    platform.flush()
    notices: list[Message] = []
    while True:
        for message in platform.hear():
            if getattr(message, "ref", 0) == ref:
                return notices
            if not isinstance(message, BaseScore):
                notices.append(message)


async def _floor(clients: list[Client]) -> float:
    """As many plain sockets, as many bytes each way."""
    asked, given = clients[0].sent, clients[0].received
    server = await trio.lowlevel.open_process(
        [sys.executable, "-c", FLOOR, str(asked), str(given)], stdout=subprocess.PIPE
    )
    try:
        assert server.stdout is not None
        port = int(await server.stdout.receive_some(100))

        async def one() -> None:
            stream = await trio.open_tcp_stream("127.0.0.1", port)
            streams.append(stream)
            await stream.send_all(b"x" * asked)
            left = given
            while left:
                left -= len(await stream.receive_some(left))

        streams: list[Any] = []
        started = time.perf_counter()
        async with trio.open_nursery() as nursery:
            for _ in clients:
                nursery.start_soon(one)
        elapsed = time.perf_counter() - started
        for stream in streams:
            await trio.aclose_forcefully(stream)
        return elapsed
    finally:
        server.kill()
        await server.wait()


if __name__ == "__main__":
    main()
