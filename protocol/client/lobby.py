"""The lobby's end of the wire: matches are opened, players entered, and told what becomes of them."""

import random
import ssl
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Literal

from protocol.client.channel import Dial
from protocol.client.director import DirectorWords
from protocol.client.feed import Feed, T
from protocol.client.ladder import LadderRequests
from protocol.client.peer import REQUESTS_OPEN_MAX, Pending
from protocol.messages import (
    Award,
    CashedOut,
    DeclineRevival,
    Eliminated,
    Enter,
    Entered,
    EntryRemoved,
    EntryTaken,
    InstanceCancelled,
    InstanceOpen,
    InstanceOver,
    InstanceRow,
    Instances,
    Join,
    LadderNotice,
    Leave,
    ListInstances,
    MatchOpened,
    MatchOver,
    MatchPaused,
    MatchResumed,
    MatchStarted,
    Message,
    OpenMatch,
    Received,
    Refund,
    Register,
    RevivalOffer,
    Revive,
    Role,
    Ruled,
    Seated,
    StageReward,
    StartMatch,
    Waiting,
    Withdraw,
    WithdrawEntry,
)

Due = Award | Refund | StageReward | CashedOut
"""What a player is owed, to be booked under its key and then confirmed with :meth:`Lobby.received`."""
TourneyNotice = MatchOpened | Entered | InstanceOpen | InstanceCancelled | EntryRemoved | InstanceOver | Award | Refund
"""What becomes of the starts of a tourney, and what its players are owed."""
Notice = (
    MatchStarted
    | Seated
    | Waiting
    | Eliminated
    | MatchOver
    | RevivalOffer
    | CashedOut
    | StageReward
    | MatchPaused
    | MatchResumed
    | Ruled
    | LadderNotice
)
"""What becomes of the players of one match; all of these name it."""


class Lobby(LadderRequests, DirectorWords):
    """A platform's front. Run :meth:`run` in a task; requests may be made before the first welcome.

    Every request can be made again in the same words without harm, and is, when a session is lost before the
    answer. Each raises :class:`RequestRefused` when the coordinator says no, LinkEnded when :meth:`run` ended
    first. ``director``: this platform's staff rule on matches as well, so that it asks for both roles.
    """

    def __init__(
        self,
        url: str,
        identity: str,
        *,
        token: str | None = None,
        tls: ssl.SSLContext | None = None,
        software: str = "",
        dial: Dial | None = None,
        chance: random.Random | None = None,
        director: bool = False,
    ) -> None:
        roles: list[Role] = ["lobby", "director"] if director else ["lobby"]
        super().__init__(url, identity, roles=roles, token=token, tls=tls, software=software, dial=dial, chance=chance)
        self._feeds: list[Feed[Notice]] = []
        self._tourney_feeds: list[Feed[TourneyNotice]] = []
        self._due_feeds: list[Feed[Due]] = []

    async def open_match(
        self, match_id: str, definition: str, *, seed: str | None = None, full_count: int | None = None
    ) -> MatchOpened:
        """Open a match of a definition the daemon has loaded."""
        answer = await self._answer(
            lambda ref: OpenMatch(match_id, definition, ref=ref, seed=seed, full_count=full_count)
        )
        assert isinstance(answer, MatchOpened)
        return answer

    async def register(self, match_id: str, player_id: str, name: str, *, roster: Sequence[str] = ()) -> Entered:
        """Enter a player; the answer has the registration number. Late, where the format lets players join.

        ``roster``: the players of a team that enters a ladder.
        """
        return _entered(await self._answer(_registration(match_id, player_id, name, roster)))

    async def register_many(self, match_id: str, players: Iterable[tuple[str, str]]) -> list[Entered]:
        """Enter players, given as id and name, in this order; many are on the way at a time.

        Raises RequestRefused for the first one refused; of those after it some may be in.
        """
        entered: list[Entered] = []
        open_: deque[Pending] = deque()
        for player_id, name in players:
            if len(open_) == REQUESTS_OPEN_MAX:
                entered.append(_entered(await open_.popleft().wait()))
            open_.append(self._ask(_registration(match_id, player_id, name)))
        return entered + [_entered(await pending.wait()) for pending in open_]

    async def withdraw(self, match_id: str, player_id: str) -> None:
        """Take a player out; of a match that runs for good, where the format lets players leave."""
        await self._answer(lambda ref: Withdraw(match_id, player_id, ref=ref))

    async def start_match(self, match_id: str) -> None:
        """Start a match whose definition waits for a word."""
        await self._answer(lambda ref: StartMatch(match_id, ref=ref))

    async def join(self, match_id: str, player_id: str, name: str, *, key: str = "") -> Entered:
        """Let a player into a running match, for the first time or again; one who rests goes on.

        ``key`` names the request, so that a program that makes it again after a crash of its own has it count once.
        """
        named = key or self._new_key()
        return _entered(await self._answer(lambda ref: Join(match_id, player_id, name, ref, named)))

    async def leave(self, match_id: str, player_id: str, *, key: str = "") -> None:
        """Take a player out of a running match; from a hand when it has ended. ``key`` as of :meth:`join`."""
        named = key or self._new_key()
        await self._answer(lambda ref: Leave(match_id, player_id, ref, named))

    async def revive(
        self, match_id: str, player_id: str, offer_no: int, payment_ref: str, *, pack: int | None = None
    ) -> None:
        """Bring a player back whose fee was charged; ``payment_ref`` makes it happen once.

        Raises RequestRefused ``no_offer`` when the offer had timed out: the fee is to be given back.
        """
        await self._answer(lambda ref: Revive(match_id, player_id, offer_no, payment_ref, ref=ref, pack=pack))

    async def decline_revival(
        self, match_id: str, player_id: str, offer_no: int, *, reason: Literal["declined", "balance"] = "declined"
    ) -> None:
        """Let an offer of revival go."""
        await self._answer(lambda ref: DeclineRevival(match_id, player_id, offer_no, ref=ref, reason=reason))

    async def enter(
        self, at: str, player_id: str, name: str, *, payment_ref: str | None = None, rating: int | None = None
    ) -> EntryTaken:
        """Register a player for a start of a tourney: an instance, or the next one of a start point.

        ``payment_ref`` names the fee that was charged and makes the request happen once. Raises RequestRefused when
        the player is not taken: the fee is to be given back.
        """
        answer = await self._answer(
            lambda ref: Enter(at, player_id, name, ref=ref, payment_ref=payment_ref, rating=rating)
        )
        assert isinstance(answer, EntryTaken)
        return answer

    async def withdraw_entry(self, instance_id: str, player_id: str) -> None:
        """Take a player out before the start; a fee comes back as a refund."""
        await self._answer(lambda ref: WithdrawEntry(instance_id, player_id, ref=ref))

    async def instances(self, tourney_id: str | None = None) -> list[InstanceRow]:
        """What can be entered and what runs."""
        answer = await self._answer(lambda ref: ListInstances(ref=ref, tourney_id=tourney_id))
        assert isinstance(answer, Instances)
        return answer.rows

    async def received(self, due: Due) -> None:
        """Confirm what is owed once it is paid out and kept; until then it is told again.

        A key that was paid before, by this process or an earlier one, is confirmed and not paid again. Raises
        ValueError for what has no key: it is known by its number alone.
        """
        key = due.key
        if key is None:
            raise ValueError("this has no key: it is told without being confirmed")
        await self._answer(lambda ref: Received(key, ref=ref))

    def dues(self) -> Feed[Due]:
        """What players are owed by matches and tourneys, from now on: call it before :meth:`run`.

        Those of tourneys are among the :meth:`tourney_notices` too, and what an island pays among the :meth:`notices`.
        Each call makes a feed of its own, which keeps
        everything until it is read.
        """
        return self._added(self._due_feeds)

    def tourney_notices(self) -> Feed[TourneyNotice]:
        """What becomes of the tourneys and what their players are owed, from now on: call it before :meth:`run`.

        Each call makes a feed of its own, which keeps everything until it is read.
        """
        return self._added(self._tourney_feeds)

    def notices(self) -> Feed[Notice]:
        """What becomes of the matches, from now on: call it before :meth:`open_match` to miss nothing.

        Each call makes a feed of its own, which keeps everything until it is read.
        """
        return self._added(self._feeds)

    def _added(self, feeds: list[Feed[T]]) -> Feed[T]:
        feed: Feed[T] = Feed()
        if self._ended:
            feed.end()
        feeds.append(feed)
        return feed

    def _on_notice(self, message: Message) -> None:
        if isinstance(message, Notice):
            for feed in self._feeds:
                feed.put(message)
        elif isinstance(message, TourneyNotice):
            for tourney_feed in self._tourney_feeds:
                tourney_feed.put(message)
        if isinstance(message, Due) and message.key is not None:
            for due_feed in self._due_feeds:
                due_feed.put(message)

    def _on_end(self) -> None:
        for feed in self._feeds:
            feed.end()
        for tourney_feed in self._tourney_feeds:
            tourney_feed.end()
        for due_feed in self._due_feeds:
            due_feed.end()


def _registration(match_id: str, player_id: str, name: str, roster: Sequence[str] = ()) -> Callable[[int], Message]:
    return lambda ref: Register(match_id, player_id, name, ref=ref, roster=list(roster))


def _entered(answer: Message) -> Entered:
    assert isinstance(answer, Entered)
    return answer
