"""A ladder over the wire: what teams ask through a lobby, what a table server tells, what a referee rules."""

from coordinator.journal.dealt import dealt, wrong_deals
from coordinator.journal.sqlite import MemoryStore
from coordinator.shell.office import Office
from protocol import messages as m
from tests.engine.ladder_play import roster
from tests.shell.ladder_premises import NOON, TEAMS, SetClock, fixed, ladder, times


async def test_a_challenge_is_asked_for_fixed_played_and_reported(mock_clock):
    store = MemoryStore()
    async with ladder(mock_clock, store=store) as (house, lobby, server):
        ranks = await lobby.next(m.LadderRanks)
        assert [row.team for row in ranks.teams] == list(TEAMS)
        listed = await lobby.ask(m.ListTargets("lad", "t3", ref=1))
        assert (listed.rank, listed.targets) == (3, ["t1", "t2"])
        number = await fixed(lobby)
        await house.pass_time(mock_clock, 6)
        rooms = [await server.next(m.Seat) for _ in range(2)]
        names = [[seated.player_id for seated in seat.seats] for seat in rooms]
        assert names == [["t21", "t11", "t22", "t12"], ["t13", "t23", "t14", "t24"]]
        deals: dict[int, list[str]] = {}
        for _ in range(4):
            start = await server.next(m.StartHand)
            deals.setdefault(start.hand_no, []).append(start.deal)
            players = names[start.table_id - rooms[0].table_id]
            result = 430 if start.table_id == rooms[0].table_id and start.hand_no == 1 else 0
            scores = dict(zip(players, (result, -result, result, -result), strict=True))
            hand = (start.table_id, start.epoch, start.hand_no, start.attempt_no)
            verdict = await server.ask(m.HandEnded("lad", *hand, scores, ref=1))
            assert verdict.verdict == "scored", verdict
        assert all(first == second for first, second in deals.values()), "the same boards in both rooms"
        swapped = await lobby.ask(m.ReportResult("lad", number, "t2", {"t2": 0, "t1": 10}, ref=1))
        assert (swapped.code, swapped.field) == ("sides_swapped", "imps")
        for team in ("t2", "t1"):
            assert (await lobby.ask(m.ReportResult("lad", number, team, {"t2": 10, "t1": 0}, ref=1))).type == "ok"
        told = [heard for heard in lobby.heard if isinstance(heard, m.ChallengeState)][-1]
        assert (told.state, told.imps, told.winner, told.how) == ("final", [10, 0], "t2", "result")
        ranks = [heard for heard in lobby.heard if isinstance(heard, m.LadderRanks)][-1]
        assert [(row.team, row.rating, row.matches) for row in ranks.teams] == [
            ("t2", 1800, 1),
            ("t1", 1400, 1),
            ("t3", 1600, 0),
        ]
    found = dealt(store, "lad")
    assert [(board, hand_no) for board, hand_no, _ in found.deals] == [("c1.1", 1), ("c1.1", 2)]
    assert wrong_deals(found) == []


async def test_a_refusal_names_the_field_and_what_would_have_been_right(mock_clock):
    async with ladder(mock_clock) as (_, lobby, _server):
        for asked, code, field in (
            (m.IssueChallenge("lad", "t1", "t2", times(), ref=1), "out_of_window", "defender"),
            (m.IssueChallenge("lad", "t2", "t1", times()[:3], ref=1), "wrong_slots", "slots"),
            (m.IssueChallenge("lad", "t2", "t1", times(NOON - 1), ref=1), "slot_refused", "slots[0]"),
            (m.IssueChallenge("lad", "t9", "t1", times(), ref=1), "unknown_player", "team"),
            (m.AcceptTime("lad", 7, "t1", 1, ref=1), "unknown_challenge", "challenge_no"),
            (m.ListTargets("lad", "t9", ref=1), "unknown_player", "team"),
            (m.Ruling("lad", "place", team="t1", ref=1), "malformed", "rank"),
            (m.Register("lad", "t4", "Four", ref=1, roster=["a", "b"]), "roster_refused", "roster"),
        ):
            answer = await lobby.ask(asked)
            assert (answer.type, answer.code, answer.field) == ("error", code, field), answer
            assert answer.expected


async def test_the_same_challenge_asked_twice_is_one(mock_clock):
    async with ladder(mock_clock) as (_, lobby, _server):
        asked = m.IssueChallenge("lad", "t2", "t1", times(), ref=1)
        first, second = await lobby.ask(asked), await lobby.ask(asked)
        assert first.challenge_no == second.challenge_no == 1


async def test_three_drops_open_a_right_that_lobby_and_table_server_hear_of(mock_clock):
    async with ladder(mock_clock) as (house, lobby, server):
        number = await fixed(lobby)
        await house.pass_time(mock_clock, 6)
        seat = await server.next(m.Seat)
        for count in (1, 2, 2, 3):  # told twice, it counts once
            told = m.Incident("lad", seat.table_id, seat.epoch, count, "drop", "t21", ref=1)
            assert (await server.ask(told)).type == "ok"
        right = await lobby.next(m.RightOpened)
        assert (right.team, right.trigger, right.options) == (
            "t1",
            "disconnect",
            ["reschedule", "claim_win", "continue"],
        )
        assert await server.next(m.RightOpened) == right
        answer = await lobby.ask(m.ChooseRight("lad", number, "t1", right.right_no, "claim_win", ref=1))
        assert answer.type == "ok"
        last = [heard for heard in lobby.heard if isinstance(heard, m.ChallengeState)][-1]
        assert (last.state, last.winner, last.how) == ("forfeit_challenger", "t1", "claimed")
        assert (await server.next(m.CloseTable)).table_id == seat.table_id


async def test_a_deadline_of_days_fires_by_the_wall_clock(mock_clock):
    async with ladder(mock_clock) as (house, lobby, _server):
        answer = await lobby.ask(m.IssueChallenge("lad", "t2", "t1", times(), ref=1))
        assert answer.type == "challenged"
        state = house.office.desks["lad"].state
        assert state.timers["reply/1"] > NOON, "Unix time"
        # The clock on the wall is set three days on: within a minute the ladder has noticed.
        house.office.wall_ms = SetClock(mock_clock, NOON + 3 * 86_400_000 + 60_000)  # type: ignore[method-assign]
        await house.pass_time(mock_clock, 61)
        assert state.ladder is not None
        assert state.ladder.ranks[:2] == ("t2", "t1")
        assert [over.how for over in state.ladder.finished] == ["no_reply"]


async def test_what_passed_while_nobody_ran_has_passed_at_the_next_start(mock_clock):
    """R-BL-08: recovery takes the ladder up where it stood and carries out the overdue deadlines in their order."""
    async with ladder(mock_clock) as (house, lobby, _server):
        await lobby.ask(m.IssueChallenge("lad", "t2", "t1", times(), ref=1))
        await lobby.ask(m.IssueChallenge("lad", "t3", "t2", times(), ref=1))
        store = house.office._store
        old = house.office
        later = Office(store, old.writer, old.peers, old.timers, old.definitions)
        later.wall_ms = SetClock(mock_clock, NOON + 8 * 86_400_000)  # type: ignore[method-assign]
        await old.writer.drain()
        assert later.recover() == 1
        later.wake()
        state = later.desks["lad"].state
        assert state.ladder is not None
        assert [(over.challenge_no, over.how) for over in state.ladder.finished] == [(1, "no_reply"), (2, "no_reply")]
        assert state.ladder.ranks == ("t3", "t1", "t2"), "t2 took the first rank, then t3 that of t2"
        assert not [timer for timer in state.timers if timer.split("/")[0] in ("reply", "complete")]


async def test_a_lobby_that_comes_late_is_told_how_the_ladder_stands(mock_clock):
    async with ladder(mock_clock) as (house, lobby, _server):
        number = await fixed(lobby)
        other = house.program("other", "lobby")
        assert (await other.hello(session="another")).resumed == "snapshot"
        ranks, told = await other.next(m.LadderRanks), await other.next(m.ChallengeState)
        assert [row.team for row in ranks.teams] == list(TEAMS)
        assert (told.challenge_no, told.state, told.challenger_ready, told.defender_ready) == (
            number,
            "fixed",
            True,
            True,
        )


async def test_a_team_leaves_and_comes_back(mock_clock):
    """It gives up its challenge; it is the same entrant when it comes back, at the bottom."""
    async with ladder(mock_clock) as (house, lobby, _server):
        number = await fixed(lobby)
        assert (await lobby.ask(m.Withdraw("lad", "t1", ref=1))).type == "ok"
        while (ended := await lobby.next(m.ChallengeState)).winner is None:
            continue
        assert (ended.challenge_no, ended.winner, ended.how) == (number, "t2", "left")
        entered = await lobby.ask(m.Register("lad", "t1", "Team t1", ref=1, roster=list(roster("t1"))))
        assert (entered.type, entered.reg_seq) == ("entered", 1)
        state = house.office.desks["lad"].state
        assert state.ladder is not None
        assert state.ladder.ranks == ("t2", "t3", "t1")
        page = house.picture.match("lad")
        assert page is not None
        texts = [line["text"] for line in page["events"]]
        assert "Team t1 has left the ladder; the teams below move up" in texts
        assert f"challenge {number}: Team t2 wins, the other team left the ladder; the ranks are exchanged" in texts


async def test_a_director_closes_the_ladder_and_everybody_has_a_place(mock_clock):
    async with ladder(mock_clock) as (house, lobby, _server):
        assert (await lobby.ask(m.Ruling("lad", "false_report", team="t1", ref=1))).type == "ok"
        assert (await lobby.ask(m.Ruling("lad", "close", ref=1))).type == "ok"
        over = await lobby.next(m.MatchOver)
        assert [(row.player_id, row.points) for row in over.places] == [
            ("t2", "0 matches, provisional"),
            ("t3", "0 matches, provisional"),
            ("t1", "0 matches, provisional"),
        ]
        page = house.picture.match("lad")
        assert page is not None
        texts = [line["text"] for line in page["events"]]
        assert "Team t1 is put on rank 3 for a false report" in texts
        assert all(0 <= line["t_ms"] < 3_600_000 for line in page["events"]), "time since the start, not since 1970"
