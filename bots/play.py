"""Hands in, reports out: the two ways in which bots play the hands of a table server.

Without think time every hand is played to its end, one after the other in the order they were ordered, so
that the order of reports follows from the order of orders and a run can be repeated. With think time all
hands are in play at once: one heap of due times, whatever the number of tables, and every action is streamed
as it happens.
"""

import heapq
import math
from collections.abc import AsyncIterator, Callable, Iterator, Mapping

import trio

from bots.errors import BotError, UnknownGame
from bots.games import Acted, Ended, Game, HandToPlay, Step, take_all
from protocol.client import Hand

Tell = Callable[[str], None]
"""Where a line for people goes."""

GiveUp = Callable[[Hand, BotError], None]
"""What to do with a hand that cannot be played here."""


def to_play(hand: Hand) -> HandToPlay:
    """The hand without the wire."""
    return HandToPlay(deal=hand.deal, base_score=hand.base_score, players=hand.table.players, log=hand.log)


def label(hand: Hand) -> str:
    """The hand in words, for a line that people read."""
    return f"{hand.table.match_id} table {hand.table.table_id} hand {hand.hand_no} attempt {hand.attempt_no}"


def steps_of(hand: Hand, games: Mapping[str, Game], tell: Tell) -> Iterator[Step]:
    """The course of the hand in its own game. Raises :class:`~bots.errors.BotError` at its first step."""
    game = games.get(hand.table.game)
    if game is None:
        raise UnknownGame(f"the game {hand.table.game!r} is not played here; expected one of: {', '.join(games)}")
    if hand.log:
        tell(f"{label(hand)}: repeats {len(hand.log)} actions")
    yield from game.play(to_play(hand))


async def play_in_order(hands: AsyncIterator[Hand], games: Mapping[str, Game], tell: Tell, give_up: GiveUp) -> None:
    """Play every hand to its end and report it before the next is looked at."""
    async for hand in hands:
        try:
            actions, ended = take_all(steps_of(hand, games, tell))
        except BotError as error:
            give_up(hand, error)
        else:
            hand.record(*actions)
            hand.report(ended.scores, ended.dropped)
        await trio.lowlevel.checkpoint()


class Interleaved:
    """All open hands at once; whoever is to act thinks ``think_s`` seconds first."""

    def __init__(self, games: Mapping[str, Game], think_s: float, tell: Tell, give_up: GiveUp) -> None:
        self._games = games
        self._give_up = give_up
        self._think_s = think_s
        self._tell = tell
        self._heap: list[tuple[float, int, Hand, Iterator[Step]]] = []
        self._admitted = 0
        self._no_more = False
        self._news = trio.Event()

    async def run(self, hands: AsyncIterator[Hand]) -> None:
        """Play until no hand is to come any more and the last one is reported."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._play)
            async for hand in hands:
                self._admit(hand)
            self._no_more = True
            self._news.set()

    def _admit(self, hand: Hand) -> None:
        steps = steps_of(hand, self._games, self._tell)
        self._admitted += 1
        heapq.heappush(self._heap, (trio.current_time() + self._think_s, self._admitted, hand, steps))
        self._news.set()

    async def _play(self) -> None:
        heap = self._heap
        while heap or not self._no_more:
            self._news = trio.Event()
            with trio.move_on_at(heap[0][0] if heap else math.inf):
                await self._news.wait()
            now = trio.current_time()
            while heap and heap[0][0] <= now:
                at, number, hand, steps = heapq.heappop(heap)
                if self._act(hand, steps):
                    heapq.heappush(heap, (at + self._think_s, number, hand, steps))

    def _act(self, hand: Hand, steps: Iterator[Step]) -> bool:
        """One action, after those of the log; whether there is more to come."""
        if hand.cancelled:
            self._tell(f"{label(hand)}: taken away")
            return False
        try:
            for step in steps:
                match step:
                    case Acted(repeated=True):
                        pass
                    case Acted(action):
                        hand.record(action)
                        return True
                    case Ended(scores, dropped):
                        hand.report(scores, dropped)
        except BotError as error:
            self._give_up(hand, error)
        return False
