"""What is going to go wrong, and when: drawn from the seed before the run, so that any step can be left out."""

import random
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import attrs

from tests.sim.chance import Chance
from tests.sim.recipes import RECIPES

MOMENTS = (
    "queued",
    "written",
    "synced",
    "released",
    "recovered",
    "reported",
    "acknowledged",
    "hello",
    "seated",
    "snapshot told",
    "offered",
    "paid",
    "over",
)
"""Where a fault can be armed: in a commit, after a start, after what a program sent or read."""

_OFTEN = {"queued": 80, "written": 60, "synced": 60, "released": 80, "reported": 20, "acknowledged": 20, "seated": 12}
"""How often a moment surely comes in a run; the others come now and then."""

TIMED: Mapping[str, int] = MappingProxyType(
    {
        "cut": 5,
        "half open": 3,
        "stall": 4,
        "slow reader": 6,
        "say again": 4,
        "lost frame": 3,
        "take over": 2,
        "server crash": 3,
        "server gone": 2,
        "lobby crash": 2,
        "unreachable": 2,
        "kill": 3,
        "stop": 1,
        "slow disk": 2,
        "failing disk": 1,
        "clock jump": 2,
        "nonsense": 4,
        "bad message": 3,
        "forged report": 16,
        "contradiction": 2,
        "give back": 2,
        "drain": 1,
        "snapshot damage": 2,
    }
)
"""Kinds of faults that come by the clock, and how often each is drawn."""

ARMED: Mapping[str, int] = MappingProxyType(
    {"kill": 8, "cut": 3, "server crash": 3, "server gone": 1, "lobby crash": 3, "half open": 1, "failing disk": 1}
)
"""Kinds of faults that strike at a named moment."""


@attrs.frozen
class Settings:
    """What is drawn for a whole run. Times are in seconds of virtual time."""

    formats: tuple[str, ...]
    opens_s: tuple[float, ...]
    servers: int
    capacity: int
    faults_s: float
    latency_s: float
    syncs_s: tuple[float, float]
    link_bytes: int
    outbox_bytes: int
    window_bytes: int
    think_s: tuple[float, float]
    silent_share: float
    snapshot_every: int
    server_grace_s: float
    session_keep_s: float
    match_keep_s: float
    matches_kept: int


@attrs.frozen
class Step:
    """One thing that happens to the run: by the clock (``at``), or when a moment comes for the ``nth`` time."""

    no: int
    kind: str
    at: float | None = None
    moment: str | None = None
    nth: int = 0
    words: Mapping[str, Any] = attrs.field(factory=dict)

    def __str__(self) -> str:
        when = f"at {self.at:.3f} s" if self.at is not None else f"at the {self.nth}. {self.moment!r}"
        words = "".join(f" {name}={value}" for name, value in self.words.items())
        return f"step {self.no}: {self.kind} {when}{words}"


@attrs.frozen
class Plan:
    """A run before it happens."""

    seed: int
    settings: Settings
    steps: tuple[Step, ...]

    def keeping(self, numbers: tuple[int, ...]) -> "Plan":
        """The same run with these steps only."""
        kept = dict.fromkeys(numbers)
        return attrs.evolve(self, steps=tuple(step for step in self.steps if step.no in kept))


def draw_plan(seed: int, *, only: str | None = None) -> Plan:
    """The plan of a seed; ``only`` is the one format to play."""
    luck, aside = Chance(seed).stream("plan"), Chance(seed).stream("finished matches")
    names = list(RECIPES)
    formats = [only or names[(seed + number) % len(names)] for number in range(luck.choice([1, 2, 2, 3]))]
    slow = luck.choice([2.0, 8.0, 30.0])
    faults_s = luck.choice([40.0, 120.0, 300.0])
    opens_s = [0.0, *(round(luck.uniform(0, faults_s * 0.7), 3) for _ in formats[1:])]
    settings = Settings(
        formats=tuple(formats),
        opens_s=tuple(opens_s),
        servers=luck.randint(1, 4),
        capacity=luck.choice([1, 2, 8]),
        faults_s=faults_s,
        latency_s=luck.choice([0.001, 0.02, 0.15]),
        syncs_s=luck.choice([(0.0005, 0.004), (0.0005, 0.004), (0.02, 0.4)]),
        link_bytes=luck.choice([600, 16_384, 65_536]),
        outbox_bytes=luck.choice([1024, 262_144]),
        window_bytes=luck.choice([900, 1 << 20]),
        think_s=(slow / 10, slow),
        silent_share=luck.choice([0.0, 0.0, 0.02]),
        snapshot_every=luck.choice([3, 20, 50_000]),
        server_grace_s=luck.choice([2.0, 5.0, 20.0]),
        session_keep_s=luck.choice([5.0, 60.0]),
        match_keep_s=aside.choice([0.0, 0.5, 20.0]),
        matches_kept=aside.choice([0, 1, 100]),
    )
    storm = luck.choice([0, 4, 10, 25])
    steps: list[Step] = []
    for _ in range(luck.randint(0, storm)):
        kind = luck.choices(list(TIMED), list(TIMED.values()))[0]
        steps.append(Step(len(steps), kind, at=round(luck.uniform(0, settings.faults_s), 3)))
    for _ in range(luck.randint(0, storm)):
        kind = luck.choices(list(ARMED), list(ARMED.values()))[0]
        moment = luck.choice(MOMENTS)
        nth = luck.randint(1, _OFTEN.get(moment, 3))
        steps.append(Step(len(steps), kind, moment=moment, nth=nth, words={"late_ms": luck.choice([0, 0, 1, 5])}))
    for _ in range(luck.randint(2, 12)):
        steps.append(Step(len(steps), "ask", at=round(luck.uniform(1, settings.faults_s), 3)))
    steps += _rulings(Chance(seed).stream("staff"), settings, len(steps))
    steps += _older_attempts(Chance(seed).stream("older attempts"), len(steps))
    return Plan(seed, settings, tuple(steps))


def _older_attempts(luck: random.Random, first: int) -> list[Step]:
    """Reports of what was interrupted come while it is repeated, the only time when they are of interest."""
    count = luck.choice([0, 1, 2])
    return [Step(first + no, "older attempt", moment="repeated", nth=luck.randint(1, 6)) for no in range(count)]


def _rulings(luck: random.Random, settings: Settings, first: int) -> list[Step]:
    """What a director says: at any time, at a named moment, and at the opening of a match that has no tables yet."""
    steps: list[Step] = []
    for _ in range(luck.choice([0, 3, 6, 10])):
        steps.append(Step(first + len(steps), "rule", at=round(luck.uniform(0.5, settings.faults_s), 3)))
    for _ in range(luck.choice([0, 2, 5])):
        moment = luck.choice(("released", "reported", "acknowledged", "seated", "synced"))
        steps.append(Step(first + len(steps), "rule", moment=moment, nth=luck.randint(1, _OFTEN[moment])))
    if luck.random() < 0.4:
        opens_s = luck.choice(settings.opens_s)
        steps.append(Step(first + len(steps), "empty house", at=opens_s))
    return steps
