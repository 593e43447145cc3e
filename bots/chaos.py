"""Ends and freezes the programs of a demo at random, as machines do; the seed repeats who, how and in which order."""

import os
import signal
from collections.abc import Callable, Sequence
from contextlib import suppress
from random import Random

import trio

from bots.children import Child

PAUSE_S = (0.4, 2.0)
"""How long nothing happens between two deeds, at least and at most."""

FROZEN_S = (0.2, 3.0)
"""How long a frozen program stands still."""


class Chaos:
    """Strikes one of the ``victims`` after the other until it is cancelled. ``say`` tells people what it does."""

    def __init__(self, seed: str, victims: Callable[[], Sequence[Child]], say: Callable[[str], None]) -> None:
        self._random = Random(f"chaos {seed}")
        self._victims = victims
        self._say = say
        self.deeds = 0

    async def run(self) -> None:
        """Until cancelled; whoever is frozen then is let go."""
        while True:
            await trio.sleep(self._random.uniform(*PAUSE_S))
            victims = self._victims()
            victim = victims[self._random.randrange(len(victims))]
            frozen_s = self._random.uniform(*FROZEN_S)
            if victim.returncode is not None:
                continue
            self.deeds += 1
            if self._random.random() < 0.5:
                self._say(f"chaos: {victim.name} is killed")
                _send(victim, signal.SIGKILL)
            else:
                self._say(f"chaos: {victim.name} stands still for {frozen_s:.1f} s")
                await _freeze(victim, frozen_s)


async def _freeze(victim: Child, seconds: float) -> None:
    _send(victim, signal.SIGSTOP)
    try:
        await trio.sleep(seconds)
    finally:
        _send(victim, signal.SIGCONT)


def _send(victim: Child, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.kill(victim.pid, number)
