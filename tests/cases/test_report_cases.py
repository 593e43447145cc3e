"""Cases from real life about bouts that stick, and about results: lost, repeated, nonsense, of the wrong table."""

import random
from typing import Any

import attrs
import pytest

from coordinator.engine import commands, events
from coordinator.engine.definition import Grouping
from coordinator.engine.match import Outcome, new_state, step
from coordinator.journal.replay import recover
from coordinator.journal.sqlite import MemoryStore
from protocol import messages as m
from tests.cases.table_servers import orders, tell_raw
from tests.engine.dominion_play import rounds_of
from tests.engine.playing import Game
from tests.engine.stages import KNOCKOUT, MELEE, lower_numbers_win, match_of, score, seats, started, tell
from tests.journal.small_match import write
from tests.shell.premises import Premises, premises
from tests.shell.programs import Program, open_match

DUEL = match_of(rounds_of(2, rematch="allow"), players=2)
BOUTS = match_of(rounds_of(2), players=4)
CUP = match_of(
    attrs.evolve(KNOCKOUT, table_size=2, grouping=Grouping(kind="swiss"), bouts="until_done"), players=4, zero_sum=True
)
BYE = match_of(rounds_of(3), players=3)
DEFINITIONS = {"duel": DUEL, "bouts": BOUTS, "cup": CUP, "bye": BYE}


async def begun(house: Premises, definition: str, players: int) -> tuple[Program, Program]:
    """A match of this definition that has begun, with its table server and lobby."""
    server, lobby = await house.table_server(), await house.lobby()
    await open_match(lobby, "m", definition, players)
    return server, lobby


def shown(house: Premises) -> dict[str, Any]:
    """What the page shows of the match."""
    view = house.picture.match("m")
    assert view is not None
    return dict(view)


async def test_case_045_a_lost_report_comes_again_with_the_table_server(mock_clock: Any) -> None:
    async with premises(DEFINITIONS) as house:
        server, _lobby = await begun(house, "bouts", 4)
        first, second = (await orders(server)).values()
        assert (await server.ask(second.ended())).verdict == "scored"
        await server.cut()
        await house.gone("ts-1")  # and with it the report of the first table
        [open_table] = shown(house)["tables"]
        assert (open_table["table_id"], open_table["in_hand"]) == (first.start.table_id, True)
        assert [line["player_id"] for line in open_table["players"]] == first.players
        assert shown(house)["bout_no"] == 1
        await server.hello()
        assert (await server.ask(first.ended())).verdict == "scored"
        assert shown(house)["bout_no"] == 2
        assert len(shown(house)["tables"]) == 2


async def test_case_045_a_table_that_stays_silent_holds_nobody_up_for_ever(mock_clock: Any) -> None:
    """R-HI-06: it is settled on its last reported hand."""
    async with premises(DEFINITIONS) as house:
        server, _lobby = await begun(house, "bouts", 4)
        first, second = (await orders(server)).values()
        await server.ask(second.ended())
        for _ in range(31):  # the server lives and says nothing of its table
            await house.pass_time(mock_clock, 29)
            await server.cut()
            await house.gone("ts-1")
            await server.hello()
        assert shown(house)["bout_no"] == 2
        late = await server.ask(first.ended())
        assert (late.verdict, late.field) == ("late", "table_id")


@pytest.mark.parametrize("value", [None, "", "NO_RESULT", -1, 99])
async def test_case_050_no_result_is_no_result(mock_clock: Any, value: Any) -> None:
    """Of a table in play and of a table that is none; the refusal names the field and what was expected."""
    async with premises(DEFINITIONS) as house:
        server, _lobby = await begun(house, "cup", 4)
        first, _ = (await orders(server)).values()
        before = house.desk("m").chain.seq
        for table_id in (first.start.table_id, 77):
            nonsense = dict.fromkeys(first.players, value)
            answer = await tell_raw(server, first.ended(), scores=nonsense, table_id=table_id)
            assert answer.type in ("error", "verdict")
            assert getattr(answer, "verdict", "invalid") == "invalid"
            assert answer.field.partition(".")[0].partition("[")[0] in ("scores", "table_id")
            assert answer.expected
        assert house.desk("m").chain.seq == before
        assert (await server.ask(first.ended())).verdict == "scored"


async def test_case_050_a_bye_takes_no_result(mock_clock: Any) -> None:
    async with premises(DEFINITIONS) as house:
        server, _lobby = await begun(house, "bye", 3)
        [only] = (await orders(server)).values()
        state = house.desk("m").state
        [resting] = state.current.byes
        points = state.entrants[resting].points
        for scores in ({resting: 0}, {only.players[0]: 1, resting: 0}):
            answer = await server.ask(only.ended(scores))
            assert (answer.verdict, answer.field) == ("invalid", "scores")
            assert answer.expected == f"exactly {', '.join(only.players)}"
        assert state.entrants[resting].points == points == 3
        assert (await server.ask(only.ended())).verdict == "scored"


async def test_case_054_a_rematch_has_a_table_of_its_own(mock_clock: Any) -> None:
    async with premises(DEFINITIONS) as house:
        server, _lobby = await begun(house, "duel", 2)
        [first] = (await orders(server)).values()
        await server.ask(first.ended())
        *_, second = (await orders(server)).values()
        assert second.start.table_id != first.start.table_id
        assert sorted(second.players) == sorted(first.players)
        again = await server.ask(first.ended())
        other = await server.ask(first.ended(hand_no=2))
        assert (again.verdict, other.verdict, other.field) == ("duplicate", "late", "table_id")
        assert house.desk("m").state.tables[second.start.table_id].in_hand
        assert (await server.ask(second.ended())).verdict == "scored"


async def test_case_056_two_matches_on_one_table_server_do_not_mix(mock_clock: Any) -> None:
    """Both have a table 1 in its epoch 1 and hand 1; every message names its match."""
    async with premises(DEFINITIONS) as house:
        server, lobby = await begun(house, "bouts", 4)
        before = house.desk("m").chain.seq
        await open_match(lobby, "other", "bouts", 4)
        assert house.desk("m").chain.seq == before, "nothing happened to the first by the start of the second"
        played = await orders(server)
        assert sorted(played) == [("m", 1), ("m", 2), ("other", 1), ("other", 2)]
        await server.ask(played["other", 1].ended())
        await server.ask(played["other", 2].ended())
        assert (house.desk("other").state.current.bout_no, house.desk("m").state.current.bout_no) == (2, 1)
        first = played["m", 1]
        assert house.desk("m").state.tables[1].in_hand
        assert (await server.ask(first.ended())).verdict == "scored"
        seated = [told for told in lobby.heard if isinstance(told, m.Seated)]
        assert {told.match_id for told in seated} == {"m", "other"}
        assert house.desk("other").state.current.bout_no == 2


async def test_case_057_a_result_names_the_players_of_the_table(mock_clock: Any) -> None:
    async with premises(DEFINITIONS) as house:
        server, lobby = await begun(house, "bouts", 4)
        first, second = (await orders(server)).values()
        one, two = first.players
        stranger = await house.table_server("ts-2")
        before = house.desk("m").chain.seq
        for scores in ({one: 1}, {second.players[0]: 1, one: 0}, {one: 1, two: 0, second.players[0]: 0}):
            answer = await server.ask(first.ended(scores))
            assert (answer.verdict, answer.field, answer.expected) == ("invalid", "scores", f"exactly {one}, {two}")
        answer = await stranger.ask(first.ended())
        assert (answer.verdict, answer.field) == ("stale_epoch", "epoch")
        refused = await lobby.ask(first.ended())
        assert (refused.code, refused.field) == ("not_allowed", "type")
        assert house.desk("m").chain.seq == before
        assert house.desk("m").state.tables[first.start.table_id].in_hand


async def test_case_058_a_report_counts_once_however_often_it_comes(mock_clock: Any) -> None:
    """Its key is table, hand and epoch: the same again is acknowledged, other content for it is not taken."""
    async with premises(DEFINITIONS) as house:
        server, _lobby = await begun(house, "bouts", 4)
        first, _ = (await orders(server)).values()
        winner, loser = first.players
        won = first.ended({winner: 5, loser: 2})
        assert (await server.ask(won)).verdict == "scored"
        points = {player: house.desk("m").state.entrants[player].points for player in first.players}
        assert points == {winner: 3, loser: 1}
        for ended, verdict in (
            (won, "duplicate"),
            (first.ended({winner: 2, loser: 5}), "conflict"),
            (first.ended({winner: 2, loser: 5}), "conflict"),
            (won, "duplicate"),
            (first.ended({winner: 5, loser: 2}, hand_no=2), "late"),
        ):
            assert (await server.ask(ended)).verdict == verdict
            assert {player: house.desk("m").state.entrants[player].points for player in first.players} == points


@pytest.mark.parametrize("turned", [False, True])
async def test_case_059_a_score_belongs_to_a_player_and_not_to_a_side(mock_clock: Any, turned: bool) -> None:
    """In the second bout of a knockout the sides come in another order than the table numbers of the first."""
    async with premises(DEFINITIONS) as house:
        server, lobby = await begun(house, "cup", 4)
        for order in (await orders(server)).values():
            await server.ask(order.ended())
        *_, final = (await orders(server)).values()
        one, two = final.players
        told = {one: -2, two: 2}
        if turned:
            told = dict(reversed(told.items()))
            refused = await tell_raw(server, final.ended(), scores=[2, -2])
            assert (refused.code, refused.field) == ("malformed", "scores")
        assert (await server.ask(final.ended(told))).verdict == "scored"
        over = await lobby.next(m.MatchOver)
        assert [place.player_id for place in over.places][:2] == [two, one]
        closed = house.desk("m").state.closed_tables[final.start.table_id]
        assert closed.results == [(1, tuple(told[player] for player in closed.seats))]


def test_case_064_a_change_of_players_wipes_no_result() -> None:
    """R-HI-07, R-ST-02: once a knockout runs nobody is put in, taken out or exchanged, and what is played stands."""
    game = started(attrs.evolve(KNOCKOUT, table_size=2, grouping=Grouping(kind="swiss")), players=8)
    for pair in seats(game)[:2]:
        score(game, **{player: lower_numbers_win(player) for player in pair})
    before, open_tables = list(game.events), seats(game)
    played = {number: table.results for number, table in game.state.closed_tables.items()}
    assert len(played) == 2
    for player in ("p8", "p1"):  # one who has not played and one who has
        taken_out = tell(game, commands.WithdrawPlayer(game.t, player))
        assert (taken_out.code, taken_out.field) == ("leave_forbidden", "player_id")
    put_in = tell(game, commands.RegisterPlayer(game.t, "p9", "p9"))
    assert (put_in.code, put_in.field) == ("match_closed", "match_id")
    assert (game.events, seats(game)) == (before, open_tables)
    assert {number: table.results for number, table in game.state.closed_tables.items()} == played


def test_case_064_before_the_start_players_change_as_they_like() -> None:
    game = Game(match_of(attrs.evolve(KNOCKOUT, table_size=2), players=8)).register(7)
    game.do(commands.WithdrawPlayer(0, "p7"))
    for player in ("p8", "p9"):
        game.do(commands.RegisterPlayer(0, player, player))
    assert sorted(player for pair in seats(game) for player in pair) == [f"p{n}" for n in (1, 2, 3, 4, 5, 6, 8, 9)]


def test_case_065_what_is_counted_is_what_was_played() -> None:
    """However many records reached the disk before the process died: the counts after the restart are those of the
    history, and every table that ended has all its places."""
    stage = attrs.evolve(MELEE, grouping=Grouping(shuttle_size=9, max_wait_ms=1))
    game = Game(match_of(stage, players=60, zero_sum=True), seed=65).register(60)
    assert len(game.state.tables) == 20
    game.play(120)
    state, steps = new_state(), []
    for command in game.given:
        outcome = step(state, command)
        assert isinstance(outcome, Outcome)
        steps.append((command, outcome))
    for survived in sorted(random.Random(65).sample(range(61, len(steps)), 12)):
        with MemoryStore() as store:
            write(store, "m", tuple(steps[:survived]))
            found = recover(store, "m").state
        history = [event for _, outcome in steps[:survived] for event in outcome.events]
        seated: dict[int, tuple[str, ...]] = {}
        for event in history:
            if isinstance(event, events.TablesSeated):
                seated |= dict(enumerate(event.tables, start=event.first_table_id))
        scored = [event for event in history if isinstance(event, events.HandScored)]
        assert found.hands == found.current.hands == len(scored)
        for player, entrant in found.entrants.items():
            assert entrant.seatings == sum(player in table for table in seated.values())
            won = [e.scores[seated[e.table_id].index(player)] for e in scored if player in seated[e.table_id]]
            assert entrant.score == 1000 + sum(won)
        ended = [event for event in history if isinstance(event, events.RoundEnded)]
        assert all(sorted(event.places) == [1, 2, 3] for event in ended)
        assert sorted(found.closed_tables) == sorted(event.table_id for event in ended)


async def test_case_067_points_come_from_tables_and_byes_alone(mock_clock: Any) -> None:
    """Whoever is said to be present earns nothing by it, and whoever is not earns what was played."""
    async with premises(DEFINITIONS) as house:
        server, lobby = await begun(house, "bouts", 4)
        late = await lobby.ask(m.Register("m", "late", "Late", ref=1))
        assert late.type == "error", "two bouts take nobody late (R-DM-11)"
        await server.ask(m.SeatPresence("m", 1, "late", True, ref=1))
        first, second = (await orders(server)).values()
        for player in first.players:
            await server.ask(m.SeatPresence("m", second.start.table_id, player, True, ref=1))
        for player in second.players:
            await server.ask(m.SeatPresence("m", second.start.table_id, player, False, ref=1))
        await server.ask(second.ended())
        entrants = house.desk("m").state.entrants
        assert {player: entrant.points for player, entrant in entrants.items()} == {
            **dict.fromkeys(first.players, 0),
            **dict(zip(second.players, (3, 1), strict=True)),
        }
