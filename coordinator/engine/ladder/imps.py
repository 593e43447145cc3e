"""R-BL-14: the score of a match: two rooms play the same boards, each difference is turned into IMPs and summed.

Implements R-BL-14.
"""

from bisect import bisect_right
from collections.abc import Mapping, Sequence

from coordinator.engine.duplicate import IMPS


def imps(difference: int, scale: Sequence[int] = IMPS) -> int:
    """What a difference of points on one board is worth; its sign is the sign of the IMPs.

    scale: the least differences worth 1, 2, … IMPs.
    """
    worth = bisect_right(scale, abs(difference))
    return worth if difference > 0 else -worth


def board_imps(
    open_room: Sequence[int | None],
    closed_room: Sequence[int | None],
    ruled: Mapping[int, int],
    scale: Sequence[int] = IMPS,
) -> list[int]:
    """The IMPs of each board for the side that sits north-south in the open room and east-west in the closed one.

    The results are north-south's, in the order of the boards. A board that is missing in one room is void and counts
    0; a referee's ruling on a board, by its number, takes the place of what was played.
    """
    boards = max(len(open_room), len(closed_room), max(ruled, default=0))
    found = []
    for board_no in range(1, boards + 1):
        here = open_room[board_no - 1] if board_no <= len(open_room) else None
        there = closed_room[board_no - 1] if board_no <= len(closed_room) else None
        played = 0 if here is None or there is None else imps(here - there, scale)
        found.append(ruled.get(board_no, played))
    return found


def match_score(boards: Sequence[int]) -> tuple[int, int]:
    """The IMPs each side has won, the side of :func:`board_imps` first."""
    return sum(max(0, board) for board in boards), sum(max(0, -board) for board in boards)
