"""``python -m scripts.proofs.crashing.lobby URL DIARY STOP``: a platform that keeps some matches going.

Its diary is its memory too: what was begun by an earlier life is asked again in the same words. Once the file STOP is
there it opens no more matches, and ends when all that it opened are over.
"""

import sys
from pathlib import Path

import trio

from protocol.client import Due, Feed, Lobby, Notice
from protocol.messages import Award, MatchOver
from scripts.proofs.crashing.diary import Diary, lines

AT_A_TIME = 5
KINDS = (("half-knockout", 12), ("revival-melee", 12), ("dominion", 6), ("half-knockout", 24))


class Platform:
    """The matches of this lobby, in this life and before."""

    def __init__(self, lobby: Lobby, diary: Diary, path: Path, stop: Path) -> None:
        self._lobby = lobby
        self._diary = diary
        self._stop = stop
        told = list(lines(path))
        self._begun = max([line["number"] for line in told if line["what"] == "begins"], default=0)
        self._over = {line["match"]: None for line in told if line["what"] == "over"}
        self._paid = {line["key"]: None for line in told if line["what"] == "paid"}
        self._parts: dict[str, dict[int, list[str]]] = {}
        self._paying = False
        self._news = trio.Event()

    async def run(self, notices: Feed[Notice], dues: Feed[Due]) -> None:
        """Until it is asked to stop and everything has ended."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._listen, notices)
            nursery.start_soon(self._pay, dues)
            for number in range(1, self._begun + 1):
                if _name(number) not in self._over:
                    nursery.start_soon(self._open, number)
            while True:
                running = self._begun - len(self._over)
                if self._stop.exists():
                    if not running:
                        await self._lobby.instances()  # answered behind what an earlier life was never told
                        if not len(dues) and not self._paying:
                            break
                elif running < AT_A_TIME:
                    self._begun += 1
                    self._diary.write("begins", number=self._begun)
                    nursery.start_soon(self._open, self._begun)
                    continue
                with trio.move_on_after(0.2):
                    await self._news.wait()
                self._news = trio.Event()
            nursery.cancel_scope.cancel()

    async def _open(self, number: int) -> None:
        definition, players = KINDS[number % len(KINDS)]
        match_id = _name(number)
        await self._lobby.open_match(match_id, definition, seed=match_id, full_count=players)
        entries = [(f"{match_id}-p{player}", f"Player {player}") for player in range(1, players + 1)]
        for entered in await self._lobby.register_many(match_id, entries):
            self._diary.write("entered", match=match_id, player=entered.player_id, number=entered.reg_seq)

    async def _listen(self, notices: Feed[Notice]) -> None:
        async for notice in notices:
            if isinstance(notice, MatchOver) and notice.match_id not in self._over:
                parts = self._parts.setdefault(notice.match_id, {})
                parts[notice.part] = [row.player_id for row in notice.places]
                if len(parts) == notice.parts:
                    places = [player_id for _, rows in sorted(parts.items()) for player_id in rows]
                    self._diary.write("over", match=notice.match_id, places=places)
                    self._over[notice.match_id] = None
                    self._news.set()

    async def _pay(self, dues: Feed[Due]) -> None:
        """An award is in the diary before it is confirmed; one that is there already is not paid again."""
        async for due in dues:
            self._paying = True
            if isinstance(due, Award) and due.key not in self._paid:
                self._paid[due.key] = None
                self._diary.write("paid", match=due.match_id, key=due.key, player=due.player_id, items=due.items)
            await self._lobby.received(due)
            self._paying = False


def _name(number: int) -> str:
    return f"match-{number}"


async def _serve(url: str, path: Path, stop: Path) -> None:
    lobby = Lobby(url, "lobby", software="crash proof")
    notices, dues = lobby.notices(), lobby.dues()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(lobby.run)
        await Platform(lobby, Diary(path), path, stop).run(notices, dues)
        nursery.cancel_scope.cancel()


def main() -> None:
    url, path, stop = sys.argv[1:]
    trio.run(_serve, url, Path(path), Path(stop))


if __name__ == "__main__":
    main()
