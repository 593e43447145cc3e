"""Standings for those who watch: when they moved, at most once a second, and nothing else."""

from protocol import messages as m
from tests.shell.premises import premises, seated
from tests.shell.programs import report


async def watching(house, *matches: str):
    eye = house.program("eye", "spectator")
    await eye.hello()
    for match_id in matches:
        assert isinstance(await eye.ask(m.Subscribe(match_id, ref=1)), m.Ok)
    return eye


def shown(eye) -> list[int]:
    return [said.hands for said in eye.heard if isinstance(said, m.Standings)]


async def test_they_come_once_and_then_only_when_something_moved(mock_clock):
    async with premises() as house:
        ts, _, seat, start = await seated(house)
        eye = await watching(house, "cup")
        for _ in range(3):
            await house.pass_time(mock_clock, 1.05)
        await eye.quiet()
        assert shown(eye) == [0]
        for hand_no in (1, 2):
            await ts.ask(report(seat, start, hand_no=hand_no))
        await house.pass_time(mock_clock, 1.05)
        await eye.quiet()
        assert shown(eye) == [0, 2]
        last = eye.heard[-2]
        assert [row.score for row in last.rows] == [4, 0, -4]
        assert [row.rank for row in last.rows] == [1, 2, 3]


async def test_the_end_is_told_although_nothing_moves_any_more(mock_clock):
    async with premises() as house:
        ts, _, seat, start = await seated(house, definition="one")
        await ts.ask(report(seat, start))
        eye = await watching(house, "cup")
        await house.pass_time(mock_clock, 1.05)
        assert [row.state for row in (await eye.next(m.Standings)).rows] == ["done"] * 3


async def test_a_spectator_that_comes_back_in_its_session_missed_nothing(mock_clock):
    async with premises() as house:
        ts, _, seat, start = await seated(house)
        eye = await watching(house, "cup")
        await house.pass_time(mock_clock, 1.05)
        await eye.next(m.Standings)
        await eye.cut()
        await house.gone("eye")
        await ts.ask(report(seat, start))
        await house.pass_time(mock_clock, 1.05)
        await eye.hello()
        await house.pass_time(mock_clock, 1.05)
        assert (await eye.next(m.Standings)).hands == 1


async def test_who_watches_nothing_is_told_nothing(mock_clock):
    async with premises() as house:
        await seated(house)
        eye = await watching(house)
        await house.pass_time(mock_clock, 2.0)
        await eye.quiet()
        assert {type(said) for said in eye.heard} == {m.Error}
