"""The acceptance vectors of the rule catalogue that take a match to answer, played through its commands."""

from fractions import Fraction
from typing import Any

import attrs
import pytest

from coordinator.engine import commands as c
from coordinator.engine import effects as fx
from coordinator.engine import events
from coordinator.engine.commands import OpenMatch
from coordinator.engine.definition import (
    BaseGrowth,
    CarryOut,
    Cut,
    Elimination,
    End,
    GameState,
    Grouping,
    PlayerState,
    Round,
    Stage,
)
from coordinator.engine.match import new_state, step
from coordinator.engine.refusal import Refused
from tests.cases.vectors import vector
from tests.engine.playing import Game
from tests.engine.stages import (
    CLOCKED,
    DEFAULT,
    KNOCKOUT,
    MELEE,
    SWISS,
    given,
    lower_numbers_win,
    match_of,
    number,
    places,
    players,
    score,
    score_all,
    seats,
    started,
    still_in,
    table_of,
    tell,
)

SWISS_KNOCKOUT = attrs.evolve(KNOCKOUT, grouping=Grouping(kind="swiss"))


def numbers(tables: list[list[str]]) -> list[list[int]]:
    return [[number(player) for player in table] for table in tables]


def test_played_010_the_fee_is_inside_the_payment_at_a_table() -> None:
    """R-MP-01."""
    told, out = vector("AV-010")
    stage = attrs.evolve(DEFAULT, table_size=2, min_payment=True, platform_fee=Fraction(told["fee"]))
    game = started(attrs.evolve(stage, initial_player_state=PlayerState(told["loser"])), players=2)
    score(game, p1=told["due"], p2=-told["due"])
    scored = game.of(events.HandScored)[0]
    assert (scored.scores, scored.house) == ((out["winner_delta"], out["loser_delta"]), out["fee"])


def test_played_052_two_of_four_advance() -> None:
    """R-KO-02."""
    told, out = vector("AV-052")
    game = started(attrs.evolve(KNOCKOUT, table_size=4, advance_per_table=told["take"]), players=told["players"])
    assert len(seats(game)) == out["tables"]
    score_all(game, lower_numbers_win)
    assert len(still_in(game)) == out["advance"]


def test_played_053_middle_places_of_all_tables_are_ranked_together() -> None:
    """R-KO-04: the first 25 has the better last hand, so it goes on and the other does not."""
    told, out = vector("AV-053")
    stage = attrs.evolve(SWISS_KNOCKOUT, advance_per_table="half", round=Round(hands=2))
    game = started(stage, players=told["table_size"] * told["tables"])
    seated = seats(game)
    of_second = zip(told["second_scores"], told["second_last_hand"], strict=True)
    second = dict(zip([table[1] for table in seated], of_second, strict=True))
    first_hand: dict[str, int] = {}
    last_hand: dict[str, int] = {}
    for one, middle, last in seated:
        total, at_last = second[middle]
        first_hand |= {one: 1000, middle: total - at_last, last: -1000}
        last_hand |= {one: 0, middle: at_last, last: 0}
    score_all(game, first_hand)
    score_all(game, last_hand)
    survivors = still_in(game)
    assert len(survivors) == out["advance_total"]
    assert [survivor for survivor in survivors if survivor in second] == [
        seated[table - 1][1] for table in out["second_advance_tables"]
    ]


@pytest.mark.parametrize("case", range(4))
def test_played_054_half_of_odd_tables(case: int) -> None:
    """R-KO-04."""
    told, out = vector("AV-054")
    stage = attrs.evolve(KNOCKOUT, advance_per_table="half", bouts=1)
    game = started(stage, players=told["table_size"] * told["tables"][case]).play()
    assert game.of(events.StageEnded)[0].advancing == out["advance_total"][case]


def test_played_055_half_of_even_tables() -> None:
    """R-KO-03."""
    told, out = vector("AV-055")
    stage = attrs.evolve(KNOCKOUT, table_size=4, advance_per_table="half", bouts=1)
    game = started(stage, players=told["players"]).play()
    assert game.of(events.StageEnded)[0].advancing == out["advance"]


@pytest.mark.parametrize("case", range(3))
def test_played_056_three_ways_to_cut(case: int) -> None:
    """R-SW-02: 50 players at tables of two."""
    told, out = vector("AV-056")
    wanted = told["cuts"][case]
    stage = attrs.evolve(SWISS, table_size=2, cut=Cut(wanted["mode"], Fraction(wanted["value"])))
    game = started(stage, players=told["players"])
    score_all(game, lower_numbers_win)
    assert still_in(game) == players(range(1, out["stay"][case] + 1))


def test_played_057_a_percentage_cuts_the_smaller_number() -> None:
    """R-SW-02."""
    told, out = vector("AV-057")
    stage = attrs.evolve(SWISS, table_size=5, cut=Cut("percent", Fraction(told["cuts"][0]["value"])))
    game = started(stage, players=told["players"])
    score_all(game, lower_numbers_win)
    bout = game.of(events.BoutEnded)[0]
    assert ([len(bout.out)], [len(bout.ranking)]) == (out["out"], out["stay"])


def test_played_058_tables_are_blocks_of_ranks() -> None:
    """R-SW-03."""
    told, out = vector("AV-058")
    game = started(attrs.evolve(SWISS, bouts=2), players=told["players"])
    score_all(game, lower_numbers_win)
    assert numbers(seats(game)) == out["tables"]


def test_played_059_reseated_by_new_totals() -> None:
    """R-SW-03."""
    told, out = vector("AV-059")
    game = started(attrs.evolve(SWISS, bouts=2), players=len(told["ids"]))
    score_all(game, dict(zip(players(told["ids"]), told["totals"], strict=True)))
    assert numbers(seats(game)) == out["tables"]


@pytest.mark.parametrize(
    ("name", "grouping"),
    [
        ("AV-060", Grouping(kind="snake")),
        ("AV-061", Grouping(kind="snake")),
        ("AV-062", Grouping(kind="snake")),
        ("AV-063", Grouping(kind="snake")),
        ("AV-114", Grouping(kind="snake", direction="straight")),
    ],
)
def test_played_060_to_063_and_114_snakes(name: str, grouping: Grouping) -> None:
    """R-GR-02."""
    told, out = vector(name)
    game = started(attrs.evolve(SWISS, table_size=told["size"], grouping=grouping), players=told["n"])
    assert numbers(seats(game)) == out["tables"]


def test_played_064_ui_is_for_three_seats_only() -> None:
    """R-GR-03."""
    told, (tables, error) = vector("AV-064")[0], vector("AV-064")[1]["tables"]
    ui = attrs.evolve(SWISS, grouping=Grouping(kind="ui"))
    assert numbers(seats(started(ui, players=told["n"]))) == tables
    assert error == "config_error"
    outcome = step(new_state(), OpenMatch(0, "m", match_of(attrs.evolve(ui, table_size=4), players=8), "s", "s"))
    assert isinstance(outcome, Refused)


def test_played_065_byes_go_to_the_last_who_had_none() -> None:
    """R-BY-01: p20 had its bye while the field was of 19 and one player too many for six tables."""
    told, out = vector("AV-065")
    stage = attrs.evolve(SWISS, bouts=2)
    game = started(stage, players=told["n"])
    assert len(game.of(events.TablesSeated)[0].byes) == 2
    had = game.of(events.TablesSeated)[0].byes
    assert had == ("p20", "p19")
    score_all(game, lower_numbers_win)
    # Those two now rank below everybody else and still play: the next two in line sit out.
    assert [seated.byes for seated in game.of(events.TablesSeated)] == [("p20", "p19"), ("p18", "p17")]
    assert len(seats(game)) == out["tables"]


@pytest.mark.parametrize("case", range(2))
def test_played_066_bye_points(case: int) -> None:
    """R-CA-01: credited at once, before anybody has played."""
    told, out = vector("AV-066")
    points = told["placement_points"][case]
    stage = attrs.evolve(SWISS, table_size=len(points), scoring="placement", placement_points=tuple(points))
    game = started(stage, players=len(points) + 1)
    (bye,) = game.of(events.TablesSeated)[0].byes
    assert game.state.entrants[bye].points == out["bye_points"][case]


def test_played_067_half_of_the_score_goes_into_the_next_round() -> None:
    """R-CA-02."""
    told, out = vector("AV-067")
    stage = attrs.evolve(SWISS, table_size=2, bouts=2, round_carry_pct=told["pct"])
    game = started(stage, players=2)
    score_all(game, dict(zip(("p1", "p2"), told["scores"], strict=True)))
    assert [game.state.entrants[player].score for player in ("p1", "p2")] == out["carried"]


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("AV-068", CarryOut("divide", divisor=10)),
        ("AV-069", CarryOut("divide", divisor=10, cap=60)),
        ("AV-070", CarryOut("divide", divisor=10, cap=100)),
        ("AV-071", CarryOut("full", cap=2000)),
        ("AV-072", CarryOut("sqrt")),
        ("AV-073", CarryOut("sqrt", coef=Fraction(1, 10))),
    ],
)
def test_played_068_to_073_carried_into_the_next_stage(name: str, rule: CarryOut) -> None:
    """R-CA-03, R-CA-04: the new stage starts at its own score plus what is carried."""
    told, out = vector(name)
    size = len(told["scores"])
    first = attrs.evolve(SWISS, table_size=size, carry_out=rule)
    then = attrs.evolve(DEFAULT, table_size=size, initial_player_state=PlayerState(7))
    game = started(first, then, players=size)
    score_all(game, dict(zip(players(range(1, size + 1)), told["scores"], strict=True)))
    assert list(game.of(events.StageOpened)[1].scores) == [7 + carried for carried in out["carried"]]


@pytest.mark.parametrize("case", range(2))
def test_played_074_carried_not_at_all_or_in_full(case: int) -> None:
    """R-CA-03."""
    told, out = vector("AV-074")
    first = attrs.evolve(SWISS, table_size=4, carry_out=CarryOut(told["mode"][case]))
    game = started(first, attrs.evolve(DEFAULT, table_size=4), players=4)
    score_all(game, dict(zip(players(range(1, 5)), told["scores"], strict=True)))
    assert list(game.of(events.StageOpened)[1].scores) == out["carried"][case]


@pytest.mark.parametrize("tied", ["break", "share"])
def test_played_075_tied_places_broken_or_shared(tied: Any) -> None:
    """R-SC-02."""
    told, out = vector("AV-075")
    stage = attrs.evolve(
        KNOCKOUT,
        table_size=4,
        advance_per_table=3,
        bouts=1,
        round=Round(hands=2),
        scoring="placement",
        placement_points=tuple(told["points"]),
        tied_places=tied,
        grouping=Grouping(kind="swiss"),
    )
    game = started(stage, players=4)
    four = players(range(1, 5))
    last = dict(zip(four, told["last_hand"], strict=True))
    score_all(game, {p: total - last[p] for p, total in zip(four, told["totals"], strict=True)})
    score_all(game, last)
    assert list(game.of(events.RoundEnded)[0].points) == out[tied]


@pytest.mark.parametrize("case", range(3))
def test_played_077_the_event_class_chooses_the_chain(case: int) -> None:
    """R-TB-03: A registered second and had the better last hand."""
    told, out = vector("AV-077")
    classes = told["class"]
    stage = attrs.evolve(DEFAULT, table_size=2, round=Round(hands=2))
    game = started(stage, players=2, event_class=classes[case])
    seat = {"A": "p2", "B": "p1"}
    total, last = ({seat[who]: told[who][what] for who in "AB"} for what in ("score", "last_hand"))
    score_all(game, {p: total[p] - last[p] for p in total})
    score_all(game, last)
    assert game.of(events.MatchEnded)[0].ranking[0] == seat[out["first"][case]]


def test_played_078_registration_splits_equal_last_hands() -> None:
    """R-TB-02."""
    told, out = vector("AV-078")
    game = started(attrs.evolve(DEFAULT, table_size=2, round=Round(hands=2)), players=2)
    seat = {"A": "p2", "B": "p1"}
    for what in (lambda who: told[who]["score"] - told[who]["last_hand"], lambda who: told[who]["last_hand"]):
        score_all(game, {seat[who]: what(who) for who in "AB"})
    assert game.of(events.MatchEnded)[0].ranking[0] == seat[out["first"]]


def test_played_079_multiples_of_the_base() -> None:
    """R-SC-03: the server names multiples, the coordinator multiplies by the base of the hand."""
    told, out = vector("AV-079")
    stage = attrs.evolve(DEFAULT, report="multiple", initial_game_state=GameState(told["base"]))
    game = started(stage, players=3)
    multiple = told["multiple"]
    score(game, p1=2 * multiple, p2=-multiple, p3=-multiple)
    assert game.of(events.HandScored)[0].scores == (out["landlord"], *out["farmers"])


@pytest.mark.parametrize("name", ["AV-080", "AV-081", "AV-082", "AV-083"])
def test_played_080_to_083_target_rounds(name: str) -> None:
    """R-RT-01; in AV-082 nobody wins by score, so the tie chain does: the same last hand, then registration."""
    told, out = vector(name)
    a_round = Round("target", target=told["A"], max_hands=told["B"])
    game = started(attrs.evolve(DEFAULT, table_size=2, round=a_round), players=2)
    for x, y in told["hands"]:
        assert game.state.status == "running"
        score(game, p1=x, p2=y)
    assert (game.state.status, game.state.hands) == ("over", out["ended_at"])
    assert game.of(events.MatchEnded)[0].ranking[0] == {"X": "p1", "Y": "p2", None: "p1"}[out["winner"]]


def test_played_087_two_hands_at_a_final_table() -> None:
    """R-RF-01."""
    told, out = vector("AV-087")
    game = started(attrs.evolve(DEFAULT, round=Round(hands=told["A"])), players=3)
    for hand in told["hands"]:
        score_all(game, dict(zip(("p1", "p2", "p3"), hand, strict=True)))
    assert [game.state.entrants[player].score for player in ("p1", "p2", "p3")] == out["totals"]
    assert [places(game)[player] for player in ("p1", "p2", "p3")] == out["places"]


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("AV-088", Elimination(ratio_of_base=Fraction(1, 4))),
        ("AV-089", Elimination(ratio_of_base=Fraction(1, 4))),
        ("AV-090", Elimination(absolute=0)),
    ],
)
def test_played_088_to_090_the_line_of_a_melee(name: str, line: Elimination) -> None:
    """R-ME-02."""
    told, out = vector(name)
    stage = attrs.evolve(MELEE, elimination=line, initial_game_state=GameState(told.get("base", 100)))
    stage = attrs.evolve(stage, initial_player_state=PlayerState(1000))
    game = started(stage, players=9)
    at_table = seats(game)[0]
    rest = dict(zip(at_table, told["scores"], strict=False))
    score(game, **{player: rest.get(player, 1000) - 1000 for player in at_table})
    eliminated = [player for event in game.of(events.PlayersEliminated) for player in event.players]
    assert [player in eliminated for player in rest] == out["out"][: len(rest)]


def test_played_091_the_base_rises_by_the_clock() -> None:
    """R-ME-03: every hand that starts at one of these times is played at this base."""
    told, out = vector("AV-091")
    growth = BaseGrowth("arith", every_ms=told["every_s"] * 1000, add=told["add"], add_step=told["add_step"])
    stage = attrs.evolve(MELEE, base_growth=growth, hands_per_seating="until_elimination")
    game = started(stage, players=3)
    played = [game.orders[0].base_score]
    for at in told["t"][1:]:
        game.t = int(at * 1000)
        game.fire_due()
        score(game, p1=0, p2=0, p3=0)
        played.append(game.orders[-1].base_score)
    assert played == out["base"]


def test_played_092_geometric_growth_is_rounded_once() -> None:
    """R-ME-03."""
    told, out = vector("AV-092")
    growth = BaseGrowth("geometric", ratio=Fraction(told["ratio"]), every_ms=1000)
    stage = attrs.evolve(MELEE, base_growth=growth, initial_game_state=GameState(told["base0"]))
    game = started(stage, players=3)
    for tick in told["k"]:
        game.t = 1000 * tick
        game.fire_due()
    assert [e.base_score for e in game.effects if isinstance(e, fx.RaiseBase)] == out["base"]


@pytest.mark.parametrize("case", range(3))
def test_played_093_the_shuttle_leaves_when_it_is_full(case: int) -> None:
    """R-ME-04: so many wait while four tables run."""
    told, out = vector("AV-093")
    pool, running, size = told["pool"][case], told["running_tables"], told["table_size"]
    field = running * size + 9
    stage = attrs.evolve(MELEE, grouping=Grouping(shuttle_size=told["shuttle"]))
    game = started(stage, players=field + field % size)
    # Seven tables; three of them end, which makes nine wait: the shuttle leaves at the ninth and not before.
    begun = len(game.of(events.TablesSeated))
    waiting = 0
    for at_table in seats(game)[: pool // size]:
        score(game, **dict.fromkeys(at_table, 0))
        waiting += size
    departed = game.of(events.TablesSeated)[begun:]
    assert sum(len(event.tables) for event in departed) == (0 if waiting < told["shuttle"] else 3)
    assert out["tables"][case] == (0 if pool < told["shuttle"] else 3)


def test_played_094_the_shuttle_leaves_when_no_table_runs() -> None:
    """R-ME-04: seven came, six play, one waits on."""
    told, out = vector("AV-094")
    game = started(attrs.evolve(MELEE, grouping=Grouping(shuttle_size=told["shuttle"])), players=told["pool"])
    assert (len(seats(game)), len(game.state.current.pool)) == (out["tables"], out["left"])


def melee_of(field: int, limit: int, **more: Any) -> Game:
    return started(attrs.evolve(MELEE, end=End(remaining_below=limit), **more), players=field)


def test_av_095_eighteen_left_end_a_melee_that_ends_below_nineteen() -> None:
    """R-ME-05."""
    told, out = vector("AV-095")
    game = melee_of(21, told["remaining_below"])
    for remaining, ended in zip((20, *told["remaining"]), (False, *out["ended"]), strict=True):
        one, two, three = seats(game)[0]
        score(game, **{one: 400, two: 600, three: -1000})
        assert (len(game.state.current.active), game.state.current.draining) == (remaining, ended)


def test_played_096_two_are_out_in_one_hand() -> None:
    """R-ME-05: whoever has more after the hand stands higher."""
    told, out = vector("AV-096")
    game = melee_of(told["left_before"] + 2, 3)  # 102 came: 34 full tables, one is out twice over before
    first = seats(game)[0]
    score(game, **dict(zip(first, (2000, -1000, -1000), strict=True)))
    assert len(still_in(game)) == told["left_before"]
    x, y = told["batch"]
    winner, two, three = seats(game)[0]
    score(game, **{winner: 0, two: x["score"] - 1000, three: y["score"] - 1000})
    out_now = game.of(events.PlayersEliminated)[-1]
    assert dict(zip(out_now.players, out_now.places, strict=True)) == {
        three: out["places"][y["id"]],
        two: out["places"][x["id"]],
    }
    assert len(still_in(game)) == out["left"]


@pytest.mark.parametrize("case", range(3))
def test_played_097_a_seating_lasts_three_hands_or_until_somebody_is_out(case: int) -> None:
    """R-AS-01."""
    told, out = vector("AV-097")
    game = melee_of(9, 3, hands_per_seating=told["H"])
    at_table, table_id = seats(game)[0], table_of(game, seats(game)[0][0]).table_id
    for hand in range(1, told["H"] + 1):
        last = -1000 if hand == told["eliminated_in_hand"][case] else 0
        score(game, **dict(zip(at_table, (-last, 0, last), strict=True)))
        parted = table_id not in game.state.tables
        assert parted == (hand == out["regroup_after_hand"][case])
        if parted:
            break
    assert [event.hand_no for event in game.of(events.HandScored)][-1] == out["regroup_after_hand"][case]


def test_av_098_a_running_hand_keeps_its_base() -> None:
    """R-HI-08, R-ME-03."""
    told, out = vector("AV-098")
    growth = BaseGrowth("arith", every_ms=1000, add=told["tick_to"] - told["hand_started_base"])
    stage = attrs.evolve(MELEE, base_growth=growth, report="multiple", hands_per_seating=2)
    game = started(stage, players=3)
    game.t = 1000
    game.fire_due()
    assert fx.RaiseBase("melee", 1, told["tick_to"]) in game.effects
    assert table_of(game, "p1").base_score == out["this_hand_base"]
    score(game, p1=2, p2=-1, p3=-1)
    assert game.state.entrants["p1"].score == 1000 + 2 * out["this_hand_base"]
    assert game.orders[-1].base_score == out["next_hand_base"]


def at(time: str) -> int:
    """Milliseconds since 19:00."""
    hours, minutes = time.split(":")
    return ((int(hours) - 19) * 60 + int(minutes)) * 60_000


def test_av_102_who_comes_during_a_bout_plays_the_next() -> None:
    """R-CS-01: tables of two, so that everybody who may play does."""
    told, out = vector("AV-102")
    game = Game(match_of(attrs.evolve(CLOCKED, table_size=2))).register(3)
    begin = [at(time) for time in told["bouts"]]
    late = dict(zip(("early", "middle", "sharp"), map(at, told["registered_at"]), strict=True))
    game.t = late["early"]
    given(game, c.RegisterPlayer(game.t, "early", "Early"))
    game.t = begin[0]
    given(game, c.StartMatch(game.t))
    for name in ("middle", "sharp"):
        game.t = late[name]
        game.fire_due()  # a desk fires what is due before it takes a command
        given(game, c.RegisterPlayer(game.t, name, name))
        given(game, c.RegisterPlayer(game.t, f"{name}-mate", name))
    game.t = begin[2]
    game.fire_due()
    first: dict[str, int] = {}
    for seated in game.of(events.TablesSeated):
        for player in (player for table in seated.tables for player in table):
            first.setdefault(player, seated.t)
    assert [first[name] for name in late] == [at(time) for time in out["first_bout"]]
    assert [seated.t for seated in game.of(events.TablesSeated)] == begin


def test_av_107_a_default_stage_takes_exactly_its_table() -> None:
    """R-DF-01."""
    told, out = vector("AV-107")
    for entrants, wanted in zip(told["entrants"], out["start"], strict=True):
        game = Game(match_of(attrs.evolve(DEFAULT, table_size=told["table_size"])))
        for player in players(range(1, entrants + 1)):
            given(game, c.RegisterPlayer(0, player, player))
        if wanted == "ok":
            given(game, c.StartMatch(0))
        else:
            assert tell(game, c.StartMatch(0)).code == "field_too_small"
        assert (game.state.status == "running") == (wanted == "ok")


def test_the_ninetieth_starts_the_match_and_the_next_is_not_in_it() -> None:
    """R-HI-02."""
    told, out = vector("AV-109")
    game = started(SWISS, players=told["full_count"])
    assert len(game.of(events.MatchStarted)) == out["instances_started"]
    refused = tell(game, c.RegisterPlayer(0, f"p{told['registrations']}", "Late"))
    assert refused.code == "match_closed"
    assert told["registrations"] - len(game.state.entrants) == out["waiting_in_next"]


def test_av_110_four_bouts_of_six_tables() -> None:
    """R-HI-06."""
    told, out = vector("AV-110")
    stage = attrs.evolve(SWISS, table_size=told["table_size"], bouts=told["bouts"], cut=Cut("fixed", Fraction(0)))
    game = started(stage, players=told["players"]).play()
    assert len(game.of(events.RoundEnded)) == out["rounds_played"]
    assert len(game.of(events.BoutEnded)) == told["bouts"]


def test_av_111_twenty_seven_to_one() -> None:
    """R-KO-01."""
    told, out = vector("AV-111")
    stage = attrs.evolve(KNOCKOUT, table_size=told["table_size"], advance_per_table=told["take"])
    game = started(stage, players=told["players"]).play()
    fields = [sum(map(len, seated.tables)) + len(seated.byes) for seated in game.of(events.TablesSeated)]
    assert fields == out["field_per_bout"]
    assert len(game.of(events.RoundEnded)) == out["rounds_played"]
    assert game.of(events.StageEnded)[0].advancing == 1


def test_played_112_places_of_the_eliminated_by_place_at_the_table() -> None:
    """R-KO-05: a middle always stands above a last one, however many points the last one has."""
    told, out = vector("AV-112")
    stage = attrs.evolve(SWISS_KNOCKOUT, advance_per_table="half", bouts=1)
    game = started(stage, players=told["table_size"] * told["tables"])
    # The later the table, the more points: the last of table 6 has more than the first of table 1.
    worth: dict[str, int] = {}
    seated = seats(game)
    for table, (one, middle, last) in enumerate(seated):
        worth |= {one: 100 * table + 3, middle: 100 * table + 2, last: 100 * table + 1}
    score_all(game, worth)
    final = places(game)
    assert len([place for place in final.values() if place <= out["survivors"]]) == 9
    middles, lasts = out["middle_places"], out["last_places"]
    assert [final[seated[table][1]] for table in (2, 1, 0)] == list(range(middles[0], middles[1] + 1))
    assert [final[seated[table][2]] for table in (5, 4, 3, 2, 1, 0)] == list(range(lasts[0], lasts[1] + 1))


def test_played_113_one_of_three_falls_below_the_line() -> None:
    """R-ME-01: a hundred play at tables of three and one waits; the third of a table is out as the hundredth."""
    told, out = vector("AV-113")
    stage = attrs.evolve(
        MELEE,
        initial_game_state=GameState(told["base"]),
        elimination=Elimination(ratio_of_base=Fraction(told["ratio"])),
    )
    game = started(stage, players=told["players"])
    score(game, **{p: total - 1000 for p, total in zip(seats(game)[0], told["table_scores"], strict=True)})
    (eliminated,) = game.of(events.PlayersEliminated)
    assert list(eliminated.places) == out["out_places"]
    assert len(still_in(game)) == out["left"]


def test_played_115_the_same_seed_gives_the_same_tables() -> None:
    """R-GR-04."""
    told, _ = vector("AV-115")
    drawn: list[list[list[str]]] = []
    for _run in range(2):
        stage: Stage = attrs.evolve(SWISS, table_size=told["size"], grouping=Grouping(kind="random"))
        drawn.append(seats(Game(match_of(stage, players=told["n"]), seed=9).register(told["n"])))
    assert drawn[0] == drawn[1]
    assert sorted(player for table in drawn[0] for player in table) == players(range(1, told["n"] + 1))
    assert [len(table) for table in drawn[0]] == [3, 3, 3]


def test_played_126_totals_of_a_round() -> None:
    """R-SC-01."""
    told, out = vector("AV-126")
    game = started(attrs.evolve(DEFAULT, round=Round(hands=2)), players=3)
    for hand in told["hands"]:
        score_all(game, dict(zip(("p1", "p2", "p3"), hand, strict=True)))
    assert [game.state.entrants[player].score for player in ("p1", "p2", "p3")] == out["totals"]
