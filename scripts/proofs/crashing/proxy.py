"""Between programs and the daemon: passes bytes on, counts them, cuts connections, lets them go silent or be late."""

import random
from collections.abc import Callable

import attrs
import trio

CHUNK = 16_384


@attrs.define(eq=False)
class Pair:
    """One connection of a program, and ours to the daemon on its behalf."""

    program: trio.SocketStream
    daemon: trio.SocketStream
    silent: bool = False
    late_s: float = 0.0

    async def drop(self) -> None:
        """Cut it, whatever is under way."""
        await trio.aclose_forcefully(self.program)
        await trio.aclose_forcefully(self.daemon)


class Proxy:
    """Listens for programs. ``passed`` is told of each piece that goes up or down, before it goes on."""

    def __init__(self, daemon_port: int, luck: random.Random) -> None:
        self.pairs: list[Pair] = []
        self.passed: Callable[[str], None] = lambda _: None
        self.cuts = 0
        self._daemon_port = daemon_port
        self._luck = luck

    async def serve(self, task_status: trio.TaskStatus[int]) -> None:
        """Until cancelled; starts with the port."""
        listeners = await trio.open_tcp_listeners(0, host="127.0.0.1")
        async with trio.open_nursery() as nursery:
            nursery.start_soon(trio.serve_listeners, self._pass_on, listeners)
            task_status.started(listeners[0].socket.getsockname()[1])

    async def strike(self) -> None:
        """Something happens to one of the connections."""
        if self.pairs:
            pair = self._luck.choice(self.pairs)
            self.cuts += 1
            how = self._luck.random()
            if how < 0.6:
                await pair.drop()
            elif how < 0.8:
                pair.silent = True
            else:
                pair.late_s = self._luck.uniform(0.1, 2.0)

    async def _pass_on(self, program: trio.SocketStream) -> None:
        try:
            daemon = await trio.open_tcp_stream("127.0.0.1", self._daemon_port)
        except OSError:
            await trio.aclose_forcefully(program)
            return
        pair = Pair(program, daemon)
        self.pairs.append(pair)
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._one_way, pair, program, daemon, "up", nursery.cancel_scope)
                nursery.start_soon(self._one_way, pair, daemon, program, "down", nursery.cancel_scope)
        finally:
            self.pairs.remove(pair)
            with trio.CancelScope(shield=True):
                await pair.drop()  # noqa: ASYNC102 - it never waits

    async def _one_way(
        self, pair: Pair, source: trio.SocketStream, sink: trio.SocketStream, way: str, both: trio.CancelScope
    ) -> None:
        try:
            while data := await source.receive_some(CHUNK):
                self.passed(way)
                if pair.silent:
                    continue
                if pair.late_s:
                    late_s, pair.late_s = pair.late_s, 0.0
                    await trio.sleep(late_s)
                await sink.send_all(data)
        except (trio.BrokenResourceError, trio.ClosedResourceError, trio.BusyResourceError):
            pass
        both.cancel()
