"""One answer to "why?"."""

from collections.abc import Mapping
from typing import Literal

import attrs

from coordinator.engine.numbers import Number

Kind = Literal[
    "entry",
    "seat",
    "bye",
    "wait",
    "table",
    "advance",
    "out",
    "offer",
    "back",
    "place",
    "carry",
    "award",
    "left",
    "penalty",
]
Value = int | str | bool | None | Number | list[str] | list[int]


@attrs.frozen
class Rival:
    """Somebody the player was compared with: by these values, the most important first.

    ``ahead``: whether the player is ranked before the rival. ``decided_by`` names the value that made the difference.
    """

    player_id: str
    name: str
    ahead: bool
    decided_by: str
    own: Mapping[str, Number]
    values: Mapping[str, Number]


@attrs.frozen
class Drawn:
    """Chance that went in: the seed of the match and where its generator stood before and afterwards."""

    seed: str
    counter: int
    counter_after: int


@attrs.frozen
class Reason:
    """Why something became of a player at a moment of the match clock.

    ``says`` is a sentence; ``rules`` are the rules it follows, the deciding one first; ``inputs`` are what went in.
    """

    kind: Kind
    t: int
    rules: tuple[str, ...]
    says: str
    inputs: Mapping[str, Value] = attrs.field(factory=dict)
    compared: tuple[Rival, ...] = ()
    draw: Drawn | None = None
