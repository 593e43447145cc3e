"""``python -m scripts.proofs.crashing.table_server URL ID DIARY``: a table server that writes down what it says.

What it means to report is in the diary before it is sent, and each verdict as soon as it is there.
"""

import random
import sys
from collections.abc import Mapping
from pathlib import Path

import trio

from bots.games import ScoreModel, take_all
from bots.play import to_play
from protocol.client import Hand, LinkEnded, RequestRefused, TableServer
from scripts.proofs.crashing.diary import Diary

GAMES = ("dou_dizhu", "kingdom")
CAPACITY = 8
SLOWEST_S = 0.3


async def _play(hand: Hand, diary: Diary, luck: random.Random) -> None:
    table, span = hand.table, luck.uniform(0.0, SLOWEST_S)
    actions, ended = take_all(ScoreModel().play(to_play(hand)))
    await trio.sleep(span / 2)
    try:
        hand.record(*actions)
        await trio.sleep(span / 2)
        if hand.cancelled:
            return
        at = [table.match_id, table.table_id, hand.epoch, hand.hand_no, hand.attempt_no]
        scores = _turned(ended.scores, luck)
        diary.write("reports", at=at, scores=scores)
        verdict = await hand.report(scores, ended.dropped).wait()
    except (LinkEnded, RequestRefused) as error:
        diary.write("gives up", why=str(error))
    else:
        diary.write("verdict", at=at, verdict=verdict.verdict)


def _turned(scores: Mapping[str, int], luck: random.Random) -> dict[str, int]:
    """The same scores for other players: an attempt that is repeated ends in its own way."""
    worth, turn = list(scores.values()), luck.randrange(len(scores))
    return dict(zip(scores, worth[turn:] + worth[:turn], strict=True))


async def _serve(url: str, server_id: str, diary: Diary) -> None:
    luck = random.Random()
    server = TableServer(url, server_id, games=GAMES, capacity=CAPACITY, software="crash proof")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(server.run)
        async for hand in server.hands():
            nursery.start_soon(_play, hand, diary, luck)


def main() -> None:
    url, server_id, path = sys.argv[1:]
    trio.run(_serve, url, server_id, Diary(Path(path)))


if __name__ == "__main__":
    main()
