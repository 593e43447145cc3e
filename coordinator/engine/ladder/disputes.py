"""R-BL-13: disputes in play. Undisputed boards go on and the result is provisional until a referee has decided.

Implements R-BL-13.
"""

import attrs


@attrs.frozen
class Dispute:
    """Boards in dispute; ``confirmed_by`` None: the other side has not confirmed, and it goes to the referee all the
    same. ``open_boards`` wait for their ruling."""

    raised_by: str
    boards: tuple[int, ...]
    open_boards: tuple[int, ...]
    text: str
    confirmed_by: str | None = None


def ruled(dispute: Dispute, board_no: int) -> Dispute:
    """The dispute after a ruling on one of its boards."""
    return attrs.evolve(dispute, open_boards=tuple(board for board in dispute.open_boards if board != board_no))


def is_open(dispute: Dispute) -> bool:
    """Whether a board still waits for its ruling."""
    return bool(dispute.open_boards)
