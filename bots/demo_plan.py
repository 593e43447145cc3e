"""What a demo was asked for, and what follows from that before anything is started."""

import tomllib
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

USUAL_PLAYERS = 90
"""The field of the shipped cup, and of a definition that does not say its own."""

LATE_MOST = 2
"""How many players come late at most, where a definition lets them."""

REFUSED = 3
"""Exit code for a definition that cannot be played."""


@attrs.frozen
class Definition:
    """As much of a match definition as a demo needs; the daemon reads and judges the whole of it."""

    id: str = SHIPPED
    game: str = "dou_dizhu"
    needs_word: bool = False
    full_count: int | None = None
    joins_late: bool = False

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
        full_count = start.get("full_count") if isinstance(start, dict) else None
        return cls(
            id=str(found.get("id", Path(where).stem)),
            game=str(found.get("game", cls().game)),
            needs_word=isinstance(start, dict) and start.get("mode") == "manual",
            full_count=full_count if isinstance(full_count, int) else None,
            joins_late=_joins_late(found),
        )


def _joins_late(found: dict[str, Any]) -> bool:
    """Whether players may come late to a Dominion Swiss (R-DM-11)."""
    try:
        first = (found.get("stages") or found["phases"][0]["stages"])[0]
        return bool(first["format"] == "swiss_1v1" and first["join"] == "any_time")
    except (KeyError, IndexError, TypeError):  # the daemon says what is wrong with it
        return False


def shipped_example(name: str) -> str:
    """The file of a definition that comes with the coordinator, by its name."""
    found = find_spec("coordinator")
    folder = Path(found.origin or "").parent / "examples" if found is not None else Path("examples")
    files = {file.stem: file for file in sorted(folder.glob("*.toml"))}
    file = files.get(name.replace("-", "_"))
    if file is None:
        raise DemoFailed(f"--example {name}: there is none of that name; expected one of: {', '.join(files)}", REFUSED)
    return str(file)


def usual_players(definition: str) -> int:
    """The field of a definition: as many as fill it. One that cannot be read is refused by :meth:`DemoPlan.look`."""
    try:
        return Definition.read(definition).full_count or USUAL_PLAYERS
    except DemoFailed:
        return USUAL_PLAYERS


@attrs.frozen
class DemoPlan:
    """The demo's options, checked."""

    players: int
    servers: int
    seed: str
    definition: str = SHIPPED
    think: float = 0.01
    speed: float = 1.0
    json: Path | None = None
    keep: bool = False
    page: bool = True

    def late(self, definition: Definition) -> int:
        """How many come late; the seed says so. Two are left to begin with, whatever it says."""
        if not definition.joins_late:
            return 0
        return max(0, min(1 + sha256(self.seed.encode()).digest()[0] % LATE_MOST, self.players - 2))

    @property
    def think_s(self) -> float:
        """Seconds before every action; a speed of 0 means that nobody thinks."""
        return self.think / self.speed if self.speed else 0.0

    @property
    def capacity(self) -> int:
        """Tables a server may hold: all of them, so that one server is enough when the others were killed."""
        return max(64, self.players // 2)

    def look(self) -> Definition:
        """What the definition says; refuses a game that our table servers do not play here."""
        require_openspiel()
        definition = Definition.read(self.definition)
        if definition.game not in GAMES:
            known = ", ".join(sorted(GAMES))
            raise DemoFailed(
                f"--definition {self.definition}: game is {definition.game!r}; the demo's bots play: {known}",
                REFUSED,
            )
        return definition

    def daemon_arguments(self, directory: Path) -> list[str]:
        """The command line of the daemon, after ``coordinator``."""
        arguments = ["serve", "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0"]
        arguments += ["--journal", journal_url(directory)]
        if self.definition != SHIPPED:
            arguments += ["--definition", self.definition]
        return [*arguments, "--ready-file", str(directory / "ready.json")]

    def table_server_arguments(self, number: int, listen: str, game: str) -> list[str]:
        """The command line of table server ``number``, after ``bots.table_server``."""
        arguments = ["--url", f"ws://{listen}", "--id", f"ts-{number}", "--games", game]
        return [*arguments, "--capacity", str(self.capacity), "--think", repr(self.think_s)]


def journal_url(directory: Path) -> str:
    """Where the demo's daemon keeps its journal."""
    return f"sqlite:///{directory}/journal.db"
