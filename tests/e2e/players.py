"""Programs of the SDK inside the test: a lobby that fills a match, table servers that keep a book of their verdicts."""

from collections.abc import Callable
from contextlib import suppress

import attrs
import trio

from bots.games import ScoreModel, play_out
from bots.play import to_play
from protocol.client import Hand, LinkEnded, Lobby, TableServer
from protocol.messages import MatchOver, PlaceRow, Verdict


@attrs.define
class Cup:
    """One match, through the eyes of the lobby that opened it."""

    match_id: str
    players: int
    definition: str = "cup"
    places: list[PlaceRow] = attrs.field(factory=list)
    opened: trio.Event = attrs.field(factory=trio.Event)
    over: trio.Event = attrs.field(factory=trio.Event)

    @property
    def complete(self) -> bool:
        """Every place once, every player once."""
        places = sorted(row.place for row in self.places)
        return places == list(range(1, self.players + 1)) == list(range(1, len({r.player_id for r in self.places}) + 1))


async def lead(lobby: Lobby, cup: Cup) -> None:
    """Open a match, fill it, and hear its places; the lobby runs elsewhere."""
    notices = lobby.notices()
    await lobby.open_match(cup.match_id, cup.definition, seed="7", full_count=cup.players)
    cup.opened.set()
    await lobby.register_many(cup.match_id, [(f"p{n}", f"Player {n}") for n in range(1, cup.players + 1)])
    parts: dict[int, MatchOver] = {}
    async for notice in notices:
        if isinstance(notice, MatchOver) and notice.match_id == cup.match_id:
            parts[notice.part] = notice
            if len(parts) == notice.parts:
                break
    cup.places = [row for number in sorted(parts) for row in parts[number].places]
    cup.over.set()


@attrs.define
class Book:
    """What table servers were told of their reports: all of it was acknowledged."""

    counts: dict[tuple[str, int, int], dict[str, int]] = attrs.field(factory=dict)
    """Hands that count, by match, table and hand number, with their scores."""
    verdicts: list[Verdict] = attrs.field(factory=list)


async def keep_tables(server: TableServer, book: Book, *, on_verdict: Callable[[], None] = lambda: None) -> None:
    """Play every hand of the server with scores that follow from its deal, and write down each verdict."""
    model = ScoreModel()

    async def note(hand: Hand) -> None:
        assert hand.reported is not None
        with suppress(LinkEnded):
            verdict = await hand.reported.wait()
            book.verdicts.append(verdict)
            if verdict.verdict in ("scored", "duplicate"):
                book.counts[hand.table.match_id, hand.table.table_id, hand.hand_no] = hand.reported.scores
            on_verdict()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(server.run)
        async for hand in server.hands():
            actions, scores = play_out(model.play(to_play(hand)))
            hand.record(*actions)
            hand.report(scores)
            nursery.start_soon(note, hand)
            await trio.lowlevel.checkpoint()
