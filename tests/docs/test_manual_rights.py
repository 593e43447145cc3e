"""The rights as the page about ladders tells them: the options are the code's, each course leads where it says."""

import re

import pytest

from coordinator.engine.ladder import deviation, drops, rights
from coordinator.engine.ladder import ladder_commands as ask
from coordinator.engine.ladder import ladder_events as ev
from coordinator.engine.refusal import Refused
from tests.docs.pages import code, section, table
from tests.engine.ladder_play import LadderGame, ladder_match

COURSES = table(section("ladder", "Rights"), 1)


def words(cell: str) -> list[str]:
    return re.findall(r"`(\w+)`", cell)


def test_the_options_are_those_of_the_code() -> None:
    described = [
        (code(row["trigger"]), tuple(words(row["what the other side may choose"])))
        for row in table(section("ladder", "Rights"))
    ]
    assert described == [
        ("deviation", deviation.options(1)),
        ("deviation", deviation.options(2)),
        ("disconnect", drops.OPTIONS),
        ("lineup", rights.LINEUP_OPTIONS),
    ]


@pytest.mark.parametrize("row", COURSES, ids=lambda row: row["told of north-south"])
def test_a_course_leads_where_the_page_says(row: dict[str, str]) -> None:
    game = LadderGame(ladder_match()).begin("A", "B", "C", "D")
    number = game.playing("D", "C")  # in the open room D sits north-south, C east-west
    for player, kinds in (("D1", words(row["told of north-south"])), ("C1", words(row["of east-west"]))):
        for kind in kinds:
            assert not isinstance(game.incident(number, kind, player), Refused)
    opened = game.of(ev.RightOpened)
    right = game.challenge(number).rights.get("C")
    assert len(opened) == int(row["rights opened so far"])
    assert ([right.state] if right else []) == words(row["the newest is"])
    claimed = game.do(ask.ChooseRight(game.t, number, "C", right.right_no if right else 1, "claim_win"))
    if isinstance(claimed, Refused):
        assert [claimed.code] == words(row["and then `claim_win`"])
    else:
        assert row["and then `claim_win`"] == "ends the match"
        assert game.over(number).winner == "C"
