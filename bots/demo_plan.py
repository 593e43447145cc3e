"""What a demo was asked for, and what follows from that before anything is started."""

import os
import stat
import tomllib
from collections.abc import Iterator, Sequence
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import attrs

from bots.errors import DemoFailed
from bots.games import GAMES, require_openspiel

MATCH_ID = "demo"
SHIPPED = "cup"
"""The definition that comes with the coordinator."""

ANY_PORT = "127.0.0.1:0"

PLAYERS = 90
"""The size of the field where neither the command line nor the definition says one."""

LATE = 5
"""By the clock one player in so many comes late, and one in so many leaves early."""

LATE_MOST = 2
"""How many players come late to a Dominion Swiss at most, where it lets them."""

MOST_CHARACTERS = 1_000_000
"""Of a definition; what is longer is cut and refused, here or by the daemon."""

REFUSED = 3
"""Exit code for a definition that cannot be played."""


@attrs.frozen
class Definition:
    """As much of a match definition as a demo needs; the daemon reads and judges the whole of it."""

    id: str = SHIPPED
    game: str = "dou_dizhu"
    needs_word: bool = False
    full_count: int | None = None
    moving: bool = False
    by_the_clock: bool = False
    tourney: bool = False
    joins_late: bool = False
    ladder: bool = False

    @property
    def players(self) -> int:
        """How many play when nobody says it: those that start the match, and on top those who come late."""
        count = self.full_count or PLAYERS
        return count * LATE // (LATE - 1) if self.by_the_clock else count

    def late(self, players: int, seed: str) -> int:
        """How many of the players come late; of a Dominion Swiss two are left to begin with, whatever the seed says."""
        if self.by_the_clock:
            return players // LATE
        if self.joins_late:
            return max(0, min(1 + sha256(seed.encode()).digest()[0] % LATE_MOST, players - 2))
        return 0

    @classmethod
    def read(cls, where: str) -> "Definition":
        """Look into the file, or take the shipped one by its name; refuse what is no TOML file."""
        if where == SHIPPED:
            return cls()
        try:
            # Its daemon will read it too, and a pipe says everything once.
            if not stat.S_ISREG(os.stat(where).st_mode):
                raise DemoFailed(f"--definition {where}: it is no file", REFUSED)
            with open(where, encoding="utf-8") as file:
                found: dict[str, Any] = tomllib.loads(file.read(MOST_CHARACTERS))
        except OSError as error:
            raise DemoFailed(f"--definition {where}: {error.strerror}", REFUSED) from error
        except (ValueError, RecursionError) as error:
            raise DemoFailed(f"--definition {where}: not a TOML file: {error}", REFUSED) from error
        if _tables(found.get("start_points")):
            return cls._of_tourney(found, where)
        start = found.get("start")
        full_count = start.get("full_count") if isinstance(start, dict) else None
        return cls(
            id=str(found.get("id", Path(where).stem)),
            game=str(found.get("game", cls().game)),
            needs_word=isinstance(start, dict) and start.get("mode") == "manual",
            full_count=full_count if isinstance(full_count, int) else None,
            moving=any(stage.get("format") == "island" for stage in _stages(found)),
            by_the_clock=any(stage.get("format") == "continuous_swiss" for stage in _stages(found)),
            ladder=any(stage.get("format") == "ladder" for stage in _stages(found)),
            joins_late=any(
                (stage.get("format"), stage.get("join")) == ("swiss_1v1", "any_time") for stage in _stages(found)
            ),
        )

    @classmethod
    def _of_tourney(cls, found: dict[str, Any], where: str) -> "Definition":
        """The players are as many as its first start point asks for; all its matches play one game here."""
        games = [each.get("game") for each in _tables(found.get("definitions"))]
        point = _tables(found.get("start_points"))[0]
        enough = point.get("full_count", point.get("min_players"))
        return cls(
            id=str(found.get("id", Path(where).stem)),
            game=str(games[0]) if games else cls().game,
            full_count=enough if isinstance(enough, int) else None,
            tourney=True,
        )


def _stages(found: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The stages of a definition that may be wrong in any way."""
    for part in (found, *_tables(found.get("phases"))):
        yield from _tables(part.get("stages"))


def _tables(value: object) -> list[dict[str, Any]]:
    return [part for part in value if isinstance(part, dict)] if isinstance(value, list) else []


def example(name: str) -> Path:
    """The file of a shipped definition; refuses a name that none has."""
    spec = find_spec("coordinator")
    folder = Path(spec.origin).with_name("examples") if spec is not None and spec.origin is not None else Path()
    shipped = {file.stem: file for file in sorted(folder.glob("*.toml"))}
    found = shipped.get(name.replace("-", "_"))
    if found is None:
        raise DemoFailed(f"--example {name}: the examples are {', '.join(shipped)}", REFUSED)
    return found


@attrs.frozen
class DemoPlan:
    """The demo's options, checked. ``players`` None is as many as the definition is for."""

    players: int | None
    servers: int
    seed: str
    definition: str = SHIPPED
    think: float = 0.01
    speed: float = 1.0
    json: Path | None = None
    keep: bool = False
    page: bool = True
    chaos: bool = False
    shipped: bool = False
    """Whether ``definition`` is the file of a shipped example, which the daemon knows already."""

    @property
    def think_s(self) -> float:
        """Seconds before every action; a speed of 0 means that nobody thinks."""
        return self.think / self.speed if self.speed else 0.0

    @property
    def capacity(self) -> int:
        """Tables a server may hold: all of them, so that one server is enough when the others were killed."""
        return max(64, (self.players or PLAYERS) // 2)

    def look(self) -> Definition:
        """What the definition says; refuses a game that our table servers do not play here."""
        require_openspiel()
        definition = Definition.read(self.definition)
        if definition.game not in GAMES:
            known = ", ".join(sorted(GAMES))
            where = f"--example {Path(self.definition).stem}" if self.shipped else f"--definition {self.definition}"
            raise DemoFailed(f"{where}: game is {definition.game!r}; the demo's bots play: {known}", REFUSED)
        return definition

    def daemon_arguments(
        self, directory: Path, calendar: Sequence[str] | None = None, *, listen: str = ANY_PORT, http: str = ANY_PORT
    ) -> list[str]:
        """The command line of the daemon, after ``coordinator``; ``calendar`` is what a tourney is rehearsed with.

        A daemon that starts again listens where it did before.
        """
        arguments = ["serve", "--listen", listen, "--http", http]
        arguments += ["--journal", journal_url(directory)]
        if calendar is not None or (self.definition != SHIPPED and not self.shipped):
            arguments += ["--definition", self.definition, *(calendar or ())]
        return [*arguments, "--ready-file", str(directory / "ready.json")]

    def table_server_arguments(self, number: int, listen: str, game: str) -> list[str]:
        """The command line of table server ``number``, after ``bots.table_server``."""
        arguments = ["--url", f"ws://{listen}", "--id", f"ts-{number}", "--games", game]
        return [*arguments, "--capacity", str(self.capacity), "--think", repr(self.think_s)]


def journal_url(directory: Path) -> str:
    """Where the demo's daemon keeps its journal."""
    return f"sqlite:///{directory}/journal.db"
