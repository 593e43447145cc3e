"""What a tourney knows. Plain records in plain dicts, whose order of insertion is part of the state."""

from fractions import Fraction
from typing import Literal

import attrs

from coordinator.engine.dues import Due
from coordinator.engine.tourney.definition import StartPoint, TourneyDefinition
from coordinator.engine.tourney.events import FieldPlayer

InstanceStatus = Literal["planned", "registering", "running", "over", "cancelled"]
MatchStatus = Literal["running", "over", "halted", "cancelled"]


@attrs.define
class EntryState:
    """A player registered in an instance, with the match chosen and the payment made."""

    player_id: str
    name: str
    reg_seq: int
    match: str
    lobby: str
    fee: int
    payment_ref: str | None
    rating: int | None


@attrs.define
class Instance:
    """One firing of a start point. ``version`` numbers the definition it goes by; times are Unix milliseconds.

    ``register_until`` and ``withdraw_until`` are None where only the start itself ends them. ``entered`` is how many of
    the ``entries`` are for each match, as long as it registers.
    """

    instance_id: str
    start_point: str
    series: str
    version: int
    start_at: int | None
    opens_at: int
    register_until: int | None
    withdraw_until: int | None
    status: InstanceStatus = "planned"
    entries: dict[str, EntryState] = attrs.field(factory=dict)
    entered: dict[str, int] = attrs.field(factory=dict)
    next_reg_seq: int = 1
    reason: str = ""


@attrs.define
class LinkedMatch:
    """A match of the tourney, from its opening on."""

    match_id: str
    name: str
    series: str
    instance_id: str
    version: int
    status: MatchStatus
    players: tuple[FieldPlayer, ...] = ()
    ranking: tuple[tuple[str, int | Fraction], ...] = ()
    disqualified: tuple[str, ...] = ()
    reason: str = ""


@attrs.define
class TourneyState:
    """One tourney. ``versions`` are the definitions still in use by number, ``planned`` the latest instant planned for
    each start point on the calendar, ``filled`` how many instances each other one has had, ``payments`` what each
    payment was for, ``dues`` what is owed and not confirmed, ``confirmed`` what is settled, while its instance is
    remembered."""

    tourney_id: str = ""
    status: Literal["new", "open", "retired"] = "new"
    seed: str = ""
    secret: str = ""
    version: int = 0
    versions: dict[int, TourneyDefinition] = attrs.field(factory=dict)
    planned: dict[str, int] = attrs.field(factory=dict)
    filled: dict[str, int] = attrs.field(factory=dict)
    instances: dict[str, Instance] = attrs.field(factory=dict)
    matches: dict[str, LinkedMatch] = attrs.field(factory=dict)
    payments: dict[str, tuple[str, str]] = attrs.field(factory=dict)
    dues: dict[str, Due] = attrs.field(factory=dict)
    confirmed: dict[str, str] = attrs.field(factory=dict)
    timers: dict[str, int] = attrs.field(factory=dict)

    @property
    def definition(self) -> TourneyDefinition:
        """The definition that holds for what is planned from now on."""
        return self.versions[self.version]

    def rules_of(self, instance: Instance | LinkedMatch) -> TourneyDefinition:
        """The definition that an instance, or a match, goes by."""
        return self.versions[instance.version]

    def point_of(self, instance: Instance) -> StartPoint:
        """The start point that an instance fires."""
        point = self.rules_of(instance).start_point(instance.start_point)
        assert point is not None, "an instance goes by the definition that has its start point"
        return point
