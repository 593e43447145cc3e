"""What an organiser writes about what stands above a match: a tourney with its matches, start points and links.

These classes hold the words of a tourney file with their defaults; :mod:`coordinator.engine.tourney.check` says what is
wrong with one. Durations are milliseconds here (files say seconds). A start on the calendar is a wall time in the
tourney's time zone, kept as text: which instant it is, only the shell can know, and the journal remembers it.
"""

from typing import Literal

import attrs

from coordinator.engine.definition import CarryOut, MatchDefinition, Reward

Repeat = Literal["none", "hourly", "daily", "weekly", "monthly"]

NOTHING_CARRIED = CarryOut(mode="none")
_HOUR_MS = 3_600_000
_DAY_MS = 24 * _HOUR_MS


@attrs.frozen
class Entry:
    """Who may enter a match, and for what (R-HI-03).

    ``places`` is the quota. A player outside ``rating_from`` to ``rating_to`` or, where there are any, not among the
    ``members`` is refused; with ``one_at_a_time`` also one who is entered in another instance of the tourney that is
    not over, with ``not_playing`` one who is still in a running match.
    """

    fee: int = 0
    fee_kind: Literal["coin", "item"] = "coin"
    item_id: str | None = None
    places: int | None = None
    rating_from: int | None = None
    rating_to: int | None = None
    members: tuple[str, ...] = ()
    one_at_a_time: bool = False
    not_playing: bool = False


@attrs.frozen
class TourneyMatch:
    """One of the matches of a tourney (R-HI-01): its rules, who may enter, and what its places win.

    ``rewards`` take the place of those of the definition where there are any.
    """

    id: str
    definition: MatchDefinition
    entry: Entry = Entry()
    rewards: tuple[Reward, ...] = ()

    @property
    def prizes(self) -> tuple[Reward, ...]:
        """What the places of this match win."""
        return self.rewards or self.definition.rewards


@attrs.frozen
class StartPoint:
    """What opens matches: the calendar, or enough players (R-HI-02).

    ``start_at`` is a wall time as ``2026-03-01T20:00:00``. ``register_from_ms`` and the other two windows count back
    from the start; None: registration opens a day before, an hour where it is hourly, and players may withdraw while
    registration is open. With ``when_full`` an instance that is not full ``wait_ms`` after its first player starts with
    those who are there, or is cancelled. A start that comes more than ``late_ms`` late is cancelled.
    """

    id: str
    opens: tuple[str, ...]
    mode: Literal["at_time", "when_full"] = "at_time"
    start_at: str | None = None
    repeat: Repeat = "none"
    register_from_ms: int | None = None
    register_until_ms: int = 0
    withdraw_until_ms: int | None = None
    min_players: int = 2
    full_count: int | None = None
    wait_ms: int | None = None
    late_ms: int = _HOUR_MS

    @property
    def window_ms(self) -> int:
        """How long before the start registration opens."""
        if self.register_from_ms is not None:
            return self.register_from_ms
        return _HOUR_MS if self.repeat == "hourly" else _DAY_MS

    @property
    def once(self) -> bool:
        """Whether it fires a single time, so that its matches belong to the tourney as a whole."""
        return self.mode == "at_time" and self.repeat == "none"


@attrs.frozen
class Link:
    """The best ``n`` of a match go on to another one, which waits for all that feed it (R-HI-01).

    Their scores are carried as between two stages (R-CA-03); by default none is.
    """

    from_match: str
    to_match: str
    n: int
    take: Literal["top"] = "top"
    carry: CarryOut = NOTHING_CARRIED


@attrs.frozen
class TourneyDefinition:
    """The largest unit: matches, when they open, and which feeds which (R-HI-01)."""

    id: str
    matches: tuple[TourneyMatch, ...]
    start_points: tuple[StartPoint, ...]
    links: tuple[Link, ...] = ()
    title: str = ""
    description: str = ""
    time_zone: str = "UTC"

    def match(self, name: str) -> TourneyMatch:
        """The match of this name."""
        return next(match for match in self.matches if match.id == name)

    def start_point(self, name: str) -> StartPoint | None:
        """The start point of this name."""
        return next((point for point in self.start_points if point.id == name), None)

    def feeding(self, name: str) -> tuple[Link, ...]:
        """The links that lead into a match, in the order of the file."""
        return tuple(link for link in self.links if link.to_match == name)

    def reached(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """These matches and all that links lead to from them, in the order of the file."""
        found = dict.fromkeys(names)
        grown = True
        while grown:
            more = [link.to_match for link in self.links if link.from_match in found and link.to_match not in found]
            found.update(dict.fromkeys(more))
            grown = bool(more)
        return tuple(match.id for match in self.matches if match.id in found)
