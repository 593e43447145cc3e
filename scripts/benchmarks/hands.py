"""Durable, acknowledged hands a second against round trips of a bare websockets.trio echo server.

200 tables on 4 sessions, many messages a frame and one commit for many hands, against one message a frame on 200
sockets. Both servers run all the time, each pinned to the same core; rounds alternate. A hand counts when its verdict
has come back, which is after its record was synced.
"""

import subprocess
import sys
import time
from itertools import count
from pathlib import Path

from protocol.messages import CloseTable, HandEnded, Hello, MatchStarted, OpenMatch, Register, Seat, StartHand, Verdict
from scripts.benchmarks._lean import LeanPeer, LeanSocket, Loop, daemon, masked, pin
from scripts.benchmarks._report import finish, options, say, spread

SESSIONS, TABLES, SOCKETS = 4, 200, 200
BAR = 2.0
ECHO = """
import sys, trio
from websockets.trio.server import serve
async def echo(ws):
    async for message in ws:
        await ws.send(message)
async def main():
    async with trio.open_nursery() as nursery:
        server = await nursery.start(lambda task_status: serve(
            echo, 0, host="127.0.0.1", compression=None, ping_interval=None, backlog=512, task_status=task_status))
        print(server.listeners[0].socket.getsockname()[1], flush=True)
trio.run(main)
"""


def open_tables(port: int, sessions: int, tables: int, match_id: str) -> list["Dealer"]:
    """A started match whose tables sit evenly on so many sessions."""
    loop_dealers = [Dealer(port, f"ts-{number}", tables // sessions) for number in range(sessions)]
    lobby = LeanPeer(port, Hello("bench-lobby", ["lobby"], "life"))
    lobby.say(OpenMatch(match_id, "bench", 1, "bench", tables * 3))
    for number in range(tables * 3):
        lobby.say(Register(match_id, f"p{number}", f"Player {number}", number + 2))
        if number % 500 == 499:
            lobby.flush()
    lobby.flush()
    while not any(isinstance(message, MatchStarted) for message in lobby.hear()):
        lobby.flush()
    return loop_dealers


class Dealer:
    """A table server that ends every hand at once."""

    def __init__(self, port: int, name: str, capacity: int) -> None:
        self.peer = LeanPeer(port, Hello(name, ["table"], "life", games=["score"], capacity=capacity))
        self.seats: dict[int, list[str]] = {}
        self.due: list[StartHand] = []
        self.dealt = 0
        self.scored = 0
        self._refs = count(1)

    def hear(self) -> None:
        """Take in orders and verdicts."""
        for message in self.peer.hear():
            if isinstance(message, StartHand):
                self.due.append(message)
            elif isinstance(message, Verdict):
                assert message.verdict == "scored", message
                self.scored += 1
            elif isinstance(message, Seat):
                self.seats[message.table_id] = [seat.player_id for seat in message.seats]
            elif isinstance(message, CloseTable):
                del self.seats[message.table_id]

    def deal(self, most: int) -> int:
        """End up to so many hands that are due."""
        now, self.due = self.due[:most], self.due[most:]
        for hand in now:
            seats = self.seats[hand.table_id]
            base = hand.base_score
            scores = {player: (2 * base if seat == 0 else -base) for seat, player in enumerate(seats)}
            self.peer.say(
                HandEnded(
                    hand.match_id, hand.table_id, hand.epoch, hand.hand_no, hand.attempt_no, scores, next(self._refs)
                )
            )
        self.peer.flush()
        self.dealt += len(now)
        return len(now)


def hands_per_second(dealers: list[Dealer], loop: Loop, seconds: float) -> float:
    """Play for so long, then let the hands in flight land."""
    before, start = sum(dealer.scored for dealer in dealers), time.perf_counter()
    for dealer in dealers:
        dealer.deal(1 << 30)
    while (elapsed := time.perf_counter() - start) < seconds:
        for owner in loop.ready(0.1):
            assert isinstance(owner, Dealer)
            owner.hear()
            owner.deal(1 << 30)
    after = sum(dealer.scored for dealer in dealers)
    while any(dealer.scored < dealer.dealt for dealer in dealers):
        for owner in loop.ready(0.1):
            assert isinstance(owner, Dealer)
            owner.hear()
            owner.peer.flush()
    return (after - before) / elapsed


def trips_per_second(links: list[LeanSocket], loop: Loop, frame: bytes, seconds: float) -> float:
    """One request in flight on every socket for so long."""
    trips, start = 0, time.perf_counter()
    for link in links:
        link.sock.sendall(frame)
    while (elapsed := time.perf_counter() - start) < seconds:
        for owner in loop.ready(0.1):
            assert isinstance(owner, LeanSocket)
            got = len(owner.receive())
            trips += got
            if got:
                owner.sock.sendall(frame)
    waiting = len(links)
    while waiting:
        for owner in loop.ready(1.0):
            assert isinstance(owner, LeanSocket)
            waiting -= len(owner.receive())
    return trips / elapsed


def main() -> None:
    """Run the benchmark."""
    args = options(__doc__ or "", seconds=2.0)
    here = Path(__file__).parent
    echo = subprocess.Popen([sys.executable, "-c", ECHO], stdout=subprocess.PIPE, text=True)
    pin(echo.pid, 0)
    try:
        assert echo.stdout is not None
        echo_port = int(echo.stdout.readline())
        with daemon(here / "tables.toml") as (port, _):
            dealers = open_tables(port, SESSIONS, TABLES, "bench")
            hands_loop, echo_loop = Loop(), Loop()
            for dealer in dealers:
                hands_loop.add(dealer.peer.link, dealer)
            links = [LeanSocket(echo_port, None) for _ in range(SOCKETS)]
            for link in links:
                echo_loop.add(link, link)
            while sum(len(dealer.due) for dealer in dealers) < TABLES:
                for owner in hands_loop.ready(0.1):
                    assert isinstance(owner, Dealer)
                    owner.hear()
            frame = masked(b"x" * 100)
            hands, trips = [], []
            for number in range(args.rounds):
                for measure in ("hands", "trips") if number % 2 else ("trips", "hands"):
                    if measure == "hands":
                        hands.append(hands_per_second(dealers, hands_loop, args.seconds))
                    else:
                        trips.append(trips_per_second(links, echo_loop, frame, args.seconds))
                say(f"round {number + 1}: {hands[-1]:,.0f} hands/s, {trips[-1]:,.0f} round trips/s")
    finally:
        echo.kill()
        echo.wait()
    ratios = [one / other for one, other in zip(hands, trips, strict=True)]
    result = spread(ratios)
    finish(
        "hands",
        ok=result["median"] >= BAR,
        ratio=result["median"],
        bar=f"at least {BAR}",
        parts={"spread": result, "hands_per_second": spread(hands), "round_trips_per_second": spread(trips)},
        file=args.json,
    )


if __name__ == "__main__":
    main()
