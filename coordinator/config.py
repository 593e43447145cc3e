"""The daemon's settings: one table of classes, and where each value came from.

A flag wins over the environment, the environment over the file, the file over the default. Every setting
has an environment name by one rule: ``COORDINATOR_`` and its path in capitals with underscores. A setting
that may hold a secret can also be read from the file named by the same variable with ``_FILE`` behind it.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from decimal import Decimal, InvalidOperation
from difflib import get_close_matches
from ipaddress import ip_address
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal, get_args, get_origin

import attrs

from coordinator.errors import CoordinatorError
from coordinator.files.lines import KeyPath, path_text
from coordinator.files.problem import Problem, did_you_mean
from coordinator.files.source import MOST_BYTES, Source, read, read_text
from coordinator.files.strict import WrongValue, converter, decimal, faults, shown, text, whole

PREFIX: Final = "COORDINATOR_"
FILE_VARIABLE: Final = "COORDINATOR_CONFIG"
"""Names the settings file when no flag does."""
DEFAULT_FILE: Final = Path("coordinator.toml")
"""Read when it exists and nothing names another."""

REMOVED: Final[Mapping[str, str]] = MappingProxyType({})
"""Settings that went away, by path, each with a sentence that says what took their place."""

_HOST: Final = re.compile(r"\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+")
_JOURNALS: Final = ("sqlite", "postgresql")


@attrs.frozen
class Address:
    """Where to listen. Port 0 lets the system choose one."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach it."""
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"


@attrs.frozen
class _About:
    """What the manual, ``config init`` and ``config show`` say about a setting.

    ``read`` turns what a file says into the value; ``flag`` is the option of ``serve`` that sets it; a
    value with ``hide`` is passed through it before anybody sees it.
    """

    help: str
    read: Callable[[Any], object] | None = None
    flag: str = ""
    hide: Callable[[str], str] | None = None


def _about(
    about: str,
    read: Callable[[Any], object] | None = None,
    *,
    flag: str = "",
    hide: Callable[[str], str] | None = None,
) -> dict[str, _About]:
    return {"about": _About(about, read, flag, hide)}


def _within(least: int, most: int) -> Callable[[object], int]:
    def reader(value: object) -> int:
        number = whole(value)
        if not least <= number <= most:
            raise WrongValue(f"got {number}", f"a whole number from {least} to {most}")
        return number

    return reader


def _seconds(most: int) -> Callable[[object], float]:
    def reader(value: object) -> float:
        number = decimal(value)
        if not 0 <= number <= most:
            raise WrongValue(f"got {number:g}", f"seconds from 0 to {most}")
        return number

    return reader


def _instant(value: object) -> str:
    """A moment with its offset from UTC; empty is none."""
    moment = text(value)
    expected = "an instant, for instance 2026-03-28T18:00:00Z"
    try:
        if moment and datetime.fromisoformat(moment).tzinfo is None:
            raise WrongValue(f"got {shown(moment)}", expected, f"{moment}Z is that moment in UTC")
    except ValueError as error:
        if isinstance(error, WrongValue):
            raise
        raise WrongValue(f"got {shown(moment)}", expected) from None
    return moment


def _speed(value: object) -> float:
    number = decimal(value)
    if not 0.001 <= number <= 1_000_000:
        raise WrongValue(f"got {number:g}", "a number from 0.001 to 1000000")
    return number


def _share(value: object) -> float:
    number = decimal(value)
    if not 0 < number <= 1:
        raise WrongValue(f"got {number:g}", "a share above 0 and at most 1")
    return number


def address(value: object) -> Address:
    """``host:port``, an IPv6 host in brackets."""
    host, colon, port = text(value).rpartition(":")
    expected = "host:port, for instance 127.0.0.1:7420"
    if not colon or not port.isdecimal() or not port.isascii() or len(port) > 5 or int(port) > 65535:
        raise WrongValue(f"got {shown(value)}", expected, "a port is a number from 0 to 65535")
    if not _HOST.fullmatch(host):
        every = f"0.0.0.0:{port} listens on every address" if not host else ""
        raise WrongValue(f"got {shown(value)}", expected, every)
    return Address(host.strip("[]"), int(port))


def journal_url(value: object) -> str:
    """A URL of a kind of journal we know."""
    url = text(value)
    scheme, separator, _ = url.partition("://")
    if not separator or scheme.partition("+")[0] not in _JOURNALS:
        mend = f"sqlite:///{url} is a file" if "://" not in url and url else ""
        expected = "sqlite:///FILE or postgresql://HOST/NAME"
        raise WrongValue(f"got {shown(without_password(url))}", expected, mend)
    return url


def without_password(url: str) -> str:
    """A URL as it may be shown."""
    return re.sub(r"(://[^:/@\s]*):[^@\s]*@", r"\1:***@", url)


def _paths(value: object) -> tuple[Path, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) and item for item in value):
        raise WrongValue(f"got {shown(value)}", "a list of files or directories")
    return tuple(map(Path, value))


def _file(value: object) -> str:
    """The name of a file, or nothing."""
    return "" if value == "" else text(value)


_FILES: Final = frozenset({"credentials", "tls.certificate", "tls.key", "tls.client_ca"})
"""Settings that name a file; in a settings file, relative to it."""


@attrs.frozen
class Limits:
    """What one daemon and one peer may use."""

    sessions: int = attrs.field(
        default=10_000,
        metadata=_about("Sessions at once; a peer beyond them is asked to come back later.", _within(1, 1_000_000)),
    )
    matches: int = attrs.field(
        default=10_000,
        metadata=_about(
            "Matches that are not finished, at once; lobbies open no more, and tourneys no more than twice as many.",
            _within(1, 1_000_000),
        ),
    )
    matches_kept: int = attrs.field(
        default=100,
        metadata=_about("Finished matches that stay in memory; the others are in the journal.", _within(1, 1_000_000)),
    )
    max_message: int = attrs.field(
        default=65_536,
        metadata=_about("Largest message from an authenticated peer, in bytes.", _within(1_024, 16_777_216)),
    )
    max_hello: int = attrs.field(
        default=1_024,
        metadata=_about("Largest message from a peer that has not said who it is, in bytes.", _within(256, 65_536)),
    )
    depth: int = attrs.field(
        default=8,
        metadata=_about("Levels of arrays and maps in a message, its frame included.", _within(5, 64)),
    )
    list_length: int = attrs.field(
        default=4_096,
        metadata=_about("Most items in a list or a map of a message.", _within(64, 4_096)),
    )
    name_length: int = attrs.field(
        default=64,
        metadata=_about("Longest name of a player, in characters.", _within(1, 64)),
    )
    frames_per_s: int = attrs.field(
        default=2_000,
        metadata=_about("Frames a second from one peer; twice as many in a burst.", _within(1, 1_000_000)),
    )
    messages_per_s: int = attrs.field(
        default=20_000,
        metadata=_about("Messages a second in these frames; twice as many in a burst.", _within(1, 10_000_000)),
    )
    bytes_per_s: int = attrs.field(
        default=8_388_608,
        metadata=_about("Bytes a second in these frames; twice as many in a burst.", _within(65_536, 2**40)),
    )
    pings_per_s: int = attrs.field(
        default=20,
        metadata=_about("Pings a second from one peer; twice as many in a burst.", _within(1, 100_000)),
    )
    bad_messages_per_minute: int = attrs.field(
        default=120,
        metadata=_about("Messages a minute that cannot be read or are not allowed.", _within(1, 1_000_000)),
    )
    trespasses_per_minute: int = attrs.field(
        default=2,
        metadata=_about("Reports a minute about tables of another server.", _within(1, 1_000_000)),
    )
    lives_per_minute: int = attrs.field(
        default=6,
        metadata=_about("Times a minute that an identity may be taken over by another process.", _within(1, 1_000_000)),
    )
    hellos_per_minute: int = attrs.field(
        default=240,
        metadata=_about("Times a minute that an identity may say hello.", _within(1, 1_000_000)),
    )
    unacknowledged: int = attrs.field(
        default=1_024,
        metadata=_about("Frames of one peer that may wait for the disk.", _within(16, 1_000_000)),
    )
    session_bytes: int = attrs.field(
        default=67_108_864,
        metadata=_about("Most memory kept for what a peer has not acknowledged, in bytes.", _within(262_144, 2**40)),
    )
    handshakes: int = attrs.field(
        default=4096,
        metadata=_about("Sockets at once that have not said who they are.", _within(1, 1_000_000)),
    )
    handshakes_per_address: int = attrs.field(
        default=2560,  # after a cut network all sessions of a house may come back in one moment
        metadata=_about("The same from one address.", _within(1, 1_000_000)),
    )
    handshake_s: float = attrs.field(
        default=5.0,
        metadata=_about("Time for the opening of a socket, and again for the hello, in seconds.", _seconds(600)),
    )
    http_connections: int = attrs.field(
        default=2560,
        metadata=_about(
            "Connections at once to the HTTP port; beyond them only health is answered.", _within(1, 1_000_000)
        ),
    )
    http_share: float = attrs.field(
        default=0.4,
        metadata=_about("Share of the daemon's time that pages, API and live pictures may take.", _share),
    )
    outbox_bytes: int = attrs.field(
        default=262_144,
        metadata=_about(
            "Bytes that may wait for a peer that reads slowly; above it the peer is cut.", _within(4_096, 2**30)
        ),
    )


@attrs.frozen
class Tls:
    """Certificates for both ports. Without one, both speak in clear."""

    certificate: str = attrs.field(
        default="",
        metadata=_about("The certificate of both ports, with its chain, in PEM; empty: no TLS.", _file),
    )
    key: str = attrs.field(
        default="",
        metadata=_about("The key of the certificate, in PEM; empty: it is in the same file.", _file),
    )
    client_ca: str = attrs.field(
        default="",
        metadata=_about(
            "Clients must show a certificate signed by one of these, in PEM; empty: they need none.", _file
        ),
    )


@attrs.frozen
class Settings:
    """Everything an operator can set."""

    listen: Address = attrs.field(
        default=Address("127.0.0.1", 7420),
        metadata=_about("Where table servers, lobbies and spectators connect, as host:port.", address, flag="--listen"),
    )
    http: Address = attrs.field(
        default=Address("127.0.0.1", 7421),
        metadata=_about("Where the page, the API and metrics are served.", address, flag="--http"),
    )
    journal: str = attrs.field(
        default="sqlite:///coordinator.db",
        metadata=_about("Where the journal is kept, as a URL.", journal_url, flag="--journal", hide=without_password),
    )
    definitions: tuple[Path, ...] = attrs.field(
        default=(),
        metadata=_about(
            "Matches and tourneys: files, or directories of .toml files. The shipped matches are always known.",
            _paths,
            flag="--definition",
        ),
    )
    credentials: str = attrs.field(
        default="",
        metadata=_about(
            "The file that says who may connect; empty: everybody, and only on the loopback.",
            _file,
            flag="--credentials",
        ),
    )
    calendar_from: str = attrs.field(
        default="",
        metadata=_about(
            "For a rehearsal: the moment the calendar of the tourneys shows at the start; empty is the real time.",
            _instant,
            flag="--calendar-from",
        ),
    )
    calendar_speed: float = attrs.field(
        default=1.0,
        metadata=_about(
            "For a rehearsal: how many times as fast its calendar runs; without calendar_from it has no effect.",
            _speed,
            flag="--calendar-speed",
        ),
    )
    server_grace_s: float = attrs.field(
        default=5.0,
        metadata=_about("How long a table server may be away before its tables move, in seconds.", _seconds(3_600)),
    )
    outage_share: float = attrs.field(
        default=0.5,
        metadata=_about(
            "When more than this share of all tables is at table servers that are away, two at least, clocks stand "
            "still and nothing moves; 1 turns it off.",
            _share,
        ),
    )
    outage_max_s: float = attrs.field(
        default=60.0,
        metadata=_about(
            "How long an outage lasts at most before the tables move after all, in seconds.", _seconds(3_600)
        ),
    )
    session_keep_s: float = attrs.field(
        default=60.0,
        metadata=_about("How long the session of an absent peer is kept for its return, in seconds.", _seconds(86_400)),
    )
    match_keep_s: float = attrs.field(
        default=300.0,
        metadata=_about(
            "How long a finished match stays in memory after somebody last asked for it, in seconds.", _seconds(86_400)
        ),
    )
    snapshot_every: int = attrs.field(
        default=50_000,
        metadata=_about(
            "Records between two snapshots of a match; fewer make a restart faster.", _within(1, 10_000_000)
        ),
    )
    on_damage: Literal["set_aside", "refuse"] = attrs.field(
        default="set_aside",
        metadata=_about(
            "What becomes of a damaged match: set_aside serves the others, refuse does not start.", flag="--on-damage"
        ),
    )
    log_level: Literal["debug", "info", "warning", "error"] = attrs.field(
        default="info", metadata=_about("The least important lines that are logged.", flag="--log-level")
    )
    log_format: Literal["auto", "console", "json"] = attrs.field(
        default="auto",
        metadata=_about(
            "How lines are written; auto is console on a terminal and json elsewhere.", flag="--log-format"
        ),
    )
    tls: Tls = attrs.field(default=Tls(), metadata=_about("Certificates for both ports."))
    limits: Limits = attrs.field(default=Limits(), metadata=_about("What one daemon and one peer may use."))


@attrs.frozen
class Setting:
    """One setting as the manual lists it."""

    path: str
    default: object
    help: str
    environment: str
    flag: str
    choices: tuple[str, ...]
    kind: Any
    hide: Callable[[str], str] | None

    def shown(self, value: object) -> str:
        """A value in the words of a file, secrets masked."""
        return in_toml(value, self.hide)


@attrs.frozen
class Loaded:
    """Settings, where each came from (by path), and notes worth a line of the log."""

    settings: Settings
    origins: Mapping[str, str]
    notes: tuple[str, ...]

    def value(self, path: str) -> object:
        """The value of a setting by its path."""
        value: object = self.settings
        for name in path.split("."):
            value = getattr(value, name)
        return value


class ConfigRefused(CoordinatorError):
    """Settings with mistakes; ``problems`` are all of them, at least one."""

    code = "config_refused"
    exit_code = 3

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("\n".join(map(str, problems)))
        self.problems = tuple(problems)


def table() -> list[Setting]:
    """All settings in their order."""
    return list(_settings(Settings, ""))


def load(
    file: Path | None = None,
    environ: Mapping[str, str] | None = None,
    flags: Mapping[str, object] | None = None,
    removed: Mapping[str, str] = REMOVED,
) -> Loaded:
    """Read all sources.

    file: the settings file; None takes the one that COORDINATOR_CONFIG names, or coordinator.toml if it
    exists. environ: variables, by default those of the process. flags: values by path as the command line
    gave them; None stands for a flag that was not given.

    Raises ConfigRefused with every mistake of every source.
    """
    environ = os.environ if environ is None else environ
    reading = _Reading(removed)
    place = _place(file, environ)
    if place is not None:
        reading.file(place)
    reading.environment(environ)
    reading.flags(flags or {})
    return reading.result()


def example() -> str:
    """A settings file with every setting, its help and its default, all commented out."""
    lines = ["# Settings of the coordinator. Every line is its default: remove the # to change it."]
    section = ""
    for setting in table():
        head, _, name = setting.path.rpartition(".")
        if head != section:
            section = head
            lines += ["", f"[{section}]"]
        lines += ["", f"# {setting.help}"]
        if setting.choices:
            lines.append(f"# One of {', '.join(setting.choices)}.")
        also = f"# Environment: {setting.environment}"
        lines.append(f"{also}; flag: {setting.flag}" if setting.flag else also)
        lines.append(f"#{name} = {in_toml(setting.default)}")
    return "\n".join(lines) + "\n"


def in_toml(value: object, hide: Callable[[str], str] | None = None) -> str:
    """A value as a settings file would say it."""
    if isinstance(value, tuple):
        return f"[{', '.join(in_toml(item) for item in value)}]"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, int):
        return str(value)
    plain = str(value)
    escaped = (plain if hide is None else hide(plain)).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


class _Reading:
    """The sources, laid over one another: raw values by path, and who said each."""

    def __init__(self, removed: Mapping[str, str]) -> None:
        self.removed = removed
        self.known = {setting.path: setting for setting in table()}
        self.data: dict[str, Any] = {}
        self.origins: dict[str, tuple[str, int | None]] = {}
        self.problems: list[Problem] = []
        self.notes: list[str] = []
        self.source: Source | None = None

    def file(self, place: Path) -> None:
        source = read(place)
        if isinstance(source, Problem):
            self.problems.append(source)
            return
        self.source = source
        self._walk(source.data, (), source, place.parent)

    def environment(self, environ: Mapping[str, str]) -> None:
        names = {setting.environment: setting for setting in self.known.values()}
        for name, value in sorted(environ.items()):
            setting = names.get(name)
            if setting is not None:
                if value:
                    self._say(setting.path, _from_text(value, setting.kind), name)
            elif name.endswith("_FILE") and (hidden := names.get(name.removesuffix("_FILE"))) and hidden.hide:
                self._secret(hidden, name, value)
            elif name.startswith(PREFIX) and name != FILE_VARIABLE:
                self._stranger(name, list(names))

    def flags(self, flags: Mapping[str, object]) -> None:
        for path, value in flags.items():
            if value is not None:
                self._say(path, value, self.known[path].flag)

    def result(self) -> Loaded:
        strict = converter(_readers().get)
        settings = Settings()
        try:
            settings = strict.structure(self.data, Settings)
        except Exception as error:
            for fault in faults(error):
                self._refuse(fault.path, fault.message, fault.expected, fault.suggestion)
        if settings.listen == settings.http and settings.listen.port and not self.problems:
            self._refuse(("http",), f"{settings.http} is also what listen says", "an address of its own", "")
        if self.problems:
            raise ConfigRefused(self.problems)
        origins = {path: _origin(*self.origins.get(path, ("default", None))) for path in self.known}
        return Loaded(settings, origins, tuple(self.notes))

    def _walk(self, values: Mapping[str, Any], at: KeyPath, source: Source, folder: Path) -> None:
        tables = {path.rpartition(".")[0] for path in self.known}
        for key, value in values.items():
            path = path_text((*at, key))
            if path in self.known:
                if path == "definitions" and isinstance(value, list):
                    value = [str(folder / item) if isinstance(item, str) and item else item for item in value]
                if path in _FILES and isinstance(value, str) and value:
                    value = str(folder / value)
                self._say(path, value, source.file, source.line((*at, key)))
            elif path in tables and isinstance(value, dict):
                self._walk(value, (*at, key), source, folder)
            else:
                self._unknown(path, source, source.line((*at, key)), path in tables)

    def _unknown(self, path: str, source: Source, line: int | None, is_table: bool) -> None:
        code, message, mend = "unknown_key", "unknown setting", did_you_mean(path, list(self.known))
        if path in self.removed:
            code, message, mend = "removed", "this setting went away", self.removed[path]
        elif is_table:
            code, message, mend = "wrong_value", "is a table of settings", f"write [{path}] above them"
        self.problems.append(Problem(path, message, "", mend, None, source.file, line, code))

    def _stranger(self, name: str, names: list[str]) -> None:
        """A variable that only begins like ours: other programs may own it, so it is not refused."""
        gone = {environment_name(path): sentence for path, sentence in self.removed.items()}
        if name in gone:
            mend = gone[name]
            self.problems.append(Problem("", "this setting went away", "", mend, None, name, None, "removed"))
            return
        words = [each.removeprefix(PREFIX) for each in names]
        near = get_close_matches(name.removeprefix(PREFIX), words, n=1, cutoff=0.75)
        if near:
            self.notes.append(f"{name} is no setting and has no effect; did you mean {PREFIX}{near[0]}?")

    def _secret(self, setting: Setting, name: str, value: str) -> None:
        secret = read_text(Path(value), MOST_BYTES)
        if isinstance(secret, Problem):
            message = f"{value} {secret.message}"
            self.problems.append(Problem(setting.path, message, file=name, code="unreadable"))
            return
        self._say(setting.path, secret.rstrip("\r\n"), name)

    def _say(self, path: str, value: object, origin: str, line: int | None = None) -> None:
        *tables, name = path.split(".")
        inner = self.data
        for table_name in tables:
            inner = inner.setdefault(table_name, {})
        inner[name] = value
        self.origins[path] = (origin, line)

    def _refuse(self, path: KeyPath, message: str, expected: str, mend: str) -> None:
        name = next((p for n in range(len(path), 0, -1) if (p := path_text(path[:n])) in self.known), "")
        origin, line = self.origins.get(name, ("default", None))
        self.problems.append(Problem(path_text(path), message, expected, mend, None, origin, line))


def environment_name(path: str) -> str:
    """The variable that sets the setting at ``path``."""
    return PREFIX + path.replace(".", "_").upper()


def _settings(cls: type, above: str) -> Iterator[Setting]:
    for field in attrs.fields(cls):
        path = f"{above}{field.name}"
        if attrs.has(field.type) and field.type is not Address:
            yield from _settings(field.type, f"{path}.")
            continue
        about: _About = field.metadata["about"]
        choices = get_args(field.type) if get_origin(field.type) is Literal else ()
        default = field.default
        name = environment_name(path)
        yield Setting(path, default, about.help, name, about.flag, choices, field.type, about.hide)


def _readers() -> dict[str, Callable[[object], object]]:
    readers = {}
    for cls in (Settings, Limits, Tls):
        for field in attrs.fields(cls):
            about: _About = field.metadata["about"]
            if about.read is not None:
                readers[field.name] = about.read
    return readers


def _from_text(value: str, kind: Any) -> object:
    """What a file would have said for this text; one that does not fit stays a text and is refused later."""
    if kind is int and re.fullmatch(r"[+-]?[0-9]{1,18}", value):
        return int(value)
    if kind is float:
        try:
            return Decimal(value)
        except InvalidOperation:
            return value
    return value.split(os.pathsep) if get_origin(kind) is tuple else value


def _place(file: Path | None, environ: Mapping[str, str]) -> Path | None:
    if file is not None:
        return file
    named = environ.get(FILE_VARIABLE)
    if named:
        return Path(named)
    return DEFAULT_FILE if os.path.exists(DEFAULT_FILE) else None


def _origin(name: str, line: int | None) -> str:
    return name if line is None else f"{name}:{line}"
