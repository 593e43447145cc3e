"""What a format is: a timeline and the mechanisms that make it (R-ST-02)."""

from typing import Literal

import attrs

Timeline = Literal["bouts", "pool", "clock", "challenge"]
GroupingKind = Literal["swiss", "snake", "ui", "random", "direct"]


@attrs.frozen
class Format:
    """A named choice of mechanisms.

    ``timeline`` decides when the next seating happens: ``bouts`` when all tables of the bout have ended, ``pool`` when
    enough players wait, ``clock`` when the bout's minutes are over, ``challenge`` when two teams agreed on a time.
    ``elimination`` says whom a bout or hand costs: nobody, by place at the table, by rank over the whole field, or by
    score. ``groupings`` are the legal kinds, the first bout's default first and the later bouts' default second.
    ``joins`` and ``leaves`` say whether an organiser may let players come and go while it runs. With ``duels`` a bout
    is one game for two at each table, and worth main points (R-DM-01, R-DM-03); with ``one_table`` everybody sits at
    that one, and the places at it are the ranking (R-DF-01).
    """

    name: str
    timeline: Timeline
    groupings: tuple[GroupingKind, ...]
    elimination: Literal["none", "table", "field", "score"]
    reranks: bool = False
    bouts: int | Literal["until_done"] | None = None
    joins: bool = False
    leaves: bool = False
    duels: bool = False
    one_table: bool = False

    def grouping(self, bout_no: int) -> GroupingKind:
        """The kind of grouping a bout uses when the organiser names none."""
        return self.groupings[0] if bout_no == 1 or len(self.groupings) == 1 else self.groupings[1]
