"""The demo's lines where there is no terminal."""

import io

import attrs
from rich.console import Console

from bots.screen import PLAIN_EVERY_S, Screen
from bots.standings_feed import Picture

RUNNING = Picture("running", "Preliminary", 2, players=90, remaining=63, hands=412, base_score=40)


async def test_a_plain_line_every_few_seconds_and_only_with_news(mock_clock):
    told = io.StringIO()
    console = Console(file=told)
    with Screen(console) as screen:
        screen.show(RUNNING)
        screen.show(attrs.evolve(RUNNING, hands=413))  # too soon
        mock_clock.jump(PLAIN_EVERY_S)
        screen.show(RUNNING)  # nothing new
        screen.show(attrs.evolve(RUNNING, hands=420, remaining=1, bout_no=0))
    assert told.getvalue().splitlines() == [
        "Preliminary, bout 2: 63 of 90 players left, 412 hands, base score 40",
        "Preliminary: 1 of 90 players left, 420 hands, base score 40",
    ]


async def test_a_match_that_is_not_running_says_so(mock_clock):
    told = io.StringIO()
    console = Console(file=told)
    with Screen(console) as screen:
        screen.show(Picture("registering", players=12, remaining=12))
    assert told.getvalue().splitlines() == ["registering: 12 players"]


async def test_a_terminal_gets_no_lines_but_those_that_were_said(mock_clock):
    told = io.StringIO()
    console = Console(file=told, force_terminal=True, width=100)
    with Screen(console) as screen:
        screen.show(RUNNING)
        screen.say("table server [ts-2] was killed")
    assert "table server [ts-2] was killed" in told.getvalue()
