"""Cases from real life about knockouts: odd fields, byes, walkovers, and the places of those who went out."""

import json
from collections.abc import Callable, Sequence

import attrs
import pytest

from coordinator.engine import commands, events, timers
from coordinator.engine import effects as fx
from coordinator.engine.definition import Grouping, Stage
from tests.cases.case_data import DATA
from tests.engine.dominion_play import entered, rounds_of
from tests.engine.playing import Game
from tests.engine.stages import (
    DEFAULT,
    KNOCKOUT,
    SWISS,
    given,
    lower_numbers_win,
    places,
    report,
    score,
    score_all,
    seats,
    started,
    still_in,
    table_of,
    tell,
)

DUELS = attrs.evolve(KNOCKOUT, table_size=2, bouts="until_done", grouping=Grouping(kind="swiss"))
"""Two at a table, the winner goes on, seated by rank from the first bout on."""


def bracket(count: int, stage: Stage = DUELS) -> Game:
    """A knockout of so many players."""
    return started(stage, players=count)


def play_out(game: Game, worth: Callable[[str], int] = lower_numbers_win) -> list[events.TablesSeated]:
    """Play to the end; the bouts there were."""
    while game.state.status == "running":
        score_all(game, worth)
    bouts: list[events.TablesSeated] = game.of(events.TablesSeated)
    return bouts


def names(effects: Sequence[fx.Effect]) -> list[str]:
    """Everybody whom a table server is told to seat."""
    return [seat[0] for effect in effects if isinstance(effect, fx.SeatPlayers) for seat in effect.seats]


def test_case_013_no_winner_of_a_group_meets_another_one_at_once() -> None:
    """Whoever wants groups kept apart takes a snake (R-GR-02); no rule promises it for every outcome of the groups."""
    groups = attrs.evolve(SWISS, table_size=4, scoring="placement", grouping=Grouping(kind="swiss"))
    game = started(groups, attrs.evolve(DUELS, grouping=Grouping(kind="snake")), players=16)
    met = seats(game)
    for group, at_table in enumerate(met):
        score(game, **{player: 100 - 10 * place - group for place, player in enumerate(at_table)})
    winners = {at_table[0] for at_table in met}
    first_round = [set(pair) for pair in seats(game)]
    assert len(first_round) == 8
    assert [pair for pair in first_round if pair <= winners] == []
    assert [pair for pair in first_round for group in met if pair <= set(group)] == []


@pytest.mark.parametrize("count", range(2, 18))
def test_case_091_every_field_has_one_match_less_than_players(count: int) -> None:
    vectors = json.loads((DATA / "knockout" / "match_counts.json").read_text(encoding="utf-8"))["vectors"]
    [single] = [vector for vector in vectors if vector["type"] == "single"]
    assert single["played_matches"] == "n-1"
    bouts = play_out(bracket(count))
    assert sum(len(bout.tables) for bout in bouts) == count - 1
    left = count
    for bout in bouts:
        assert all(len(table) == 2 for table in bout.tables), "nobody plays against nobody"
        assert len(bout.byes) == left % 2
        left -= len(bout.tables)
    assert left == 1


def test_case_091_seven_players_at_tables_of_three() -> None:
    game = bracket(7, attrs.evolve(KNOCKOUT, grouping=Grouping(kind="swiss")))
    bouts = play_out(game)
    assert [(len(bout.tables), len(bout.byes)) for bout in bouts] == [(2, 1), (1, 0)]
    assert sorted(places(game).values()) == list(range(1, 8))


def test_case_092_a_bye_holds_up_no_bout_and_cannot_be_scored() -> None:
    game = bracket(5)
    [first] = game.of(events.TablesSeated)
    [resting] = first.byes
    right = report(game, {player: lower_numbers_win(player) for player in first.tables[0]})
    before = list(game.events)
    with_the_bye = attrs.evolve(right, scores={first.tables[0][0]: 1, resting: 0})
    assert (tell(game, with_the_bye).code, game.events) == ("wrong_players", before)
    nowhere = tell(game, attrs.evolve(right, table_id=right.table_id + 2))
    assert (nowhere.code, nowhere.field) == ("unknown_table", "table_id")
    score_all(game, lower_numbers_win)
    second = game.of(events.TablesSeated)[1]
    assert second.bout_no == 2
    assert resting in [player for table in second.tables for player in table]


def test_case_094_who_wins_by_absence_sits_in_the_next_match() -> None:
    """Nobody ever reports table 4: it is settled (R-HI-06), and its winner goes on like the others."""
    game = bracket(8)
    silent = game.state.tables[4]
    for table in list(game.state.tables.values())[:3]:
        score(game, **{player: lower_numbers_win(player) for player in table.seats})
    assert game.state.current.bout_no == 1
    game.t = game.state.timers[timers.table_timer(silent.table_id)]
    already = len(game.effects)
    game.fire_due()
    [settled] = [event for event in game.of(events.RoundEnded) if event.settled]
    assert settled.table_id == silent.table_id
    winner = silent.seats[settled.places.index(1)]
    mate = next(player for player in table_of(game, winner).seats if player != winner)
    assert sorted(map(len, seats(game))) == [2, 2]
    told = game.effects[already:]
    assert {winner, mate} <= set(names(told))
    invited = [
        player for effect in told if isinstance(effect, fx.TellSeated) for pair in effect.tables for player in pair
    ]
    assert {winner, mate} <= set(invited)


def test_case_097_those_who_went_out_together_have_strict_places() -> None:
    """R-KO-05: by place at the table, then score, then the tie chain; no place twice."""
    game = bracket(8)
    play_out(game)
    got = places(game)
    assert sorted(got.values()) == list(range(1, 9))
    rounds = [[player for table in bout.tables for player in table] for bout in game.of(events.TablesSeated)]
    assert [sorted(got[player] for player in field) for field in rounds] == [
        list(range(1, 9)),
        [1, 2, 3, 4],
        [1, 2],
    ]


def test_case_097_behind_a_cut_the_earlier_stage_decides() -> None:
    game = entered("ABCDEFGH", rounds_of(3, top_cut=4), attrs.evolve(DEFAULT, table_size=4))
    worth = dict(zip("ABCDEFGH", range(80, 0, -10), strict=True))
    for _ in range(3):
        score_all(game, worth)
    [swiss] = game.of(events.StageEnded)
    [final] = seats(game)
    assert sorted(final) == sorted(swiss.ranking[:4])
    score(game, **{player: -worth[player] for player in final})
    assert list(places(game)) == [*sorted(final, reverse=True), *swiss.ranking[4:]]
    assert list(places(game).values()) == list(range(1, 9))


def test_case_098_a_loser_is_out_and_placed_as_soon_as_it_is_certain() -> None:
    game = bracket(4)
    first, second = seats(game)
    score(game, **{player: lower_numbers_win(player) for player in first})
    loser = max(first, key=lambda player: int(player[1:]))
    entrant = game.state.entrants[loser]
    assert (entrant.state, entrant.place, entrant.table_id) == ("out", None, None)
    assert [(told.player_id, told.place) for told in game.effects if isinstance(told, fx.TellEliminated)] == [
        (loser, None)
    ]
    score(game, **{player: lower_numbers_win(player) for player in second})
    other = max(second, key=lambda player: int(player[1:]))
    assert sorted((entrant.place, game.state.entrants[other].place)) == [3, 4]  # type: ignore[type-var]
    [final] = seats(game)
    assert sorted(final) == sorted(still_in(game))
    assert not {loser, other} & set(final)
    assert not given(game, commands.RegisterPlayer(game.t, loser, loser)).events, "and does not come back"
