"""What a setting may hold: each reader turns what a file says into a value, or raises WrongValue."""

import re
from datetime import datetime
from ipaddress import ip_address
from pathlib import Path
from typing import Final

import attrs

from coordinator.files.strict import Reader, WrongValue, decimal, shown, text, whole

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
    def from_here(self) -> "Address":
        """Where whoever is on the same machine reaches it: what stands for every address is reached on the loopback."""
        here = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)
        return attrs.evolve(self, host=here)

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach it."""
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"


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


def file_name(value: object) -> str:
    """The name of a file, or nothing."""
    return "" if value == "" else text(value)


def file_names(value: object) -> tuple[Path, ...]:
    """Files or directories."""
    if not isinstance(value, list) or not all(isinstance(item, str) and item for item in value):
        raise WrongValue(f"got {shown(value)}", "a list of files or directories")
    return tuple(map(Path, value))


def instant(value: object) -> str:
    """A moment with its offset from UTC; empty is none."""
    moment = text(value)
    expected = "an instant, for instance 2026-03-28T18:00:00Z"
    try:
        zone = datetime.fromisoformat(moment).tzinfo if moment else None
    except ValueError:
        raise WrongValue(f"got {shown(moment)}", expected) from None
    if moment and zone is None:
        raise WrongValue(f"got {shown(moment)}", expected, f"{moment}Z is that moment in UTC")
    return moment


def within(least: int, most: int) -> Reader:
    """Whole numbers of a range, both ends included."""

    def reader(value: object) -> int:
        number = whole(value)
        if not least <= number <= most:
            raise WrongValue(f"got {number}", f"a whole number from {least} to {most}")
        return number

    return reader


def seconds(most: int) -> Reader:
    """A time to wait, in seconds, which may be none at all."""

    def reader(value: object) -> float:
        number = decimal(value)
        if not 0 <= number <= most:
            raise WrongValue(f"got {number:g}", f"seconds from 0 to {most}")
        return number

    return reader


def speed(value: object) -> float:
    """How many times as fast as real time."""
    number = decimal(value)
    if not 0.001 <= number <= 1_000_000:
        raise WrongValue(f"got {number:g}", "a number from 0.001 to 1000000")
    return number


def share(value: object) -> float:
    """A part of a whole, or all of it."""
    number = decimal(value)
    if not 0 < number <= 1:
        raise WrongValue(f"got {number:g}", "a share above 0 and at most 1")
    return number
