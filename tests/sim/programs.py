"""The programs around the coordinator, made of the SDK: table servers that play by the seed, and a platform."""

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, Protocol, TypeVar

import attrs
import trio

from bots.ladder import LadderCrowd, roster
from protocol import messages as m
from protocol.client import Hand, LinkEnded, Lobby, Report, RequestRefused, TableServer
from protocol.session import Session
from tests.sim.agenda import Agenda
from tests.sim.auditor import Auditor
from tests.sim.chance import Chance
from tests.sim.dialling import SimulatedChannel
from tests.sim.recipes import GAME, Recipe

T = TypeVar("T")


class Surroundings(Protocol):
    """What programs need of the world."""

    agenda: Agenda
    auditor: Auditor
    chance: Chance
    recipes: dict[str, Recipe]
    settings: Any

    def dial(self, identity: str, opened: Callable[[SimulatedChannel], None]) -> Any:
        """A dial to the coordinator for this program."""

    def moment(self, name: str) -> None:
        """A named moment; something may be armed to strike there."""

    def note(self, *words: object) -> None:
        """A line of the history."""

    def count(self, branch: str) -> None:
        """An interesting branch was taken."""


@attrs.define(eq=False)
class Told:
    """A hand that a table server has reported, and the report."""

    hand: Hand
    scores: Mapping[str, int]
    report: Report


class Program:
    """A process under one identity: started, killed, started again. ``channel`` is its newest socket."""

    def __init__(self, world: Surroundings, identity: str) -> None:
        self.world = world
        self.identity = identity
        self.life = 0
        self.channel: SimulatedChannel | None = None
        self.session: Session | None = None
        self.down_s = 0.0
        self.finished = False
        self.scope = trio.CancelScope()

    def crash(self, down_s: float) -> None:
        """The process is gone, with its memory; it is started again after so long."""
        self.down_s = down_s
        if self.channel is not None:
            self.channel.link.up.close("reset")
            self.channel.link.down.cut("reset")
        self.life += 1
        self.scope.cancel()

    async def run(self) -> None:
        """Life after life."""
        while not self.finished:
            with trio.CancelScope() as self.scope:
                await self._live(self.life)
            await self.world.agenda.passing(self.down_s)

    async def _live(self, life: int) -> None:
        raise AssertionError("every program lives in its own way")

    def _opened(self, channel: SimulatedChannel) -> None:
        self.channel = channel

    def _dial(self) -> Any:
        return self.world.dial(self.identity, self._opened)

    def _own(self, peer: Any) -> None:
        peer._link._session.whose = self.identity
        self.session = peer._link._session


class TableServerProgram(Program):
    """Plays every hand by the seed: its actions follow from the deal, its scores from the attempt."""

    def __init__(self, world: Surroundings, identity: str, capacity: int) -> None:
        super().__init__(world, identity)
        self.capacity = capacity
        self.server: TableServer | None = None
        self.told: list[Told] = []
        self.lives = 0

    async def _live(self, life: int) -> None:
        self.lives += 1
        chance = self.world.chance.stream(self.identity, self.lives)
        server = self.server = TableServer(
            "", self.identity, games=[GAME], capacity=self.capacity, dial=self._dial(), chance=chance
        )
        self._own(server)
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._take_hands, server, life)
                await server.run()
                nursery.cancel_scope.cancel()
        except* LinkEnded:
            self.world.count("replaced by a newer process")
            self.down_s = 1.0
        if life == self.life:
            self.life += 1

    async def _take_hands(self, server: TableServer, life: int) -> None:
        async for hand in server.hands():
            self._play(server, hand, life)

    def _play(self, server: TableServer, hand: Hand, life: int) -> None:
        world, table = self.world, hand.table
        script = self._script(hand)
        if hand.log:
            world.count("a repeat with a log")
        if hand.attempt_no > 1:
            world.count("a repeated hand")
            world.moment("repeated")
        world.auditor.expect(
            "a_repeat_is_the_same_hand",
            hand.log == script[: len(hand.log)],
            lambda: f"{self.identity}: {hand!r} comes with the log {hand.log}, the deal gives {script}",
        )
        at = (table.match_id, table.table_id, hand.epoch, hand.hand_no, hand.attempt_no)
        luck = world.chance.stream("play", self.identity, self.lives, *at)
        fast, slow = world.settings.think_s
        think_s = luck.uniform(fast, slow)
        if luck.random() < world.settings.silent_share:
            return  # a hand that is never ended: the table falls silent
        rest = script[len(hand.log) :]
        for number, action in enumerate(rest, start=1):
            world.agenda.after(think_s * number / (len(rest) + 1), partial(self._act, hand, life, action))
        scores = self._scores(hand, luck)
        dropped = self._dropped(hand, luck)
        world.agenda.after(think_s, lambda: self._report(server, hand, life, scores, dropped))

    def _script(self, hand: Hand) -> list[int | str]:
        luck = self.world.chance.stream("script", hand.deal)
        return [luck.randrange(52) for _ in range(luck.randint(1, 5))]

    def _act(self, hand: Hand, life: int, action: int | str) -> None:
        if life == self.life and not hand.cancelled and hand.reported is None:
            hand.record(action)

    def _scores(self, hand: Hand, luck: Any) -> dict[str, int]:
        players = hand.table.players
        unit = 1 if "multiple" in hand.table.game_attrs else max(1, hand.base_score)
        if hand.table.stage_id == "ladder":  # partners share what their side wins
            worth = luck.randint(-5, 5) * 10
            return {player: worth if seat % 2 == 0 else -worth for seat, player in enumerate(players)}
        solo, multiple = luck.randrange(len(players)), luck.choice((-3, -2, -1, 0, 1, 2, 3))
        each = [unit * multiple * (len(players) - 1 if seat == solo else -1) for seat in range(len(players))]
        return dict(zip(players, each, strict=True))

    def _dropped(self, hand: Hand, luck: Any) -> list[str]:
        if hand.table.stage_id != "rounds" or luck.random() > 0.1:
            return []
        return [luck.choice(hand.table.players)]

    def _report(self, server: TableServer, hand: Hand, life: int, scores: dict[str, int], dropped: list[str]) -> None:
        if life != self.life or hand.cancelled or hand.reported is not None:
            return
        table = hand.table
        play = (table.match_id, table.table_id, hand.epoch, hand.hand_no, hand.attempt_no)
        self.world.auditor.played(play, self.identity, scores)
        try:
            report = hand.report(scores, dropped)
        except LinkEnded:
            return
        self.told.append(Told(hand, scores, report))
        self.world.note(self.identity, "reports", *play)
        self.world.moment("reported")


class LobbyProgram(Program):
    """The platform's front: its own memory of players and payments outlives it, as a database would."""

    def __init__(self, world: Surroundings, identity: str) -> None:
        super().__init__(world, identity)
        self.lobby: Lobby | None = None
        self.asking = 0
        self.ladders: dict[str, list[str]] = {}
        self._crowds: dict[str, tuple[LadderCrowd, trio.CancelScope]] = {}
        self.begun: dict[str, None] = {}
        self.over: dict[str, None] = {}
        self.bank: dict[tuple[str, int], tuple[str, int]] = {}
        self._came = trio.Event()
        self._nursery: trio.Nursery | None = None
        self._answered: dict[tuple[str, int], None] = {}
        self._parts: dict[str, dict[int, m.MatchOver]] = {}

    async def _live(self, life: int) -> None:
        chance = self.world.chance.stream(self.identity, life)
        lobby = Lobby("", self.identity, dial=self._dial(), chance=chance, director=True)
        self._own(lobby)
        notices, dues = lobby.notices(), lobby.dues()
        self.lobby = lobby
        self._came.set()
        self._came = trio.Event()
        try:
            async with trio.open_nursery() as nursery:
                self._nursery = nursery
                nursery.start_soon(self._listen, notices)
                nursery.start_soon(self._keep_books, dues)
                self._crowds = {}
                for match_id in self.ladders:
                    self._crowd(match_id)
                await lobby.run()
        except* LinkEnded:
            self.world.count("replaced by a newer process")
            self.down_s = 1.0
        if life == self.life:
            self.life += 1

    async def ask(self, request: Callable[[Lobby], Awaitable[T]]) -> T:
        """Ask until there is an answer, through any number of lives. Raises RequestRefused."""
        self.asking += 1
        try:
            while True:
                lobby = self.lobby
                if lobby is None or lobby._ended:
                    await self._came.wait()
                    continue
                try:
                    return await request(lobby)
                except LinkEnded:
                    await trio.lowlevel.checkpoint()
        finally:
            self.asking -= 1

    async def open(self, match_id: str, recipe: Recipe) -> None:
        """Open a match and fill it; the last player starts it."""
        if recipe.teams:
            await self.open_ladder(match_id, recipe)
            return
        await self.ask(lambda lobby: lobby.open_match(match_id, recipe.definition.id, seed=f"seed {match_id}"))
        async with trio.open_nursery() as nursery:
            for number in range(1, recipe.players + 1):
                nursery.start_soon(self.say, "late", match_id, f"{match_id}-p{number}")

    def _crowd(self, match_id: str) -> None:
        """In every life of the lobby the teams of a ladder go on as if nothing had been."""
        if self._nursery is None or self.lobby is None or match_id in self.over:
            return
        crowd = LadderCrowd(self.lobby, match_id, self.ladders[match_id], f"{match_id}/{self.life}")
        scope = trio.CancelScope()
        self._crowds[match_id] = crowd, scope
        self._nursery.start_soon(self._run_crowd, crowd, scope)

    async def _run_crowd(self, crowd: LadderCrowd, scope: trio.CancelScope) -> None:
        with scope:
            try:
                await crowd.run()
            except* LinkEnded:
                self.world.count("a crowd lost its lobby")
            except* RequestRefused:
                self.world.count("a crowd was refused")

    async def open_ladder(self, match_id: str, recipe: Recipe) -> None:
        """Open a ladder, enter its teams in order, and let them play."""
        await self.ask(lambda lobby: lobby.open_match(match_id, recipe.definition.id, seed=f"seed {match_id}"))
        teams = [f"{match_id}-p{number}" for number in range(1, recipe.players + 1)]
        for team in teams:
            self.world.auditor.entered(match_id, team)
            await self.ask(
                lambda lobby, team=team: lobby.register(match_id, team, team.title(), roster=roster(team))  # type: ignore[misc]
            )
        self.ladders[match_id] = teams
        self._crowd(match_id)

    async def register(self, match_id: str, player_id: str) -> None:
        """Enter a player, before the start or late."""
        self.world.auditor.entered(match_id, player_id)
        await self.ask(lambda lobby: lobby.register(match_id, player_id, player_id.title()))

    async def say(self, word: str, match_id: str, player_id: str) -> None:
        """One of the words of a recipe; that it is refused is an answer too."""
        try:
            if word == "late":
                await self.register(match_id, player_id)
            elif word in ("join", "rejoin"):
                self.world.auditor.entered(match_id, player_id)
                await self.ask(lambda lobby: lobby.join(match_id, player_id, player_id.title()))
            elif word == "leave":
                await self.ask(lambda lobby: lobby.leave(match_id, player_id))
            else:
                await self.ask(lambda lobby: lobby.withdraw(match_id, player_id))
                await self._find_another(match_id, player_id)
        except RequestRefused as refused:
            self.world.count(f"{word} refused")
            self.world.note(word, player_id, "refused", refused.code)
        else:
            self.world.count(f"{word} done")

    async def _find_another(self, match_id: str, player_id: str) -> None:
        """A match whose field is short of one would wait for ever: whoever withdrew before its start comes back."""
        if match_id in self.begun or match_id in self.over:
            return
        self.world.count("withdrawn before the start")
        self.world.auditor.entered(match_id, player_id)
        players = roster(player_id) if self.world.recipes[match_id].teams else ()
        await self.ask(lambda lobby: lobby.register(match_id, player_id, player_id.title(), roster=players))

    async def _listen(self, notices: Any) -> None:
        async for notice in notices:
            crowd = self._crowds.get(notice.match_id) if isinstance(notice, m.ChallengeState | m.RightOpened) else None
            if crowd is not None:
                crowd[0].notice(notice)
            match notice:
                case m.MatchStarted():
                    self.begun[notice.match_id] = None
                case m.RevivalOffer():
                    self._offered(notice)
                case m.MatchOver():
                    parts = self._parts.setdefault(notice.match_id, {})
                    parts[notice.part] = notice
                    if len(parts) == notice.parts:
                        self.over[notice.match_id] = None
                        if notice.match_id in self._crowds:
                            self._crowds[notice.match_id][1].cancel()

    async def _keep_books(self, dues: Any) -> None:
        """Awards of whole matches are booked under the place, payouts under their number; then confirmed."""
        async for due in dues:
            match due:
                case m.Award():
                    self._pay(due.match_id, -due.place, due.player_id, sum(due.items.values()))
                case m.CashedOut(payout_no=int() as number):
                    self._pay(due.match_id, number, due.player_id, due.units)
                case m.StageReward():
                    self._pay(due.match_id, due.payout_no, due.player_id, sum(due.items.values()))
            try:
                await self.ask(lambda lobby, due=due: lobby.received(due))  # type: ignore[misc]
            except RequestRefused:
                self.world.count("a confirmation was refused")
                raise

    def _pay(self, match_id: str, number: int, player_id: str, worth: int) -> None:
        if (match_id, number) in self.bank:
            self.world.count("an award told again")
        else:
            self.world.moment("paid")
        self.bank[match_id, number] = player_id, worth

    def final(self, match_id: str) -> list[m.PlaceRow]:
        """The result as this lobby heard it."""
        return [row for _, part in sorted(self._parts.get(match_id, {}).items()) for row in part.places]

    def _offered(self, offer: m.RevivalOffer) -> None:
        key = offer.match_id, offer.offer_no
        if key in self._answered:
            return
        self._answered[key] = None
        luck = self.world.chance.stream("offer", *key)
        choice, delay_s = luck.random(), luck.uniform(0.1, 1.1) * offer.timeout_ms / 1000
        pack = luck.randint(1, len(offer.packs)) if offer.packs else None
        self.world.agenda.after(delay_s, lambda: self._answer_offer(offer, choice, pack))

    def _answer_offer(self, offer: m.RevivalOffer, choice: float, pack: int | None) -> None:
        if self._nursery is None or choice > 0.85:
            return
        try:
            self._nursery.start_soon(self._revive, offer, choice, pack)
        except RuntimeError:  # this life has just ended: the offer lapses
            return

    async def _revive(self, offer: m.RevivalOffer, choice: float, pack: int | None) -> None:
        match_id, player_id = offer.match_id, offer.player_id
        paid = f"{player_id}:{offer.offer_no}"
        try:
            if choice < 0.15:
                await self.ask(lambda lobby: lobby.decline_revival(match_id, player_id, offer.offer_no))
                self.world.count("revival declined")
                return
            for _ in range(2 if choice < 0.4 else 1):
                await self.ask(lambda lobby: lobby.revive(match_id, player_id, offer.offer_no, paid, pack=pack))
            self.world.count("revival done")
        except RequestRefused:
            self.world.count("revival refused")
