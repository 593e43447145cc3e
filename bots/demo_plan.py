"""What a demo was asked for, and what follows from that before anything is started."""

import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Any

import attrs

from bots.errors import DemoFailed
from bots.games import GAMES, require_openspiel

MATCH_ID = "demo"
SHIPPED = "cup"
"""The definition that comes with the coordinator."""

PLAYERS = 90
"""The size of the field where neither the command line nor the definition says one."""

LATE = 5
"""One player in so many comes late where players may, and one in so many leaves early."""

REFUSED = 3
"""Exit code for a definition that cannot be played."""


@attrs.frozen
class Definition:
    """As much of a match definition as a demo needs; the daemon reads and judges the whole of it."""

    id: str = SHIPPED
    game: str = "dou_dizhu"
    needs_word: bool = False
    comes_and_goes: bool = False
    full_count: int | None = None

    @property
    def players(self) -> int:
        """How many play when nobody says it: those that start the match, and on top those who come late."""
        count = self.full_count or PLAYERS
        return count * LATE // (LATE - 1) if self.comes_and_goes else count

    @classmethod
    def shipped(cls, name: str) -> "Definition":
        """The example of this name; refuse one that does not exist."""
        examples = Path(str(files("coordinator"))) / "examples"
        file = examples / f"{name.replace('-', '_')}.toml"
        if not file.is_file():
            known = ", ".join(sorted(path.stem for path in examples.glob("*.toml")))
            raise DemoFailed(f"--example {name}: there is no such example; expected one of: {known}", REFUSED)
        return cls.read(str(file))

    @classmethod
    def read(cls, where: str) -> "Definition":
        """Look into the file, or take the shipped one by its name; refuse what is no TOML file."""
        if where == SHIPPED:
            return cls()
        try:
            found: dict[str, Any] = tomllib.loads(Path(where).read_text(encoding="utf-8"))
        except OSError as error:
            raise DemoFailed(f"--definition {where}: {error.strerror}", REFUSED) from error
        except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise DemoFailed(f"--definition {where}: not a TOML file: {error}", REFUSED) from error
        start = found.get("start")
        full = start.get("full_count") if isinstance(start, dict) else None
        return cls(
            id=str(found.get("id", Path(where).stem)),
            game=str(found.get("game", cls().game)),
            needs_word=isinstance(start, dict) and start.get("mode") == "manual",
            comes_and_goes="continuous_swiss" in _formats(found),
            full_count=full if isinstance(full, int) else None,
        )


def _formats(found: dict[str, Any]) -> list[object]:
    """The formats of all stages, as far as they can be read."""
    holders = [found, *(phase for phase in _list(found.get("phases")) if isinstance(phase, dict))]
    stages = [stage for holder in holders for stage in _list(holder.get("stages"))]
    return [stage.get("format") for stage in stages if isinstance(stage, dict)]


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


@attrs.frozen
class DemoPlan:
    """The demo's options, checked. ``players`` None is as many as the definition is for; ``example`` is the name of a
    shipped definition and takes the place of ``definition``."""

    players: int | None
    servers: int
    seed: str
    definition: str = SHIPPED
    example: str | None = None
    think: float = 0.01
    speed: float = 1.0
    json: Path | None = None
    keep: bool = False
    page: bool = True

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
        definition = Definition.read(self.definition) if self.example is None else Definition.shipped(self.example)
        if definition.game not in GAMES:
            known = ", ".join(sorted(GAMES))
            where = f"--definition {self.definition}" if self.example is None else f"--example {self.example}"
            raise DemoFailed(
                f"{where}: game is {definition.game!r}; the demo's bots play: {known}",
                REFUSED,
            )
        return definition

    def daemon_arguments(self, directory: Path) -> list[str]:
        """The command line of the daemon, after ``coordinator``."""
        arguments = ["serve", "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0"]
        arguments += ["--journal", journal_url(directory)]
        if self.definition != SHIPPED and self.example is None:
            arguments += ["--definition", self.definition]
        return [*arguments, "--ready-file", str(directory / "ready.json")]

    def table_server_arguments(self, number: int, listen: str, game: str) -> list[str]:
        """The command line of table server ``number``, after ``bots.table_server``."""
        arguments = ["--url", f"ws://{listen}", "--id", f"ts-{number}", "--games", game]
        return [*arguments, "--capacity", str(self.capacity), "--think", repr(self.think_s)]


def journal_url(directory: Path) -> str:
    """Where the demo's daemon keeps its journal."""
    return f"sqlite:///{directory}/journal.db"
