"""Every kind of bad input, against one daemon over real sockets: each its answer, nothing changed, nobody harmed."""

import trio

from tests.hostile.catalogue import ROWS, play
from tests.hostile.scene import a_scene

LIMIT_S = 100


def test_the_catalogue_is_complete() -> None:
    assert sorted(each.number for each in ROWS) == list(range(1, 94))


async def test_every_row_gets_its_answer() -> None:
    with trio.fail_after(LIMIT_S):
        async with a_scene() as scene:
            wrong = [fault for each in ROWS if (fault := await play(scene, each)) is not None]
    assert wrong == []
