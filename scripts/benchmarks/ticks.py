"""One base-score tick to 2,000 sessions until the last has it, against a bare loop that writes the same bytes.

The daemon's own rooms (listener, sessions, dispatch) run in this process on the first core; the 2,000 sessions are
held by a child on the second, which notes when the last of them has the tick. Both ways use the same sockets and
alternate tick by tick.
"""

import json
import os
import resource
import subprocess
import sys
import time
from statistics import median

import trio

from coordinator import logs
from coordinator.engine.effects import RaiseBase
from coordinator.engine.match import new_state
from coordinator.journal.store import open_store
from coordinator.shell.front_door import FrontDoor
from coordinator.shell.limits import Limits
from coordinator.shell.listener import Listener, build_frame
from coordinator.shell.office import Office
from coordinator.shell.peers import Peers
from coordinator.shell.timers import Timers
from coordinator.shell.writer import Writer
from protocol.codec import build_frame as build_session_frame
from protocol.codec import encode_message
from protocol.messages import BaseScore, Hello
from scripts.benchmarks._lean import ROOT, LeanPeer, Loop, pin
from scripts.benchmarks._report import finish, options, say, spread

SESSIONS = 2000
TICKS_PER_ROUND = 20
BAR = 1.5


def hold_sessions(port: int, sessions: int) -> None:
    """The child: open the sessions, then say for every tick when the last one had it."""
    pin(0, 1)
    more_descriptors()
    loop = Loop()
    for number in range(sessions):
        peer = LeanPeer(port, Hello(f"ts-{number}", ["table"], "life", games=["score"], capacity=1))
        loop.add(peer.link, peer)
    print("open", flush=True)
    seen = 0
    while True:
        for owner in loop.ready(60.0):
            assert isinstance(owner, LeanPeer)
            seen += len(owner.hear())
        while seen >= sessions:
            seen -= sessions
            print(json.dumps(time.monotonic()), flush=True)


def more_descriptors() -> None:
    """Two thousand sockets need more descriptors than a shell usually gives."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = SESSIONS + 256
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(wanted, hard), hard))


class Lines:
    """What the child says, line by line."""

    def __init__(self, child: subprocess.Popen[bytes]) -> None:
        assert child.stdout is not None
        self._fd = child.stdout.fileno()
        self._rest = b""

    async def next(self) -> str:
        """The next line."""
        while b"\n" not in self._rest:
            await trio.lowlevel.wait_readable(self._fd)
            chunk = os.read(self._fd, 65536)
            assert chunk, "the child ended"
            self._rest += chunk
        line, self._rest = self._rest.split(b"\n", 1)
        return line.decode()


def holder(port: int, sessions: int) -> "subprocess.Popen[bytes]":
    """The child that holds the sessions."""
    command = [sys.executable, "-m", "scripts.benchmarks.ticks", "--hold", str(port), str(sessions)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE)


async def measure(rounds: int, sessions: int) -> tuple[list[float], list[float]]:
    """Milliseconds until the last session has a tick, by way of the coordinator and by the bare loop."""
    store = open_store("sqlite:///:memory:")
    writer, peers, timers = Writer(store), Peers(), Timers()
    office = Office(store, writer, peers, timers, {})
    door = FrontDoor(office, software="bench")
    limits = Limits(ping_every_s=3600, dead_after_s=7200, hello_timeout_s=60, max_unauthenticated=SESSIONS)
    listener = Listener(door, host="127.0.0.1", port=0, limits=limits)
    writer.after_batch = door.batch_done
    state = new_state()
    state.match_id = "bench"
    ours: list[float] = []
    bare: list[float] = []
    async with trio.open_nursery() as nursery:
        await nursery.start(writer.run)
        nursery.start_soon(timers.run)
        port = await nursery.start(listener.serve)
        child = holder(port, sessions)
        try:
            lines = Lines(child)
            assert await lines.next() == "open"
            say(f"{sessions} sessions are open")
            sockets = [conn.fd for conn in listener.connections.values()]
            for number in range(rounds):
                times: dict[str, list[float]] = {"ours": [], "bare": []}
                for tick in range(2 * TICKS_PER_ROUND):
                    # What an honest bare loop would write, ready to be written.
                    way = "ours" if (tick + number) % 2 else "bare"
                    start = time.monotonic()
                    if way == "ours":
                        office.dispatch.carry_out(state, (RaiseBase("stage", tick, 100 + tick),))
                    else:
                        message = BaseScore("bench", "stage", tick, 100 + tick)
                        frame = build_frame(build_session_frame(0, 0, [encode_message(message)]))
                        for fd in sockets:
                            os.write(fd, frame)
                    last = float(await lines.next())
                    times[way].append((last - start) * 1000)
                ours.append(median(times["ours"]))
                bare.append(median(times["bare"]))
                say(f"round {number + 1}: {ours[-1]:.1f} ms, bare loop {bare[-1]:.1f} ms")
        finally:
            child.kill()
            child.wait()
        nursery.cancel_scope.cancel()
    store.close()
    return ours, bare


def main() -> None:
    """Run the benchmark."""
    if sys.argv[1:2] == ["--hold"]:
        hold_sessions(int(sys.argv[2]), int(sys.argv[3]))
        return
    args = options(__doc__ or "", rounds=7, sessions=SESSIONS)
    logs.configure("warning", "auto")
    more_descriptors()
    pin(0, 0)
    ours, bare = trio.run(measure, args.rounds, args.sessions)
    ratios = [one / other for one, other in zip(ours, bare, strict=True)]
    result = spread(ratios)
    finish(
        "ticks",
        ok=result["median"] <= BAR,
        ratio=result["median"],
        bar=f"at most {BAR}",
        parts={
            "spread": result,
            "sessions": args.sessions,
            "ms_to_last": spread(ours),
            "bare_ms_to_last": spread(bare),
        },
        file=args.json,
    )


if __name__ == "__main__":
    main()
