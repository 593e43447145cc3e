"""Programs that say well-formed words at every wrong moment: any message, from anybody, about anything there is.

A liar looks at the state of a match to be believed: most of what it names exists, and now and then something does not.
"""

from collections.abc import Callable
from random import Random
from typing import Any, Final, Literal, get_args, get_origin

import attrs

from coordinator.engine.ladder.asking import targets
from coordinator.shell.desk import Desk
from coordinator.shell.peers import Peer
from protocol import messages as m
from protocol.codec import Direction, decode_message, encode_message
from protocol.errors import WireError
from protocol.messages import ToCoordinator
from tests.shell.premises import Premises

PLAYERS: Final = tuple(f"p{number}" for number in range(1, 71))
NOT_SAID: Final = (m.Hello, m.Proof, m.Bye, m.OpenMatch)
"""What is not for a desk; matches are opened when there are too few."""
OFTEN: Final = {m.HandEnded: 40, m.Ready: 6, m.LineUp: 6, m.AcceptTime: 6, m.IssueChallenge: 6, m.Enter: 4}
RARELY: Final = (m.Ruling, m.StartMatch, m.Withdraw, m.Leave, m.CancelChallenge, m.ReportResult)
"""Each of these ends something, so that little would ever begin if they came often."""

OPEN: Final = ("issued", "countered", "fixed", "playing", "played", "reported")
"""States of a challenge in which there is something to say."""


class Silent:
    """Stands in for a socket on which everything arrives."""

    waiting_bytes, closed, conn_id, peer = 0, False, -1, "nowhere:0"

    def send(self, payload: bytes) -> None:
        pass

    def replace(self, slot: str, frame: bytes) -> None:
        pass

    def close(self, code: int, reason: str = "") -> None:
        pass


class Liars:
    """Two table servers, a lobby, and one that is everything, in one house. ``heard`` counts answers by their word."""

    def __init__(self, house: Premises, seed: int, definition: str) -> None:
        self.random = Random(seed)
        self.heard: dict[str, int] = {}
        self._house = house
        self._definition = definition
        self._ref = 0
        games = tuple({each.game: None for each in house.office.definitions.values()})
        roles: dict[str, tuple[m.Role, ...]] = {
            "one": ("table",),
            "other": ("table",),
            "lobby": ("lobby",),
            "all": ("table", "lobby", "spectator", "director"),
        }
        self._peers = {
            name: Peer(name, held, "life", "", games, 8 if "table" in held else 0, 0.0) for name, held in roles.items()
        }
        for peer in self._peers.values():
            peer.conn = Silent()  # type: ignore[assignment]
            house.office.peers.add(peer)
        house.office.room_somewhere()
        house.office.peers.send_encoded = self._hear  # type: ignore[method-assign]

    def _hear(self, peer: Peer, encoded: bytes) -> None:
        """Whatever the coordinator says, its peers must be able to read."""
        message = decode_message(encoded, Direction.FROM_COORDINATOR)
        word = getattr(message, "verdict", None) or getattr(message, "code", None) or type(message).__name__
        self.heard[word] = self.heard.get(word, 0) + 1

    def speak(self) -> None:
        """Say one thing."""
        self._ref += 1
        desks = [desk for desk in self._house.office.desks.values() if desk.state.status != "over"]
        if not desks or (len(desks) < 3 and self.random.random() < 0.2):
            least = self._house.office.definitions[self._definition].start.min_players
            full = max(least, 6) + self.random.randrange(8)
            self._say(m.OpenMatch(f"m{self._ref}", self._definition, self._ref, str(self._ref), full), "lobby")
            return
        desk = self.random.choice(desks)
        kinds = [kind for kind in get_args(ToCoordinator) if kind not in NOT_SAID]
        if not desk.state.tables:
            kinds.remove(m.HandEnded)
        [kind] = self.random.choices(kinds, [OFTEN.get(kind, 1) for kind in kinds])
        if desk.state.status == "registering" and self.random.random() < 0.9:
            kind = m.Register
        if kind in RARELY and self.random.random() < 0.9:
            return
        told = _Told(self.random, desk, self._house, self._ref)
        fields = [field for field in attrs.fields(kind) if field.name != "type"]
        try:
            message = kind(**{field.name: told.value(field.name, field.type) for field in fields})
        except LookupError:
            return  # there is nothing yet that it could be about
        who = self.random.choice(list(self._peers))
        if self.random.random() < 0.95:
            role, _ = self._house.door._requests._read[kind]
            owner = told.table.server_id if told.table is not None else None
            who = (owner if role == "table" else None) or ("lobby" if role == "lobby" else "all")
        self._say(message, who)

    def _say(self, message: Any, who: str) -> None:
        try:
            read = decode_message(encode_message(message), Direction.TO_COORDINATOR)
            self._house.door._requests.read(self._peers[who], read)
        except WireError as error:
            self.heard[error.code] = self.heard.get(error.code, 0) + 1


class _Told:
    """What one message says, field by field, about one match."""

    def __init__(self, random: Random, desk: Desk, house: Premises, ref: int) -> None:
        self.random = random
        self.house = house
        self.desk = desk
        self.ref = ref
        state = self.state = desk.state
        tables = list(state.tables.values())
        self.table = random.choice(tables) if tables else None
        ladder = state.ladder
        challenges = [each for each in ladder.challenges.values() if each.state in OPEN] if ladder is not None else []
        self.challenge = random.choice(challenges) if challenges and random.random() < 0.7 else None
        known = list(state.entrants) or list(PLAYERS)
        self.team = random.choice([self.challenge.challenger, self.challenge.defender] if self.challenge else known)

    def value(self, name: str, annotation: Any) -> Any:
        """A value for a field."""
        words = _literals(annotation)
        if words:
            return self.random.choice(words)
        return getattr(self, f"_{name}", self._number)()

    def _number(self) -> int:
        return self.random.choice((1, 1, 1, 2, 2, 3, 4, 7, 2**53 - 1))

    def _mostly(self, right: Any, wrong: Callable[[], Any]) -> Any:
        return right if self.random.random() < 0.95 else wrong()

    def _of_table(self, name: str) -> Any:
        if self.table is None:
            raise LookupError
        return self._mostly(getattr(self.table, name), self._number)

    def _match_id(self) -> str:
        return str(self._mostly(self.desk.match_id, lambda: "nowhere"))

    def _table_id(self) -> Any:
        return self._of_table("table_id")

    def _epoch(self) -> Any:
        return self._of_table("epoch")

    def _hand_no(self) -> Any:
        return self._of_table("hand_no")

    def _attempt_no(self) -> Any:
        return self._of_table("attempt_no")

    def _first(self) -> int:
        return len(self.table.log) if self.table is not None else 0

    def _scores(self) -> dict[str, int]:
        seats = self.table.seats if self.table is not None else PLAYERS[:3]
        scores = [self.random.randrange(-200, 200) for _ in seats]
        if self.random.random() < 0.03:
            scores[0] = 2**53 - 1
        scores[-1] = self._mostly(-sum(scores[:-1]), self._number)
        if len(seats) == 4 and self.random.random() < 0.5:
            scores = [scores[0], -scores[0]] * 2
        return dict(zip(self._mostly(seats, lambda: self.random.sample(PLAYERS, len(seats))), scores, strict=True))

    def _dropped(self) -> list[str]:
        seats = self.table.seats if self.table is not None else ()
        return self.random.sample(seats, len(seats) // 2) if self.random.random() < 0.1 else []

    def _actions(self) -> list[Any]:
        return [self.random.choice((1, "x", "é" * 64)) for _ in range(self.random.choice((0, 1, 5, 4096)))]

    def _ref(self) -> int:
        return self.ref

    def _player_id(self) -> str:
        return self.random.choice([*self.state.entrants, *PLAYERS])

    def _name(self) -> str:
        return self.random.choice(("Ada", "é" * 64))

    def _roster(self) -> list[str]:
        ladder = self.state.rules.stages[0].format == "ladder"
        return [f"{self.ref}r{number}" for number in range(6)] if ladder else []

    def _reason(self) -> str:
        return self.random.choice(("seat_gone", "\x1b[31m\n"))

    def _present(self) -> bool:
        return self.random.random() < 0.5

    _drain = _present

    def _capacity(self) -> int:
        return self.random.choice((0, 8, 8, 8))

    def _payment_ref(self) -> str:
        return f"pay-{self._mostly(self.ref, lambda: 1)}"

    def _pack(self) -> int | None:
        return self.random.choice((None, None, 1, 2))

    def _at(self) -> str:
        return self.random.choice(["daily_cup", *self._instances()])

    def _instance_id(self) -> str:
        return self.random.choice(self._instances())

    def _instances(self) -> list[str]:
        return [each for desk in self.house.office.tourneys.desks.values() for each in desk.state.instances]

    def _key(self) -> str:
        return self.random.choice(
            [key for desk in self.house.office.tourneys.desks.values() for key in desk.state.dues] or ["none"]
        )

    def _tourney_id(self) -> None:
        return None

    def _text(self) -> str:
        return "a revoke"

    def _team(self) -> str:
        return self.team

    _winner = _team

    def _failed(self) -> str | None:
        return self.team if self.random.random() < 0.1 else None

    def _defender(self) -> str:
        if self.state.ladder is None or self.team not in self.state.ladder.ranks:
            raise LookupError
        return self.random.choice([*targets(self.state, self.team, self.desk.now_ms()), self.team])

    def _slots(self) -> list[m.ProposedTime]:
        times = self.random.sample(range(0, 12_000, 250), self._mostly(4, lambda: 2))
        return [m.ProposedTime(self.desk.now_ms() + each, self.random.random() < 0.5) for each in sorted(times)]

    def _challenge_no(self) -> int:
        ladder = self.state.ladder
        if ladder is None or self.challenge is None:
            raise LookupError
        return next(number for number, each in ladder.challenges.items() if each is self.challenge)

    def _players(self) -> list[str]:
        return list(self.state.rosters.get(self.team, PLAYERS))[: self._mostly(4, lambda: 3)]

    def _leaving(self) -> list[str]:
        return list(self.state.rosters.get(self.team, PLAYERS))[:1]

    def _coming(self) -> list[str]:
        return [f"new{self.ref}"]

    def _imps(self) -> dict[str, int]:
        sides = (self.challenge.challenger, self.challenge.defender) if self.challenge is not None else PLAYERS[:2]
        return {side: self.random.randrange(60) for side in sides}

    def _boards(self) -> list[int]:
        return [self._number() % 16 + 1]


def _literals(annotation: Any) -> list[Any]:
    if get_origin(annotation) is Literal:
        return list(get_args(annotation))
    return [word for part in get_args(annotation) for word in _literals(part)]
