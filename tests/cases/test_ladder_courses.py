"""The vectors and cases of the ladder that need a course: each is played from its first command to its outcome.

Proves R-BL-01, R-BL-03, R-BL-04, R-BL-13, R-RC-03, R-RC-04, R-RC-05.
"""

from typing import Any

import attrs
import pytest

from coordinator.engine.commands import RegisterPlayer
from coordinator.engine.definition import BaseGrowth, GameState
from coordinator.engine.ladder import asking
from coordinator.engine.ladder import ladder_commands as ask
from coordinator.engine.ladder import ladder_events as ev
from coordinator.engine.ladder.slots import Slot
from coordinator.engine.match import evolve, new_state
from coordinator.engine.refusal import Refused
from coordinator.reasons.by_event import reasons_of
from coordinator.shell.dispatch import Dispatch
from coordinator.shell.peers import Peers
from protocol import messages
from protocol.codec import Direction, decode_message
from tests.cases.vectors import vector
from tests.engine.ladder_play import LadderGame, at, ladder_match, roster
from tests.engine.stages import MELEE, score, started

DAY_MS = 24 * 3600 * 1000
EIGHT = tuple("ABCDEFGH")


def a_ladder(*teams: str, **words: Any) -> LadderGame:
    return LadderGame(ladder_match(**words)).begin(*(teams or EIGHT))


def test_av_026_locks() -> None:
    """R-BL-04: with 5->3 open, 3 is not challenged by 4, 5 issues no other, 6->5 is allowed."""
    given, expected = vector("AV-026")
    game = a_ladder()
    for challenger, defender in given["open"]:
        game.issue(game.ranks[challenger - 1], game.ranks[defender - 1])
    accepted = []
    for challenger, defender in given["issue"]:
        command = ask.IssueChallenge(game.t, game.ranks[challenger - 1], game.ranks[defender - 1], game.slots())
        accepted.append(not isinstance(game.do(command), Refused))
    assert accepted == expected["accepted"]


def test_played_027_the_defender_says_nothing() -> None:
    """R-BL-08: forfeited a moment after three days, and the ranks are swapped."""
    given, expected = vector("AV-027")
    game = a_ladder("A", "B", "C", top_phase_ms=0)
    game.until(at(given["issued"]) if at(given["issued"]) > game.t else game.t)
    game.t = at(given["issued"])
    number = game.issue("B", "A")
    game.until(game.t + 3 * DAY_MS)
    assert game.challenge(number).state == "issued", "at the very instant it is in time"
    game.until(given["now"])
    assert (game.over(number).state, game.ranks[:2]) == (expected["state"], ("B", "A"))


def test_played_028_not_done_in_seven_days() -> None:
    """R-BL-08: the challenger forfeits, the ranks stay, the locks are open."""
    given, expected = vector("AV-028")
    game = a_ladder("A", "B", "C", top_phase_ms=0)
    game.t = at(given["issued"])
    number = game.fixed("B", "A")
    game.until(given["now"])
    assert (game.over(number).state, game.ranks) == (expected["state"], ("A", "B", "C"))
    assert game.issue("B", "A") == number + 1


@pytest.mark.parametrize("name", ["AV-029", "AV-030"])
def test_played_029_and_030_the_challenger_cancels(name: str) -> None:
    """R-BL-06: as long as the defender has not reacted."""
    given, expected = vector(name)
    game = a_ladder()
    number = game.issue("D", "C")
    if given["state"] == "countered":
        game.ok(ask.ProposeTimes(game.t, number, "C", game.slots(hour="21:00")))
    outcome = game.do(ask.CancelChallenge(game.t, number, "D"))
    if isinstance(outcome, Refused):
        assert outcome.code == expected["error"]
    else:
        assert game.over(number).state == expected["state"]


def test_played_031_the_challenger_picks_nothing() -> None:
    """R-BL-06: by the earliest time the defender offered."""
    _, expected = vector("AV-031")
    game = a_ladder()
    number = game.issue("D", "C")
    offered = game.slots(hour="21:00")
    game.ok(ask.ProposeTimes(game.t, number, "C", offered))
    game.until(offered[0].at)
    assert game.challenge(number).state == "countered"
    game.until(offered[0].at + 1)
    assert (game.over(number).state, game.ranks) == (expected["state"], EIGHT)


def test_played_032_only_evenings_of_the_week() -> None:
    """R-BL-07: with Saturday and 17:59 the proposal is refused, and the field says which of the four."""
    given, expected = vector("AV-032")
    game = a_ladder()
    found = []
    for slot in given["slots"]:
        others = [Slot(at(f"2024-03-0{day}T19:00")) for day in (6, 7, 8)]
        game.t = at("2024-03-05T12:00")
        outcome = game.do(ask.IssueChallenge(game.t, "D", "C", (Slot(at(slot)), *others)))
        found.append(not isinstance(outcome, Refused))
        if isinstance(outcome, Refused):
            assert (outcome.code, outcome.field) == ("slot_refused", "slots[0]")
        else:
            game.ok(ask.CancelChallenge(game.t, game.of(ev.ChallengeIssued)[-1].challenge_no, "D"))
    assert found == expected["allowed"]


def test_played_033_ready_at_the_last_second_and_one_later() -> None:
    """R-BL-09."""
    for seconds, late in ((15 * 60, False), (15 * 60 + 1, True)):
        game = a_ladder()
        number = game.fixed("D", "C")
        game.lined_up(number)
        game.ok(ask.SayReady(game.t, number, "D"))
        agreed = game.challenge(number).at
        assert agreed is not None
        game.t = agreed + seconds * 1000
        outcome = game.do(ask.SayReady(game.t, number, "C"))
        assert isinstance(outcome, Refused) is late
        if late:
            assert game.over(number).state == "forfeit_defender"
        else:
            assert game.challenge(number).state == "playing"


def test_played_034_two_outsiders_open_a_right() -> None:
    """R-BL-10."""
    given, expected = vector("AV-034")
    opened = []
    for registered in given["registered"]:
        game = a_ladder()
        number = game.fixed("D", "C")
        players = tuple(f"D{n}" if n <= registered else f"guest{n}" for n in range(1, given["fielded"] + 1))
        game.ok(ask.GiveLineUp(game.t, number, "D", players))
        opened.append(bool(game.of(ev.RightOpened)))
    assert opened == expected["right_opens"]


def test_played_035_two_changes_of_one_player_each() -> None:
    """R-BL-11."""
    given, expected = vector("AV-035")
    game, accepted, new = a_ladder(), [], 0
    for players in given["requests"]:
        names = game.state.rosters["A"]
        coming = tuple(f"new{new + number}" for number in range(players))
        outcome = game.do(ask.ChangeRoster(game.t, "A", names[:players], coming))
        accepted.append(not isinstance(outcome, Refused))
        new += players
    assert accepted == expected["accepted"]


def test_played_036_a_report_found_false_by_ruling() -> None:
    """R-BL-12."""
    given, expected = vector("AV-036")
    game = a_ladder(*given["ranks"])
    game.ok(ask.RuleFalseReport(game.t, given["false_report"], "the boards say otherwise"))
    assert list(game.ranks) == expected["ranks"]


SEATS = {"NS": "D1", "EW": "C1"}


def course(name: str) -> tuple[LadderGame, int, list[str]]:
    """Plays the events of a vector about disconnects in the open room, where the challenger sits north-south."""
    given, _ = vector(name)
    game = a_ladder()
    number = game.playing("D", "C")
    claims = []
    for word in given["events"]:
        if word in ("drop", "seamless"):
            game.incident(number, word, SEATS[given["side"]])
        elif word.endswith("plays_on"):
            game.incident(number, "acted", SEATS["EW"])
        else:
            right = game.challenge(number).rights["C"]
            choice: Any = "claim_win" if word.endswith("claim_win") else "reschedule"
            outcome = game.do(ask.ChooseRight(game.t, number, "C", right.right_no, choice))
            if choice == "claim_win":
                claims.append(outcome.code if isinstance(outcome, Refused) else "accepted")
    return game, number, claims


def test_av_038_play_goes_on_and_the_right_is_gone() -> None:
    """R-RC-03, R-RC-04."""
    _, expected = vector("AV-038")
    game, number, claims = course("AV-038")
    right = game.challenge(number).rights["C"]
    assert (len(game.of(ev.RightOpened)), right.state) == (expected["rights_opened"], expected["state"])
    assert claims == ["no_open_right"]


def test_av_039_a_new_drop_is_a_new_right_and_a_choice_is_final() -> None:
    """R-RC-03, R-RC-04."""
    _, expected = vector("AV-039")
    game, number, claims = course("AV-039")
    challenge = game.challenge(number)
    right = challenge.rights["C"]
    assert (len(game.of(ev.RightOpened)), f"{right.state}:{right.choice}") == (
        expected["rights_opened"],
        expected["state"],
    )
    assert (challenge.state, challenge.tables, game.state.tables) == (expected["match"], (), {})
    assert claims == ["no_open_right"]


@pytest.mark.parametrize(("name", "earlier"), [("AV-040", 0), ("AV-041", 1)])
def test_played_040_and_041_deviations_of_a_side(name: str, earlier: int) -> None:
    """R-RC-02: counted per match and side, in whichever room."""
    _, expected = vector(name)
    game = a_ladder()
    number = game.playing("D", "C")
    for _ in range(earlier + 1):
        game.incident(number, "deviation", "D3")  # who sits in the closed room
    right = game.challenge(number).rights["C"]
    assert (game.challenge(number).deviations["D"], list(right.options)) == (expected["count"], expected["options"])


def test_av_042_who_starts_the_match_has_waived() -> None:
    """R-RC-05, R-BL-10."""
    _, expected = vector("AV-042")
    game = a_ladder()
    number = game.fixed("D", "C")
    game.lined_up(number, of_challenger=("D1", "D2", "guest1", "guest2"))
    for team in ("D", "C"):
        game.ok(ask.SayReady(game.t, number, team))
    agreed = game.challenge(number).at
    assert agreed is not None
    game.until(agreed)
    assert game.challenge(number).rights["C"].state == expected["state"]
    assert game.challenge(number).state == "playing", "the match is valid"


def test_av_118_the_week_begins_with_the_top() -> None:
    """R-BL-03."""
    given, expected = vector("AV-118")
    game = a_ladder()
    game.until("2024-03-11T10:00")  # a Monday
    accepted = []
    for challenger, defender in given["issue"]:
        command = ask.IssueChallenge(game.t, game.ranks[challenger - 1], game.ranks[defender - 1], game.slots())
        outcome = game.do(command)
        accepted.append(not isinstance(outcome, Refused))
        if isinstance(outcome, Refused):
            assert outcome.code == "top_phase"
    assert accepted == expected["accepted"]


def test_av_119_a_challenge_binds_teams_and_not_ranks() -> None:
    """R-BL-04."""
    given, expected = vector("AV-119")
    game = a_ladder(*given["ranks"])
    numbers = {}
    for challenger, defender in given["open"]:
        numbers[challenger, defender] = number = game.fixed(challenger, defender)
        game.lined_up(number)
        for team in (challenger, defender):
            game.ok(ask.SayReady(game.t, number, team))
    agreed = game.challenge(1).at
    assert agreed is not None
    game.until(agreed)
    states = [game.challenge(number).state for number in numbers.values()]
    assert states == ["playing", "fixed"], "the players of E sit at one table at a time"
    for winner, _, loser in given["results"]:
        number = numbers[winner, loser]
        game.play(number, [430] + [0] * 15)
        for side in (winner, loser):
            game.report(number, side, 10, 0)
        assert game.over(number).state == "final"
    assert list(game.ranks) == expected["ranks"]


def test_av_120_a_dispute_after_the_end() -> None:
    """R-BL-13."""
    _, expected = vector("AV-120")
    game = a_ladder()
    number = game.playing("D", "C")
    game.play(number, [0] * 16)
    told = game.refused(ask.RaiseDispute(game.t, number, "D", (7,), "a revoke"))
    assert told.code == expected["error"]


def test_av_121_who_comes_back_is_told_once_how_it_stands_now() -> None:
    """R-RC-01: the seat is kept, and one picture of the table has the base score of now."""
    given, expected = vector("AV-121")
    base = (given["base_then"],) * given["dropped_in_hand"] + (given["base_now"],)
    growth = BaseGrowth("table", "hands", every_hands=1, values=base)
    stage = attrs.evolve(MELEE, hands_per_seating=9, initial_game_state=GameState(base[0]), base_growth=growth)
    game = started(stage, players=3)
    seats = game.state.tables[1].seats
    while game.state.tables[1].hand_no < given["back_in_hand"]:
        score(game, **dict.fromkeys(seats, 0))
    told = Dispatch(Peers(), lambda *_: None, lambda _: None).table_messages(game.state, game.state.tables[1])
    seat, hand = [decode_message(message, Direction.FROM_COORDINATOR) for message in told]
    assert isinstance(seat, messages.Seat)
    assert isinstance(hand, messages.StartHand)
    assert len(told) == expected["snapshots"] + 1, "the seats, and the one hand in play"
    assert hand.base_score == expected["snapshot_base"]
    assert expected["seat"] == "unchanged"
    assert tuple(player.player_id for player in seat.seats) == seats


def test_a_player_who_comes_back_without_a_break_has_not_dropped() -> None:
    """R-RC-03: only a re-entry counts."""
    game = a_ladder()
    number = game.playing("D", "C")
    game.incident(number, "seamless", "D1")
    assert game.challenge(number).drops == {}


def test_av_122_a_choice_is_final() -> None:
    """R-RC-04."""
    given, expected = vector("AV-122")
    game = a_ladder()
    number = game.playing("D", "C")
    for _ in range(3):
        game.incident(number, "drop", "D1")
    right = game.challenge(number).rights["C"]
    game.ok(ask.ChooseRight(game.t, number, "C", right.right_no, "continue"))
    right = game.challenge(number).rights["C"]
    assert f"{right.state}:{right.choice}" == given["state"]
    told = game.refused(ask.ChooseRight(game.t, number, "C", right.right_no, given["event"]))
    assert told.code == expected["error"]


def test_teams_come_on_in_the_order_of_an_earlier_event_and_later_ones_at_the_bottom() -> None:
    """R-BL-01."""
    game = LadderGame(ladder_match(initial_rank=("C", "absent", "B"))).begin("A", "B", "C", "D")
    assert game.ranks == ("C", "B", "A", "D")
    game.ok(RegisterPlayer(game.t, "E", "Team E", roster=roster("E")))
    assert "".join(game.ranks) == "CBADE"
    assert game.rating("E") == (1600, 0)
    assert game.refused(RegisterPlayer(game.t, "F", "Team F", roster=roster("F")[:2])).code == "roster_refused"


# --- cases ------------------------------------------------------------------------------------------------------


def test_case_182_an_imp_tie_is_a_win_of_the_defender_in_the_rating_too() -> None:
    """R-RA-02: 1200 challenges, 1000 defends: 24 points change hands."""
    game = a_ladder("weak", "strong")
    assert game.state.ladder is not None
    for team, value in (("weak", 1000), ("strong", 1200)):
        game.state.entrants[team].score = value
        game.state.ladder.teams[team].matches = 28
    game.decided("strong", "weak", challenger_wins=False)
    assert (game.rating("strong"), game.rating("weak")) == ((1176, 29), (1024, 29))


def test_case_184_there_is_no_cap_on_the_difference() -> None:
    """R-RA-02: 1500 beats 1900."""
    game = a_ladder("strong", "weak")
    assert game.state.ladder is not None
    for team, value in (("strong", 1900), ("weak", 1500)):
        game.state.entrants[team].score = value
        game.state.ladder.teams[team].matches = 28
    game.decided("weak", "strong", challenger_wins=True)
    assert game.rating("weak")[0] - 1500 == 29


@pytest.mark.parametrize("end", ["result", "no_reply", "not_done", "late", "claim_win", "ruling"])
def test_case_186_every_end_reaches_the_ladder(end: str) -> None:
    """R-BL-05: 4 challenges 2 and every end that is won by the challenger swaps the two: 1, 4, 3, 2, 5."""
    game = a_ladder("1", "2", "3", "4", "5")
    swapped, same = ("1", "4", "3", "2", "5"), ("1", "2", "3", "4", "5")
    if end == "result":
        number = game.decided("4", "2", challenger_wins=True)
    elif end == "no_reply":
        number = game.issue("4", "2")
        game.until(game.t + 3 * DAY_MS + 1)
    elif end == "not_done":
        number = game.fixed("4", "2")
        game.until(game.t + 7 * DAY_MS + 1)
    elif end == "late":
        number = game.fixed("4", "2")
        game.ok(ask.GiveLineUp(game.t, number, "4", ("41", "42", "43", "44")))
        game.ok(ask.SayReady(game.t, number, "4"))
        game.until(game.t + 2 * DAY_MS)
    elif end == "claim_win":
        number = game.playing("4", "2")
        for _ in range(3):
            game.incident(number, "drop", "21")
        right = game.challenge(number).rights["4"]
        game.ok(ask.ChooseRight(game.t, number, "4", right.right_no, "claim_win"))
    else:
        number = game.issue("4", "2")
        game.ok(ask.RuleOutcome(game.t, number, "4", "the defender has withdrawn"))
    assert game.ranks == (same if end == "not_done" else swapped)
    assert game.over(number).winner == ("2" if end == "not_done" else "4")
    assert all(team.out_challenge is team.in_challenge is None for team in game.state.ladder.teams.values())  # type: ignore[union-attr]
    assert not [timer for timer in game.state.timers if timer.endswith(f"/{number}")]


def test_case_188_the_list_of_targets_is_what_is_accepted() -> None:
    """R-BL-02 to R-BL-04: for every team at every moment, whatever is open and whatever the week says."""
    game = a_ladder()
    moments = ("2024-03-06T12:00", "2024-03-11T10:00", "2024-03-12T10:00")
    for moment in moments:
        game.until(moment)
        for team in EIGHT:
            listed = asking.targets(game.state, team, game.t)
            accepted = []
            for defender in game.ranks:
                command = ask.IssueChallenge(game.t, team, defender, game.slots())
                if not isinstance(asking.issue(game.state, command), Refused):
                    accepted.append(defender)
            assert list(listed) == accepted
        if moment == moments[0]:
            game.decided("D", "B", challenger_wins=False)
            game.issue("H", "E")
    assert asking.targets(game.state, "D", game.t) == ("B", "C")


def test_a_team_can_ask_why_it_stands_where_it_does() -> None:
    """R-BL-05: the end of a challenge names its rule, and a fielded player learns the seat."""
    game = a_ladder("A", "B", "C")
    game.decided("B", "A", challenger_wins=True)
    told, state = [], new_state()
    for event in game.events:
        told += [(reason.rules[0], reason.says) for who in ("B", "B1") for reason in reasons_of(state, event, who)]
        evolve(state, event)
    assert ("R-BL-02", "challenges A: rank 2 may challenge rank 1") in told
    assert ("R-BL-10", "seat 1 of table 1, by the line-up") in told
    assert ("R-BL-05", "wins challenge 1 against A: more IMPs win, equal ones are the defender's; rank 1") in told
