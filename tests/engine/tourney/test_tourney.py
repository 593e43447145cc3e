"""A tourney from its opening to its awards (R-HI-01 to R-HI-04).

Proves R-HI-01.
"""

from fractions import Fraction
from typing import Any

import attrs
import pytest

from coordinator.engine.definition import CarryOut, Phase, Reward
from coordinator.engine.match import new_state
from coordinator.engine.match import step as match_step
from coordinator.engine.refusal import Refused
from coordinator.engine.tourney import commands as tc
from coordinator.engine.tourney import effects as fx
from coordinator.engine.tourney import events as te
from coordinator.engine.tourney.definition import Entry, Link, StartPoint, TourneyDefinition, TourneyMatch
from tests.cases.vectors import vector
from tests.engine.stages import DEFAULT
from tests.engine.tourney_play import DAY, EVENING, FIELD, HOUR, MINUTE, NOON, TABLE, Play, cup, named, when_full

EIGHT = "cup.n0"
"""The first evening's instance."""


def refused(told: object) -> tuple[str, str | None]:
    assert isinstance(told, Refused), told
    return told.code, told.field


# ------------------------------------------------------------------------------------------- at a time


def test_a_start_point_opens_its_match_at_its_time_and_plans_the_next() -> None:
    """R-HI-02: registration opens a day before, the match opens with all who came, in the order they came."""
    play = Play(cup())
    assert play.instance(EIGHT).status == "registering"
    play.enter_all(["a", "b", "c", "d"])
    play.to(EVENING - 1)
    assert play.opened() == []
    play.to(EVENING)
    assert play.opened() == [EIGHT]
    assert play.players_of(EIGHT) == ["a", "b", "c", "d"]
    assert [each.start_at for each in play.state.instances.values()] == [EVENING, EVENING + DAY, EVENING + 2 * DAY]


def test_one_start_point_may_open_many_matches() -> None:
    """Matches with the same conditions are dealt their players in turn, whoever has withdrawn meanwhile."""
    play = Play(cup(heats=2))
    play.enter_all("abcdefgh")
    play.withdraw("a", EIGHT)
    play.withdraw("c", EIGHT)
    play.to(EVENING)
    assert play.players_of(f"{EIGHT}.heat1") == ["b", "e", "g"]
    assert play.players_of(f"{EIGHT}.heat2") == ["d", "f", "h"]


def test_too_few_players_are_called_off_and_refunded() -> None:
    """R-HI-02: fewer than min_players cancel, and every fee goes back once."""
    play = Play(cup(entry=Entry(fee=10)))
    play.enter_all(["a", "b"], payment_ref="pay")
    play.to(EVENING)
    assert play.instance(EIGHT).status == "cancelled"
    assert play.opened() == []
    assert [(due.player_id, due.amount, due.payment_ref, due.reason) for due in play.dues("refund")] == [
        ("a", 10, "pay-a", "too_few"),
        ("b", 10, "pay-b", "too_few"),
    ]
    assert fx.TellCancelled(EIGHT, "too_few", ("a", "b")) in play.left


def test_a_match_that_too_few_came_for_is_called_off_alone() -> None:
    gold, bronze = Entry(fee=5, rating_from=1500), Entry(fee=5, rating_to=1499)
    matches = (TourneyMatch("gold", named(FIELD), gold), TourneyMatch("bronze", named(FIELD), bronze))
    point = StartPoint("evening", ("gold", "bronze"), start_at="2026-01-01T20:00:00", min_players=3)
    play = Play(TourneyDefinition("cup", matches, (point,)))
    for player, rating in (("a", 1200), ("b", 1300), ("c", 1499), ("d", 1500)):
        play.do(tc.EnterPlayer(play.t, "cup", player, player, "lobby", f"pay-{player}", rating))
    play.to(EVENING)
    assert play.opened() == ["cup.bronze"]
    assert [due.player_id for due in play.dues("refund")] == ["d"]
    assert play.state.matches["cup.gold"].status == "cancelled"


@pytest.mark.parametrize(("late", "status"), [(HOUR, "running"), (HOUR + 1, "cancelled")])
def test_a_start_that_was_slept_through_is_made_up_for_or_called_off(late: int, status: str) -> None:
    play = Play(cup())
    play.enter_all("abc")
    play.t = EVENING + late
    play.to(EVENING + late)
    assert play.instance(EIGHT).status == status


def test_starts_nobody_could_register_for_are_not_made_up_for() -> None:
    play = Play(cup())
    play.t = EVENING + 10 * DAY
    play.to(play.t)
    play.restart()
    waiting = [each for each in play.state.instances.values() if each.status in ("planned", "registering")]
    assert {each.start_at for each in waiting} == {EVENING + 11 * DAY, EVENING + 12 * DAY}


# ------------------------------------------------------------------------------------------ when full


def test_av_109_the_ninetieth_starts_the_first_and_the_next_waits_in_the_second() -> None:
    """R-HI-02: when_full, 90 of 91."""
    told, out = vector("AV-109")
    full = told["full_count"]
    play = Play(cup(points=[when_full(full)]))
    play.enter_all([f"p{number}" for number in range(told["registrations"])])
    assert play.opened() == ["cup.1"]
    assert len(play.opened()) == out["instances_started"]
    assert len(play.players_of("cup.1")) == full
    assert len(play.instance("cup.2").entries) == out["waiting_in_next"]
    assert list(play.instance("cup.2").entries) == ["p90"]


def test_a_start_that_does_not_fill_goes_on_after_its_wait_or_is_off() -> None:
    play = Play(cup(points=[when_full(9, wait_ms=10 * MINUTE, min_players=3)]))
    play.enter_all("ab")
    play.to(NOON + 10 * MINUTE)
    assert play.instance("cup.1").status == "cancelled"
    play.enter_all("abc")
    play.to(NOON + 20 * MINUTE)
    assert play.opened() == ["cup.2"]
    assert play.instance("cup.3").status == "registering"


def test_the_wait_begins_with_the_first_who_is_there() -> None:
    play = Play(cup(points=[when_full(9, wait_ms=10 * MINUTE, min_players=3)]))
    play.enter("a")
    play.withdraw("a", "cup.1")
    play.to(NOON + HOUR)
    assert play.instance("cup.1").status == "registering"


# ------------------------------------------------------------------------------------- who may enter


@pytest.mark.parametrize(
    ("entry", "words", "code", "field"),
    [
        (Entry(fee=10), {}, "payment_missing", "payment_ref"),
        (Entry(members=("b",)), {}, "entry_refused", "player_id"),
        (Entry(rating_from=1500), {}, "entry_refused", "rating"),
        (Entry(rating_from=1500), {"rating": 1499}, "entry_refused", "rating"),
        (Entry(rating_to=1500), {"rating": 1501}, "entry_refused", "rating"),
        (Entry(not_playing=True), {"busy_in": "other"}, "entered_elsewhere", "player_id"),
    ],
)
def test_conditions_of_entry(entry: Entry, words: dict[str, Any], code: str, field: str) -> None:
    """R-HI-03: a refusal names the field; who meets the conditions is in."""
    play = Play(cup(entry=entry))
    assert refused(play.enter("a", **words)) == (code, field)
    good: dict[str, Any] = {"payment_ref": "pay", "rating": 1500, "busy_in": None}
    assert isinstance(play.enter("b", **good), te.EntryMade)


def test_places_are_a_quota() -> None:
    play = Play(cup(heats=2, entry=Entry(places=2)))
    play.enter_all("abcd")
    assert refused(play.enter("e")) == ("match_full", "instance_id")
    play.withdraw("a", EIGHT)
    assert isinstance(play.enter("e"), te.EntryMade)


def test_one_at_a_time_is_one_of_the_whole_tourney() -> None:
    play = Play(cup(entry=Entry(one_at_a_time=True)))
    play.enter("a")
    play.to(EVENING - MINUTE)
    assert refused(play.enter("a", "cup.n1")) == ("registration_not_open", "instance_id")
    play.enter_all("bc")
    play.to(EVENING)
    assert refused(play.enter("a", "cup.n1")) == ("entered_elsewhere", "player_id")
    play.finish(EIGHT)
    assert isinstance(play.enter("a", "cup.n1"), te.EntryMade)


def test_who_plays_elsewhere_at_the_start_is_left_out_and_refunded() -> None:
    play = Play(cup(entry=Entry(fee=1, not_playing=True)))
    play.enter_all("abcd", payment_ref="pay")
    play.to(EVENING, busy=("b",))
    assert play.players_of(EIGHT) == ["a", "c", "d"]
    assert [(due.player_id, due.reason) for due in play.dues("refund")] == [("b", "playing")]
    assert fx.TellTakenBack(EIGHT, "b", "playing") in play.left


def test_a_payment_counts_once() -> None:
    play = Play(cup(entry=Entry(fee=10)))
    assert isinstance(play.enter("a", payment_ref="one"), te.EntryMade)
    assert play.enter("a", payment_ref="one") is None
    assert refused(play.enter("a", payment_ref="two")) == ("wrong_match_words", "payment_ref")
    assert refused(play.enter("b", payment_ref="one")) == ("payment_used", "payment_ref")


def test_withdrawing_in_time_gives_the_fee_back_and_a_new_number_later() -> None:
    """R-TB-02: a re-registration after leaving takes a new number."""
    [point] = cup().start_points
    play = Play(cup(points=[attrs.evolve(point, withdraw_until_ms=HOUR)], entry=Entry(fee=10)))
    first = play.enter("a", payment_ref="one")
    play.withdraw("a", EIGHT)
    second = play.enter("a", payment_ref="two")
    assert isinstance(first, te.EntryMade)
    assert isinstance(second, te.EntryMade)
    assert (first.reg_seq, second.reg_seq) == (1, 2)
    assert [due.key for due in play.dues("refund")] == [f"{EIGHT}/refund/1"]
    play.to(EVENING - HOUR)
    assert refused(play.withdraw("a", EIGHT)) == ("leave_forbidden", "instance_id")
    assert refused(play.withdraw("z", EIGHT)) == ("unknown_player", "player_id")


def test_registration_closes_before_the_start_where_it_says_so() -> None:
    [point] = cup().start_points
    play = Play(cup(points=[attrs.evolve(point, register_until_ms=MINUTE)]))
    play.to(EVENING - MINUTE - 1)
    assert isinstance(play.enter("a"), te.EntryMade)
    play.to(EVENING - MINUTE)
    assert refused(play.enter("b", EIGHT)) == ("match_closed", "instance_id")
    late = play.enter("b")
    assert refused(late) == ("registration_not_open", "instance_id")


# ------------------------------------------------------------------------------------------- links


def test_links_wait_for_all_and_take_the_top_of_each() -> None:
    """R-HI-01: Q1 and Q2 feed F; firsts before seconds, in the order of the links."""
    play = Play(cup(heats=2, final=True, take=2))
    play.enter_all("abcdefgh")
    play.to(EVENING)
    play.finish(f"{EIGHT}.heat1", "e", "c")
    assert f"{EIGHT}.final" not in play.opened()
    play.finish(f"{EIGHT}.heat2", "h", "b")
    assert play.opened()[-1] == f"{EIGHT}.final"
    assert play.players_of(f"{EIGHT}.final") == ["e", "h", "c", "b"]
    assert play.instance(EIGHT).status == "running"
    play.finish(f"{EIGHT}.final")
    assert play.instance(EIGHT).status == "over"


def test_nobody_disqualified_goes_on_and_the_next_one_does() -> None:
    play = Play(cup(heats=2, final=True, take=2))
    play.enter_all("abcdefgh")
    play.to(EVENING)
    first, second, third, fourth = play.players_of(f"{EIGHT}.heat1")
    ranking = tuple((player, 0) for player in (first, second, third, fourth))
    play.do(tc.EndTourneyMatch(play.t, f"{EIGHT}.heat1", ranking, disqualified=(second,)))
    play.finish(f"{EIGHT}.heat2", "h", "b")
    assert play.players_of(f"{EIGHT}.final") == [first, "h", third, "b"]


def test_links_carry_as_between_stages() -> None:
    """R-CA-03 between two matches; without a word nothing is carried."""
    halves = Link("heat1", "final", 3, carry=CarryOut("divide", divisor=4))
    play = Play(cup(final=True, links=(halves,)))
    play.enter_all("abcd")
    play.to(EVENING)
    scores: tuple[tuple[str, int | Fraction], ...] = (("a", 90), ("b", Fraction(75, 2)), ("c", -8), ("d", -9))
    play.do(tc.EndTourneyMatch(play.t, f"{EIGHT}.heat1", scores))
    assert [(each.player_id, each.carried) for each in play.orders[-1].players] == [("a", 23), ("b", 9), ("c", 0)]


def test_a_match_that_cannot_be_played_by_those_who_came_stands_still_until_it_is_called_off() -> None:
    play = Play(cup(final=True, entry=Entry(fee=4)))
    play.enter_all("abc", payment_ref="pay")
    play.to(EVENING)
    play.do(tc.EndTourneyMatch(play.t, f"{EIGHT}.heat1", (("a", 1), ("b", 0))))
    assert play.state.matches[f"{EIGHT}.final"].status == "halted"
    assert any(isinstance(effect, fx.RaiseAlarm) for effect in play.left)
    play.do(tc.CancelInstance(play.t, EIGHT))
    assert play.instance(EIGHT).status == "cancelled"
    assert [due.amount for due in play.dues("refund")] == [4, 4, 4]
    assert refused(play.do(tc.CancelInstance(play.t, EIGHT))) == ("match_closed", "instance_id")


def test_a_running_match_is_not_called_off() -> None:
    play = Play(cup())
    play.enter_all("abc")
    play.to(EVENING)
    assert refused(play.do(tc.CancelInstance(play.t, EIGHT))) == ("already_started", "instance_id")


def season() -> TourneyDefinition:
    """Two qualifiers on two days and a final on the fourth."""
    matches = (
        TourneyMatch("q1", named(FIELD)),
        TourneyMatch("q2", named(FIELD)),
        TourneyMatch("final", named(FIELD)),
    )
    points = (
        StartPoint("first", ("q1",), start_at="2026-01-01T20:00:00", min_players=3),
        StartPoint("second", ("q2",), start_at="2026-01-02T20:00:00", min_players=3),
        StartPoint("last", ("final",), start_at="2026-01-04T20:00:00"),
    )
    return TourneyDefinition("season", matches, points, (Link("q1", "final", 2), Link("q2", "final", 2)))


def test_qualifiers_of_different_days_feed_a_final_with_a_day_of_its_own() -> None:
    play = Play(season())
    play.enter_all("abc", "season.first")
    play.to(EVENING)
    play.enter_all("cde", "season.second")
    play.to(EVENING + DAY)
    assert play.opened() == ["season.q1", "season.q2"]
    play.finish("season.q1", "c", "b")
    play.finish("season.q2", "c", "e")
    assert refused(play.enter("z", "season.last")) == ("join_forbidden", "instance_id")
    play.to(EVENING + 3 * DAY - 1)
    assert play.opened() == ["season.q1", "season.q2"]
    play.to(EVENING + 3 * DAY)
    assert play.opened()[-1] == "season.final"
    assert play.players_of("season.final") == ["c", "b", "e"], "nobody comes twice"


def test_a_final_whose_hour_has_come_waits_for_its_qualifiers() -> None:
    play = Play(season())
    play.enter_all("abc", "season.first")
    play.to(EVENING)
    play.finish("season.q1")
    play.to(EVENING + 3 * DAY)
    assert "season.final" not in play.opened()
    assert play.state.matches["season.q2"].status == "cancelled", "nobody came on the second day"


def test_a_qualifier_that_is_off_leaves_its_places_to_nobody() -> None:
    definition = season()
    links = tuple(attrs.evolve(link, n=3) for link in definition.links)
    play = Play(attrs.evolve(definition, links=links))
    play.enter_all("abcd", "season.first")
    play.to(EVENING + DAY)
    play.finish("season.q1", "d")
    play.to(EVENING + 3 * DAY)
    assert play.players_of("season.final") == ["d", "a", "b"]


# ------------------------------------------------------------------------------------------- awards


BANDS = (
    Reward(1, 1, {"coins": 100, "cups": 1}),
    Reward(2, 3, {"coins": 30}),
    Reward(4, 6, {"coins": 20}, shared=True),
    Reward(7, 20, {"coins": 1}),
)


def test_places_win_by_bands_once() -> None:
    """R-HI-03: each place of a band, a shared band in whole units; what lies beyond the field is ignored."""
    play = Play(cup(rewards=BANDS))
    play.enter_all("abcdefg")
    play.to(EVENING)
    play.finish(EIGHT)
    assert play.finish(EIGHT) == [], "told again it is no news"
    won = [(due.player_id, due.place, due.items) for due in play.dues("award")]
    assert won == [
        ("a", 1, {"coins": 100, "cups": 1}),
        ("b", 2, {"coins": 30}),
        ("c", 3, {"coins": 30}),
        ("d", 4, {"coins": 7}),
        ("e", 5, {"coins": 7}),
        ("f", 6, {"coins": 6}),
        ("g", 7, {"coins": 1}),
    ]
    keys = [due.key for due in play.dues("award")]
    assert keys[0] == f"{EIGHT}/award/1"
    assert len(set(keys)) == 7


def test_nobody_disqualified_wins_and_the_others_keep_their_places() -> None:
    play = Play(cup(rewards=(Reward(1, 3, {"coins": 5}),)))
    play.enter_all("abc")
    play.to(EVENING)
    ranking = tuple((player, 0) for player in "abc")
    play.do(tc.EndTourneyMatch(play.t, EIGHT, ranking, disqualified=("b",)))
    assert [(due.player_id, due.place) for due in play.dues("award")] == [("a", 1), ("c", 3)]


def test_an_award_is_owed_until_it_is_confirmed() -> None:
    play = Play(cup(rewards=BANDS[:1]))
    play.enter_all("abc", lobby="front")
    play.to(EVENING)
    play.finish(EIGHT)
    [due] = play.state.dues.values()
    assert due.lobby == "front-a"
    assert play.do(tc.ConfirmDue(play.t, due.key)) != []
    assert play.do(tc.ConfirmDue(play.t, due.key)) == []
    assert play.state.dues == {}
    assert refused(play.do(tc.ConfirmDue(play.t, "nothing"))) == ("unknown_due", "key")


def test_who_came_late_wins_what_others_win_by_the_lobby_that_let_it_in() -> None:
    """R-HI-03: a match that takes players while it runs has players whom its tourney did not know."""
    play = Play(cup(rewards=BANDS[:2]))
    play.enter_all("abc", lobby="front")
    play.to(EVENING)
    late = (te.FieldPlayer("z", "Zoe", "other"),)
    play.do(tc.EndTourneyMatch(play.t, EIGHT, (("a", 3), ("z", 2), ("b", 1), ("c", 0)), late))
    assert [(due.player_id, due.lobby) for due in play.dues("award")] == [
        ("a", "front-a"),
        ("z", "other"),
        ("b", "front-b"),
    ]


# ---------------------------------------------------------------------------------- a changed definition


def test_a_new_definition_holds_for_what_nobody_has_entered() -> None:
    play = Play(cup())
    play.enter_all("abc")
    later = attrs.evolve(cup().start_points[0], start_at="2026-01-01T21:00:00")
    play.do(tc.RedefineTourney(play.t, cup(points=[later], title="new")))
    assert play.instance(EIGHT).start_at == EVENING, "three players rely on it"
    play.to(EVENING)
    assert play.opened() == [EIGHT]
    starts = [each.start_at for each in play.state.instances.values()]
    assert starts[1] == EVENING + HOUR, "and from then on the new hour holds"
    assert play.do(tc.RedefineTourney(play.t, cup(points=[later], title="new"))) == []


def test_a_second_start_on_one_day_gets_a_name_of_its_own() -> None:
    play = Play(cup(points=[StartPoint("only", ("heat1",), start_at="2026-01-01T20:00:00", repeat="weekly")]))
    play.enter_all("abc")
    play.to(EVENING)
    again = StartPoint("only", ("heat1",), start_at="2026-01-01T22:00:00", repeat="weekly")
    play.do(tc.RedefineTourney(play.t, cup(points=[again])))
    assert list(play.state.instances) == ["cup.n0", "cup.n0-2", "cup.n1"]
    play.enter_all("abc", "cup.n0-2")
    play.to(EVENING + 2 * HOUR)
    assert play.opened() == ["cup.n0", "cup.n0-2"]


def test_a_retired_tourney_plans_nothing_and_keeps_its_word() -> None:
    play = Play(cup())
    play.enter_all("abc")
    play.do(tc.RetireTourney(play.t))
    play.to(EVENING)
    play.restart()
    assert play.opened() == [EIGHT]
    assert list(play.state.instances) == [EIGHT]
    play.do(tc.RedefineTourney(play.t, cup()))
    assert [each.status for each in play.state.instances.values()] == ["running", "registering", "planned"]


def test_years_do_not_make_a_state_grow() -> None:
    play = Play(cup(rewards=BANDS[:1]))
    for day in range(120):
        play.enter_all("abc", f"cup.n{day}", lobby="x")
        play.to(EVENING + day * DAY)
        play.finish(f"cup.n{day}")
        play.do(tc.ConfirmDue(play.t, f"cup.n{day}/award/1"))
    assert len(play.state.instances) <= 53
    assert len(play.state.matches) <= 52
    assert len(play.state.confirmed) <= 52


# --------------------------------------------------------------------------------------------- phases


def test_a_phase_brings_its_game_attributes_and_a_stage_has_the_last_word() -> None:
    """R-HI-04: attributes of the phase reach the table server, and where both speak the stage wins."""
    stage = attrs.evolve(DEFAULT, game_attrs={"think_time_s": "5"})
    phase = Phase("final", (stage,), game_attrs={"think_time_s": "15", "variant": "laizi"})
    definition = named(TABLE, phases=(phase,))
    matches = (TourneyMatch("only", definition),)
    play = Play(TourneyDefinition("cup", matches, (when_full(3, opens=("only",)),)))
    play.enter_all("abc")
    [order] = play.orders
    state = new_state()
    from coordinator.engine import commands, effects

    match_step(state, commands.OpenMatch(0, order.match_id, order.definition, order.seed, order.secret))
    for player in order.players:
        match_step(state, commands.RegisterPlayer(0, player.player_id, player.name, player.carried))
    match_step(state, commands.StartMatch(0))
    outcome = match_step(state, commands.PlaceTables(0, (commands.Placement(1, "ts", "life"),)))
    assert not isinstance(outcome, Refused)
    [seat] = [effect for effect in outcome.effects if isinstance(effect, effects.SeatPlayers)]
    assert seat.game_attrs == {"think_time_s": "5", "variant": "laizi"}
