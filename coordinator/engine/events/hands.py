"""Hands start, are told, count, or are interrupted and played again."""

from fractions import Fraction
from typing import Literal

from coordinator.engine.frozen import frozen


@frozen
class HandsStarted:
    """The next attempt of a hand was ordered at each of these tables, its base score frozen (R-HI-08)."""

    t: int
    table_ids: tuple[int, ...]
    base_score: int


@frozen
class ActionsRecorded:
    """The log of the running hand grew."""

    t: int
    table_id: int
    actions: tuple[int | str, ...]


@frozen
class HandScored:
    """A hand counts. ``reported`` and ``scores`` are in seat order; they differ under multiples or minimum payment, and
    where somebody ``dropped`` and nothing is scored."""

    t: int
    table_id: int
    hand_no: int
    attempt_no: int
    reported: tuple[int, ...]
    scores: tuple[int, ...]
    house: int = 0
    dropped: tuple[str, ...] = ()


@frozen
class ResultParked:
    """Another result came for a hand that already counts: no score changes, a director must look."""

    table_id: int
    hand_no: int
    attempt_no: int
    server_id: str
    reported: tuple[int, ...]


@frozen
class BoardCompared:
    """One more table has played a board; ``datums`` by direction hold from now on (R-DU-02). A closed one stays."""

    t: int
    board_no: int
    table_id: int
    scores: tuple[int, ...]
    datums: tuple[int | Fraction, ...]
    closed: bool


@frozen
class HandsRepeated:
    """The interrupted hand of each of these tables was ordered again: next attempt, same deal, same base, same log."""

    t: int
    table_ids: tuple[int, ...]


@frozen
class HandsRedealt:
    """The interrupted hand of each of these tables will be played with fresh cards; its log is forgotten."""

    t: int
    table_ids: tuple[int, ...]


@frozen
class HandVoided:
    """An interrupted hand will not be played again: it is worth nothing, the average of its board, or the table parts
    on the hands before it (``let_stand``)."""

    t: int
    table_id: int
    policy: Literal["void", "average", "let_stand"]


@frozen
class BoardsVoided:
    """The hands still in play at these tables when the grace was over do not count and are never resumed (R-CS-01)."""

    t: int
    table_ids: tuple[int, ...]
