"""Matches that pay: one that a lobby opens by itself, and an evening of a tourney, both played to their awards."""

import attrs

from coordinator.engine.definition import Reward, Round
from coordinator.engine.tourney.definition import Entry
from coordinator.shell.limits import MatchLimits
from protocol import messages as m
from tests.engine.stages import DEFAULT, SWISS, match_of
from tests.engine.tourney_play import EVENING, cup
from tests.shell.evening import Books, Evening, FragileStore, evening

PRIZES = (Reward(1, 1, {"coins": 100, "cups": 1}), Reward(2, 3, {"coins": 25}, shared=True))
DUEL = attrs.evolve(match_of(attrs.evolve(DEFAULT, round=Round(hands=2)), players=3), rewards=PRIZES)
FIELD = attrs.evolve(match_of(SWISS, players=6), rewards=PRIZES)
KNOWN = {"duel": DUEL, "field": FIELD}

CUP_PRIZES = (Reward(1, 1, {"coins": 100}), Reward(2, 3, {"coins": 10}))
CUP = cup(heats=2, final=True, take=2, entry=Entry(fee=5), rewards=CUP_PRIZES)
DAY_ONE = "cup.2026-01-01"


async def opened(house: Evening, match_id: str = "m", definition: str = "duel", players: str = "abc") -> None:
    """Open a match, or find it open, and enter players, or find them in."""
    told = await house.ask(lambda ref: m.OpenMatch(match_id, definition, ref, seed="7"))
    assert isinstance(told, m.MatchOpened), told
    for player in players:
        told = await house.ask(lambda ref, player=player: m.Register(match_id, player, player.upper(), ref))
        assert isinstance(told, m.Entered) or (isinstance(told, m.Error) and told.code == "match_closed"), told


FORGETFUL = MatchLimits(match_keep_s=0)
"""Finished matches leave memory as soon as they may."""


async def the_whole_evening(
    store: FragileStore, books: Books, now: list[float], limits: MatchLimits | None = None
) -> None:
    """Seven come, one goes again, six play two heats and a final, three win something."""
    async with evening(store, {"cup": CUP}, books, now, limits) as house:
        if "g" not in books.given_back:
            for player in "abcdefg":
                if player not in books.entered:
                    assert isinstance(await house.enter(player, "cup"), m.EntryTaken)
            await house.ask(lambda ref: m.WithdrawEntry(DAY_ONE, "g", ref))
            await house.settle()
        await house.at(EVENING / 1000)
        await house.play()
        await house.settle()
        assert house.office.tourneys.desks["cup"].state.instances[DAY_ONE].status == "over"
        assert house.office.tourneys.desks["cup"].state.dues == {}
        if limits is FORGETFUL:
            house.office.archive._look()
            assert house.office.desks == {}
