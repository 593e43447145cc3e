"""A match thrown about: legal definitions of all kinds, commands right and wrong, and an observer who keeps count."""

import pickle
import random
from collections.abc import Iterable
from fractions import Fraction
from typing import Any, get_args

import attrs
from hypothesis import assume
from hypothesis import strategies as st

from coordinator.engine import commands as c
from coordinator.engine import effects as fx
from coordinator.engine import events
from coordinator.engine.checks.match import definition_mistakes
from coordinator.engine.definition import (
    BaseGrowth,
    CarryOut,
    Clock,
    Cut,
    Datum,
    Duplicate,
    Elimination,
    End,
    GameState,
    Grouping,
    Interruption,
    Island,
    MainPoints,
    MatchDefinition,
    Pack,
    PlayerState,
    Revival,
    Reward,
    Round,
    Stage,
)
from coordinator.engine.directing import director_commands as dc
from coordinator.engine.directing import director_events as ev
from coordinator.engine.field_flow import flow, why_not
from coordinator.engine.formats import timeline_of
from coordinator.engine.match import Outcome, decide, effects, evolve, new_state, step
from coordinator.engine.refusal import Refused
from coordinator.engine.stage_rules import by_points, bye_worth, is_final, last_late_bout
from coordinator.engine.state import MatchState, Table
from coordinator.engine.timelines import clock
from tests.engine.stages import CLOCKED, DEFAULT, DOMINION, MELEE, SWISS, match_of

# --- definitions ----------------------------------------------------------------------------------------------------

CUTS = st.sampled_from(
    [
        None,
        Cut("none"),
        Cut("fixed", Fraction(1)),
        Cut("fixed", Fraction(5)),
        Cut("percent", Fraction(30)),
        Cut("percent", Fraction(125, 2)),
        Cut("keep", Fraction(7)),
        Cut("keep", Fraction(2)),
    ]
)
CARRIES = st.sampled_from(
    [
        CarryOut("none"),
        CarryOut("full"),
        CarryOut("sqrt"),
        CarryOut("sqrt_median", base=20),
        CarryOut("divide", divisor=7, cap=90),
    ]
)


@st.composite
def bout_stages(draw: st.DrawFn) -> Stage:
    """A Swiss shift or a knockout."""
    size = draw(st.integers(2, 4))
    chains: list[Any] = [None, ("last_hand", "registration"), ("registration",)]
    kinds: list[Any] = [None, "swiss", "snake", "random"] + ["ui"] * (size == 3)
    kind = draw(st.sampled_from(kinds))
    placement = draw(st.booleans())
    rounds = [Round(hands=1), Round(hands=2)] + [Round("target", target=200, max_hands=3)] * (size == 2)
    rounds += [Round("target", target=50, max_hands=3, sides=("NS", "EW", "NS", "EW"))] * 2 * (size == 4)
    stage = attrs.evolve(
        SWISS,
        table_size=size,
        round=draw(st.sampled_from(rounds)),
        grouping=Grouping(
            kind=kind,
            direction=draw(st.sampled_from(["serpentine", "straight"])) if kind == "snake" else "serpentine",
            seat_order=draw(st.sampled_from([None, "rank", "random"])),
        ),
        scoring="placement" if placement else "total",
        tied_places=draw(st.sampled_from(["break", "share"])) if placement else "break",
        bye_delta=0 if placement else draw(st.sampled_from([0, 40])),
        tie_chain=draw(st.sampled_from(chains)),
        round_carry_pct=draw(st.sampled_from([100, 100, 50, 0])),
        initial_game_state=GameState(10),
        base_growth=draw(st.sampled_from([BaseGrowth(), BaseGrowth("arith", every_ms=5000, add=5)])),
        bouts=draw(st.integers(1, 4)),
        cut=draw(CUTS),
    )
    if draw(st.booleans()):
        return stage
    takes: list[Any] = ["half", *range(1, size)]
    take = draw(st.sampled_from(takes))
    return attrs.evolve(
        stage,
        id="knockout",
        format="knockout",
        cut=draw(CUTS) if draw(st.integers(0, 3)) == 0 else None,
        bouts=draw(st.sampled_from([None, "until_done", 1, 2])),
        advance_per_table=take,
        half_rounding=draw(st.sampled_from(["floor", "ceil"])) if take == "half" and size % 2 else "floor",
        align_to_table=draw(st.booleans()),
    )


@st.composite
def melees(draw: st.DrawFn) -> Stage:
    """A melee or an ASS whose base rises until somebody must be out."""
    size = draw(st.integers(2, 4))
    least = draw(st.booleans())
    lines = [Elimination(ratio_of_base=Fraction(1, 4)), Elimination(absolute=0, compare="le")]
    growths = [
        BaseGrowth("arith", by="hands", every_hands=4, add=100, add_step=20),
        BaseGrowth("geometric", by="hands", every_hands=5, ratio=Fraction(3, 2)),
        BaseGrowth("arith", every_ms=2000, add=150),
        BaseGrowth("table", every_ms=3000, values=(100, 100, 300, 900, 2700, 8100, 10**6)),
    ]
    seatings: list[Any] = [None, 1, 3, "until_elimination"]
    return attrs.evolve(
        MELEE,
        table_size=size,
        grouping=Grouping(
            shuttle_size=draw(st.integers(size, 4 * size)),
            max_wait_ms=draw(st.sampled_from([1, 4000, 30_000])),
            seat_order=draw(st.sampled_from([None, "rank", "random"])),
        ),
        elimination=draw(st.sampled_from(lines)),
        base_growth=draw(st.sampled_from(growths)),
        hands_per_seating=draw(st.sampled_from(seatings)),
        regroup=draw(st.sampled_from(["random", "swiss"])),
        min_payment=least,
        platform_fee=draw(st.sampled_from([Fraction(0), Fraction(3), Fraction(1, 10)])) if least else Fraction(0),
        report=draw(st.sampled_from(["delta", "multiple"])),
        revival=draw(revivals()),
        end=End(
            remaining_below=draw(st.integers(2, 14)),
            advance_count=draw(st.sampled_from([None, 2, 6])),
            max_ms=draw(st.sampled_from([None, None, 20_000])),
        ),
    )


@st.composite
def declaring(draw: st.DrawFn, stage: Stage) -> Stage:
    """The stage with any legal policies for its interrupted hands (R-RC-02)."""
    if draw(st.booleans()):
        return stage
    policies = ["repeat", "resume", "void", "let_stand", "average" if stage.scoring == "duplicate" else "redeal"]
    lost: Any = draw(st.sampled_from(policies))
    aborted: Any = draw(st.sampled_from([policy for policy in policies if policy != "resume"]))
    away = stage.format == "melee" and draw(st.booleans())
    interruption = Interruption(server_lost=lost, aborted=aborted)
    return attrs.evolve(stage, interruption=interruption, offline_out_at_stage_end=away)


@st.composite
def revivals(draw: st.DrawFn, *, island: bool = False) -> Revival | None:
    """How players come back, or that they do not."""
    rule = draw(
        st.sampled_from(
            [
                None,
                Revival("list", fees=(100, 200)),
                Revival("linear", base_fee=100, max_times=2),
                Revival("exponential", base_fee=100, max_times=3, fee_kind="item", item_id="ticket"),
                Revival("direct", packs=(Pack(1000, 50), Pack(300, 10)), max_times=2) if island else None,
            ]
        )
    )
    if rule is None:
        return None
    return attrs.evolve(
        rule,
        offer_ms=draw(st.sampled_from([1, 900, 15_000])),
        score_after=draw(st.sampled_from(["initial", 400])),
        until_players=draw(st.sampled_from([None, 5])),
        until_ms=draw(st.sampled_from([None, 6000])),
    )


@st.composite
def islands(draw: st.DrawFn) -> Stage:
    """An island of any kind, at most played three times."""
    leaves: list[Any] = ["forfeit", "cash_out", "keep"]
    policies: list[Any] = ["drain", "drain", "snapshot"]
    loop, leave, policy = draw(st.booleans()), draw(st.sampled_from(leaves)), draw(st.sampled_from(policies))
    return attrs.evolve(
        draw(melees()),
        format="island",
        leave="allowed",
        join="any_time",
        hands_per_seating=None,
        round=Round(hands=draw(st.integers(1, 2))),
        regroup="random",
        end=End(),
        revival=draw(revivals(island=True)),
        rewards=draw(st.sampled_from([(), (Reward(1, 2, {"coins": 10}), Reward(4, 9, {"coins": 5}))])),
        island=Island(
            duration_ms=draw(st.sampled_from([1, 5000, 12_000])),
            end_policy=policy,
            drain_max_ms=draw(st.sampled_from([1000, 300_000])) if policy == "drain" else 300_000,
            entry_score=draw(st.sampled_from([None, 700])),
            rejoin=draw(st.sampled_from(["fresh", "keep"])) if leave == "keep" else "fresh",
            leave_processing=leave,
            exchange_rate=draw(st.sampled_from([1, 10])) if leave == "cash_out" else 1,
            rest_ms=draw(st.sampled_from([None, 1, 3000])),
            loop=loop,
            loop_count=draw(st.integers(1, 3)) if loop else None,
        ),
    )


@st.composite
def island_matches(draw: st.DrawFn) -> MatchDefinition:
    """One or two islands in a row for 2 to 30 players."""
    stages = [
        attrs.evolve(draw(islands()), id=f"s{n}", carry_out=draw(CARRIES)) for n in range(draw(st.integers(1, 2)))
    ]
    definition = match_of(
        *[draw(declaring(stage)) for stage in stages], players=draw(st.integers(5, 30)), zero_sum=True
    )
    wrong = definition_mistakes(definition)
    assert wrong == [], wrong
    return definition


@st.composite
def clocked(draw: st.DrawFn) -> Stage:
    """A continuous Swiss of short bouts."""
    hands, bouts = draw(st.integers(1, 3)), draw(st.integers(1, 4))
    return attrs.evolve(
        CLOCKED,
        table_size=draw(st.integers(2, 4)),
        round=Round(hands=hands),
        bouts=bouts,
        grouping=Grouping(seat_order=draw(st.sampled_from([None, "random"]))),
        clock=draw(
            st.sampled_from(
                [
                    Clock(bout_ms=4000, grace_ms=1500),
                    Clock(bout_ms=2500, grace_ms=0),
                    Clock(bout_ms=3000, unfinished_board="finish"),
                    Clock(bout_ms=9000, grace_ms=12_000, late_entry=False),
                ]
            )
        ),
        duplicate=Duplicate(
            scale=draw(st.sampled_from(["sp", "imp", "raw"])),
            datum=draw(st.sampled_from([Datum(), Datum(Fraction(0)), Datum(trim_fixed=1, round=10)])),
            min_results=draw(st.integers(1, 2)),
            closes_at=draw(st.sampled_from([2, 5, 40])),
            required_boards=draw(st.integers(1, bouts * hands)),
        ),
        table_timeout_ms=draw(st.sampled_from([2000, 60_000])),
    )


@st.composite
def clock_matches(draw: st.DrawFn) -> MatchDefinition:
    """A continuous Swiss, alone or before a Swiss shift of its best."""
    first = draw(clocked())
    field = draw(st.integers(first.table_size, 40))
    stages: tuple[Stage, ...] = (first,)
    if draw(st.booleans()):
        end = End(advance_count=draw(st.integers(2, first.table_size)))
        stages = (attrs.evolve(first, end=end), attrs.evolve(SWISS, table_size=2, id="then", table_timeout_ms=60_000))
    definition = match_of(*[draw(declaring(stage)) for stage in stages], players=field, zero_sum=True)
    wrong = definition_mistakes(definition)
    assert wrong == [], wrong
    return definition


@st.composite
def dominions(draw: st.DrawFn) -> Stage:
    """A Dominion Swiss whose players may come and go."""
    chains: list[Any] = [None, ("main_sum", "sub_mean", "entry_order"), ("entry_order",)]
    bouts: list[Any] = [None, 1, 3, 5]
    kinds: list[Any] = [None, None, "swiss", "random"]
    return attrs.evolve(
        DOMINION,
        bouts=draw(st.sampled_from(bouts)),
        grouping=Grouping(kind=draw(st.sampled_from(kinds)), seat_order=draw(st.sampled_from([None, "random"]))),
        join=draw(st.sampled_from(["none", "any_time"])),
        leave=draw(st.sampled_from(["forbidden", "allowed"])),
        rematch=draw(st.sampled_from(["avoid", "avoid", "allow"])),
        main_points=draw(st.sampled_from([MainPoints(), MainPoints(2, 2, 2, 1, 0, -3, -1)])),
        tie_chain=draw(st.sampled_from(chains)),
        top_cut=draw(st.sampled_from([None, 2, 3])),
        table_timeout_ms=60_000,
    )


@st.composite
def dominion_matches(draw: st.DrawFn) -> MatchDefinition:
    """A Dominion Swiss of 2 to 20 players, with its final where it has a cut."""
    stage = draw(dominions())
    stages: tuple[Stage, ...] = (stage,)
    if stage.top_cut is not None and draw(st.booleans()):
        stages = (stage, attrs.evolve(DEFAULT, table_size=stage.top_cut))
    definition = match_of(
        *[draw(declaring(stage)) for stage in stages], players=draw(st.integers(2, 20)), zero_sum=True
    )
    assume(why_not(definition, definition.start.full_count or 0) is None)
    wrong = definition_mistakes(definition)
    assert wrong == [], wrong
    return definition


@st.composite
def matches(draw: st.DrawFn) -> MatchDefinition:
    """A legal match of one to three stages for 2 to 60 players."""
    field = draw(st.integers(2, 60))
    stages: tuple[Stage, ...] = ()
    for number in range(draw(st.integers(1, 2))):
        stage = draw(melees() if draw(st.integers(0, 2)) == 0 else bout_stages())
        stages = (*stages, attrs.evolve(stage, id=f"s{number}", carry_out=draw(CARRIES), table_timeout_ms=60_000))
    told = {"zero_sum": True, "event_class": draw(st.sampled_from(["regular", "championship", "swiss"]))}
    definition = match_of(*[draw(declaring(stage)) for stage in stages], players=field, **told)
    if why_not(definition, field) is not None:
        stages = stages[:1]
        definition = match_of(*[draw(declaring(stage)) for stage in stages], players=field, **told)
    assume(why_not(definition, field) is None)
    least, most = flow(definition, field)[-1].leaves
    if least == most and 2 <= least <= 6:
        last = attrs.evolve(DEFAULT, table_size=least, initial_player_state=PlayerState(50))
        definition = match_of(*[draw(declaring(stage)) for stage in stages], last, players=field, **told)
    wrong = definition_mistakes(definition)
    assert wrong == [], wrong
    return definition


# --- commands -------------------------------------------------------------------------------------------------------

WORDS = (
    ["hand"] * 6
    + ["all tables"] * 3
    + ["wrong table", "wrong epoch", "wrong attempt", "wrong hand", "wrong players", "wrong sum", "wrong server"]
    + [
        "again",
        "again otherwise",
        "lose server",
        "lose old life",
        "give back",
        "log",
        "log gap",
        "place",
        "place twice",
    ]
    + ["wait", "jump", "late entry", "withdraw", "drop", "start", "release", "pause", "presence"]
    + ["revive", "revive", "revive wrongly", "decline", "join", "join", "leave", "leave"]
    + ["penalty", "disqualify", "reinstate", "correct", "correct", "reseat"]
)
MOVES = st.lists(st.tuples(st.sampled_from(WORDS), st.integers(0, 2**20)), max_size=40)


@attrs.define
class Tossed:
    """A match with its observer: every command is checked against what must hold whatever happens."""

    definition: MatchDefinition
    state: MatchState = attrs.field(factory=new_state)
    t: int = 0
    life: int = 0
    asked: list[c.Command] = attrs.field(factory=list)
    story: list[events.Event] = attrs.field(factory=list)
    told: list[fx.Effect] = attrs.field(factory=list)
    reports: list[c.EndHand] = attrs.field(factory=list)
    timers: dict[str, int] = attrs.field(factory=dict)
    places: dict[str, int | None] = attrs.field(factory=dict)
    last_heard: dict[str, tuple[str, object]] = attrs.field(factory=dict)
    final_notices: dict[str, int] = attrs.field(factory=dict)
    points: int = 0
    base: int = 0
    worth: dict[str, int] = attrs.field(factory=dict)
    seats: dict[int, tuple[str, ...]] = attrs.field(factory=dict)
    byes: tuple[str, ...] = ()

    def open(self, seed: str = "seed") -> "Tossed":
        """Open the match and fill it."""
        self.give(c.OpenMatch(0, "m", self.definition, seed, "secret"))
        for number in range(1, (self.definition.start.full_count or 0) + 1):
            self.give(c.RegisterPlayer(0, f"p{number}", f"Player {number}"))
        assert self.state.status != "registering"
        return self

    def give(self, command: c.Command) -> Outcome | Refused:
        """Give one command and see that nothing impossible came of it."""
        refused = decide(self.state, command)
        if isinstance(refused, Refused):
            before = pickle.dumps(self.state)
            assert step(self.state, command) == refused
            assert pickle.dumps(self.state) == before, "a refusal changed the state"
            assert refused.code
            assert refused.message
            return refused
        outcome = step(self.state, command)
        assert not isinstance(outcome, Refused)
        self.asked.append(command)
        self.story += outcome.events
        self.told += outcome.effects
        if isinstance(command, c.FireTimer):
            del self.timers[command.timer_id]
        self._count(outcome.events)
        self._listen(outcome.effects)
        self._look()
        return outcome

    # what must hold

    def _count(self, happened: Iterable[events.Event]) -> None:
        for event in happened:
            if isinstance(event, events.StageOpened):
                self.points, self.base = sum(event.scores), 0
                self.worth = dict(zip(event.players, event.scores, strict=True))
            elif isinstance(event, events.EntrantAdmitted):
                self.points += event.score - self.worth.get(event.player_id, 0)
                self.worth[event.player_id] = event.score
            elif isinstance(event, events.LateEntered):
                self.worth[event.player_id] = self.state.stage_rules.initial_player_state.score
                self.points += self.worth[event.player_id]
            elif isinstance(event, events.PlayerJoined) and event.next_stage:
                self.places.pop(event.player_id, None)
            elif isinstance(event, events.PlayerJoined | events.PlayerRevived):
                self.points += event.score - self.worth.get(event.player_id, 0)
                self.worth[event.player_id] = event.score
                self.places.pop(event.player_id, None)
            elif isinstance(event, events.TablesSeated):
                self.seats |= dict(enumerate(event.tables, start=event.first_table_id))
                self.byes = event.byes
                for player in event.byes:
                    self.worth[player] += bye_worth(self.state.stage_rules)[0]
                    self.points += bye_worth(self.state.stage_rules)[0]
            elif isinstance(event, events.HandScored):
                assert sum(event.scores) + event.house == 0
                self.points -= event.house
                for player, worth in zip(self.seats[event.table_id], event.scores, strict=True):
                    self.worth[player] += worth
            elif isinstance(event, ev.PenaltyGiven | ev.HandCorrected | ev.SeatingTakenBack):
                self._count_again(event)
            elif isinstance(event, ev.PlayerReinstated | ev.RoundRevised):
                back = [event.player_id] * event.back if isinstance(event, ev.PlayerReinstated) else event.back
                for player in back:
                    self.places.pop(player, None)
                    self.final_notices.pop(player, None)
            elif isinstance(event, events.BaseRaised):
                assert event.base_score >= self.base, "the base fell"
                self.base = event.base_score

    def _count_again(self, event: ev.PenaltyGiven | ev.HandCorrected | ev.SeatingTakenBack) -> None:
        """What no hand has won or lost: points are booked with it, and nothing else makes or loses any."""
        booked: dict[str, int] = {}
        if isinstance(event, ev.PenaltyGiven):
            if not by_points(self.state.stage_rules):
                booked[event.player_id] = event.points
        elif isinstance(event, ev.HandCorrected):
            before = event.before or (0,) * len(event.scores)
            assert sum(event.scores) == sum(before)
            for player, new, old in zip(self.seats[event.table_id], event.scores, before, strict=True):
                self.worth[player] += new - old
        else:
            booked = dict.fromkeys(self.byes, -bye_worth(self.state.stage_rules)[0])
            for player, entrant in self.state.entrants.items():
                if entrant.state in ("playing", "waiting", "bye"):  # who is seated anew hears it anew
                    self.last_heard.pop(player, None)
        for player, points in booked.items():
            self.worth[player] = self.worth.get(player, 0) + points
            self.points += points

    def _listen(self, leaving: Iterable[fx.Effect]) -> None:
        for effect in leaving:
            if isinstance(effect, fx.SetTimer):
                assert self.timers.get(effect.timer_id) != effect.at_ms, f"{effect} was said twice"
                self.timers[effect.timer_id] = effect.at_ms
            elif isinstance(effect, fx.CancelTimer):
                self.timers.pop(effect.timer_id, None)
            elif isinstance(effect, fx.TellSeated):
                for player in (player for table in effect.tables for player in table):
                    self._hear(player, effect.stage_id, "seated")
            elif isinstance(effect, fx.TellWaiting):
                for player in effect.players:
                    self._hear(player, effect.stage_id, effect.reason)
            elif isinstance(effect, fx.TellOffered):
                self._hear(effect.player_id, effect.stage_id, ("offered", effect.offer_no))
                assert effect.remaining >= len(self.state.current.active)
            elif isinstance(effect, fx.TellLeft):
                self._hear(effect.player_id, effect.stage_id, "left")
            elif isinstance(effect, fx.TellEliminated):
                self._hear(effect.player_id, effect.stage_id, ("out", effect.place))
                assert effect.score == self.state.entrants[effect.player_id].score
                if effect.place is not None:
                    assert effect.player_id not in self.final_notices, f"{effect} came twice"
                    self.final_notices[effect.player_id] = effect.place

    def _hear(self, player: str, stage_id: str, what: object) -> None:
        # Bye after bye is news each time, and so is coming back; everything else is said once.
        news = self.last_heard.get(player) != (stage_id, what) or what in ("bye", "next_bout")
        assert news, f"{player} heard {what} twice"
        assert player not in self.final_notices, f"{player} is out and hears {what}"
        self.last_heard[player] = (stage_id, what)

    def _look(self) -> None:
        state = self.state
        assert self.timers == state.timers, "the timers outside are not those inside"
        if state.stage is None or state.status != "running":
            return
        stage, rules = state.stage, state.stage_rules
        seated = [player for table in state.tables.values() for player in table.seats]
        assert len(seated) == len(set(seated)), "somebody sits at two tables"
        for table in state.tables.values():
            short = is_final(self.definition, rules) or (rules.format == "default" and state.disqualified)
            assert len(table.seats) == rules.table_size or short
            for player in table.seats:
                entrant = state.entrants[player]
                assert (entrant.table_id, entrant.state) == (table.table_id, "playing")
                assert player in stage.active
        for player, entrant in state.entrants.items():
            assert (entrant.table_id is not None) == (entrant.state == "playing")
            assert (entrant.state in ("out", "offered", "left", "joining")) == (player not in stage.active)
            assert (entrant.state == "offered") == (player in stage.offers)
            assert (entrant.state == "resting") == (player in stage.resting.values())
            assert (entrant.state == "joining") == (player in stage.joining)
            if entrant.state in ("waiting", "bye", "resting"):
                stage_id, heard = self.last_heard.get(player, (None, None))
                assert stage_id == rules.id, f"{player} waits and has not heard from this stage"
                assert heard in get_args(fx.WaitReason), f"{player} waits and does not know why"
            if player in self.places:
                assert entrant.state == "out", f"{player} came back"
                assert self.places[player] in (None, entrant.place), f"{player} was placed twice"
            if entrant.state == "out":
                self.places[player] = entrant.place
        if timeline_of(rules) == "pool":
            waiting = [player for player, entrant in state.entrants.items() if entrant.state == "waiting"]
            assert sorted(waiting) == sorted(stage.pool)
        if rules.round_carry_pct == 100:
            of_stage = [player for player in self.worth if player not in stage.joining]
            assert all(state.entrants[player].score == self.worth[player] for player in of_stage)
            assert sum(self.worth.values()) == self.points, "points were made or lost"
        offered = [offer.due for offer in stage.offers.values()]
        assert offered == sorted(offered), "offers end in the order they were made"
        assert not (stage.draining and (stage.offers or stage.resting)), "who drains waits for nobody"
        assert all(player in stage.active for player in stage.leaving)

    # what can be asked

    def toss(self, word: str, number: int) -> None:
        """Ask something, right or wrong, of a match in any state."""
        tables = list(self.state.tables.values())
        table = tables[number % len(tables)] if tables else None
        if word == "all tables":
            for each in tables:
                if each.in_hand and each.table_id in self.state.tables:
                    self.end_hand(each, number)
        elif word == "place":
            self.place(number)
        elif word == "wait":
            if self.state.timers:
                self.t = max(self.t, min(self.state.timers.values()))
            self.fire_due()
        elif word == "jump":
            self.t += number % 9000
            self.fire_due()
        elif word == "late entry":
            self._come(f"late{number % 4}")
        elif word == "withdraw":
            leaver = f"p{number % 70}"
            known = leaver in self.state.entrants and self.state.status == "running"
            may = known and self.state.stage_rules.leave == "allowed"
            assert isinstance(self.give(c.WithdrawPlayer(self.t, leaver)), Refused) != may
        elif word in ("join", "leave"):
            self._come_or_go(word, number)
        elif word in ("revive", "revive wrongly", "decline"):
            self._answer_an_offer(word, number)
        elif word == "release":
            held = [table for table in self.state.tables.values() if table.server_id is not None]
            if held:
                one = held[number % len(held)]
                self.give(c.ReleaseTables(self.t, one.server_id or "", (one.table_id,)))
        elif word == "pause":
            self._pause()
        elif word in ("penalty", "disqualify", "reinstate", "correct", "reseat"):
            self._direct(word, number)
        elif word == "presence":
            self._note_presence(number)
        elif word == "start":
            assert isinstance(self.give(c.StartMatch(self.t)), Refused)
        elif word == "again" and self.reports:
            again = self.reports[number % len(self.reports)]
            refused = self.give(attrs.evolve(again, t=self.t))
            assert isinstance(refused, Refused)
            assert refused.code == "duplicate"
        elif word == "again otherwise" and self.reports:
            again = self.reports[number % len(self.reports)]
            self.give(attrs.evolve(again, t=self.t, scores=dict.fromkeys(again.scores, 0)))
        elif word in ("lose server", "lose old life"):
            life = self.life if word == "lose server" else self.life - 1
            self.give(c.LoseServer(self.t, f"ts{number % 2}", f"life {life}"))
            self.life += word == "lose server"
        elif table is not None:
            self._toss_at(table, word, number)

    def _come_or_go(self, word: str, number: int) -> None:
        """Somebody comes or goes where the format has it so, and asked twice it is as asked once."""
        some = f"p{number % 70}"
        ask: c.Command = c.JoinMatch(self.t, some, some) if word == "join" else c.LeaveMatch(self.t, some)
        before = self.state.stage_rules if self.state.status == "running" else None
        outcome = self.give(ask)
        if before is None or (before.join == "none" if word == "join" else before.leave == "forbidden"):
            assert isinstance(outcome, Refused)
        elif self.state.status != "running":
            assert not isinstance(outcome, Refused)
        elif not isinstance(outcome, Refused):
            again = self.give(ask)
            there = self.state.entrants[some].state
            assert isinstance(again, Refused) or not again.events or (word, there) == ("join", "waiting")

    def _answer_an_offer(self, word: str, number: int) -> None:
        open_ = list(self.state.stage.offers.items()) if self.state.stage is not None else []
        if not open_:
            assert isinstance(self.give(c.Revive(self.t, f"p{number % 70}", number + 1, "x")), Refused)
            return
        player, offer = open_[number % len(open_)]
        pack = number % len(offer.packs) + 1 if offer.packs else None
        ask = c.Revive(self.t, player, offer.offer_no, f"pay {offer.offer_no}", pack)
        if word == "decline":
            assert not isinstance(self.give(c.DeclineRevival(self.t, player, offer.offer_no)), Refused)
            assert isinstance(self.give(ask), Refused)
        elif word == "revive wrongly":
            assert isinstance(self.give(attrs.evolve(ask, offer_no=offer.offer_no + 1)), Refused)
            assert isinstance(self.give(attrs.evolve(ask, pack=len(offer.packs) + 1)), Refused)
        else:
            assert not isinstance(self.give(ask), Refused)
            again = self.give(ask)
            assert not isinstance(again, Refused)
            assert again.events == (), "one payment is one revival"
            assert isinstance(self.give(attrs.evolve(ask, player_id="p1", offer_no=10**6)), Refused)

    def _come(self, player: str) -> None:
        """While a match runs players come by the clock, again too, and late to a Dominion Swiss (R-DM-11)."""
        state = self.state
        known = state.entrants.get(player)
        running = state.status == "running"
        takes = running and clock.takes_entrants(state)
        late = running and state.stage_rules.format == "swiss_1v1" and state.stage_rules.join == "any_time"
        may = known is not None or takes or (late and state.current.bout_no < last_late_bout(state))
        if running and known is not None and state.stage_rules.format == "swiss_1v1":
            may = (known.state, known.out_in) != ("out", state.stage_rules.id)
        assert isinstance(self.give(c.RegisterPlayer(self.t, player, player.title())), Refused) != may
        if takes:
            assert self.state.entrants[player].state != "left"

    def _pause(self) -> None:
        """What happens while the clock stands still happens at one moment; then it goes on as if nothing had been."""
        before, timers = self.t, dict(self.state.timers)
        running = self.state.status == "running"
        assert isinstance(self.give(c.PauseMatch(self.t, "outage")), Refused) != running
        self.give(c.ResumeMatch(self.t))
        assert (self.t, self.state.timers, self.state.paused) == (before, timers, None)

    def _direct(self, word: str, number: int) -> None:
        """A director's word; said again it is said once."""
        player, key = f"p{number % 70}", f"{word} {number}"
        ask: c.Command = dc.SeatAnew(self.t, key, "tossed")
        if word == "penalty":
            ask = dc.GivePenalty(self.t, player, number % 41 - 20, key, "tossed")
        elif word == "disqualify":
            ask = dc.DisqualifyPlayer(self.t, player, "tossed")
        elif word == "reinstate":
            named = list(self.state.disqualified) or [player]
            ask = dc.ReinstatePlayer(self.t, named[number % len(named)], "tossed")
        elif word == "correct":
            correction = self._correction(number)
            if correction is None:
                return
            ask = correction
        outcome = self.give(ask)
        if isinstance(outcome, Refused):
            return
        again = self.give(ask)
        if isinstance(again, Refused):
            assert self.state.status != "running", again
        else:
            assert again.events == (), "said twice, it is said once"
        if isinstance(ask, dc.GivePenalty) and self.state.status == "running":
            other = self.give(attrs.evolve(ask, points=ask.points + 100))
            assert isinstance(other, Refused)
            assert other.code == "key_used"

    def _correction(self, number: int) -> dc.CorrectHand | None:
        """A hand that ended, of a table that is open or whose bout is, with another winner."""
        state = self.state
        if state.stage is None or state.status != "running":
            return None
        open_ = {table.table_id: (table.seats, table.scores) for table in state.tables.values() if table.scores}
        open_ |= {n: (state.closed_tables[n].seats, parted.scores) for n, parted in state.stage.parted.items()}
        if not open_:
            return None
        table_id = list(open_)[number % len(open_)]
        seats, scores = open_[table_id]
        hand_no = number % (len(scores) + 1) + 1
        kept = sum(scores[hand_no - 1]) if hand_no <= len(scores) else 0
        solo, worth = number % len(seats), (number // 7) % 7 - 3
        each = {p: worth * (len(seats) - 1 if seat == solo else -1) for seat, p in enumerate(seats)}
        each[seats[0]] += kept
        return dc.CorrectHand(self.t, table_id, hand_no, each, "tossed")

    def _note_presence(self, number: int) -> None:
        for table in list(self.state.tables.values())[:1]:
            if table.server_id is not None:
                player = table.seats[number % len(table.seats)]
                told = c.NotePresence(self.t, table.server_id, table.table_id, player, bool(number & 8))
                assert not isinstance(self.give(told), Refused), "presence decides nothing and is never wrong"

    def _drop(self, table: Table, number: int) -> None:
        """R-DM-03: none, one or both leave the game in play."""
        first = number % 2
        told = attrs.evolve(self.report(table, number), dropped=table.seats[first : 2 - number // 2 % 2])
        rules = self.state.stage_rules
        may = not told.dropped or rules.format == "swiss_1v1" or is_final(self.definition, rules)
        assert isinstance(self.give(told), Refused) != may
        if may:
            self.reports.append(told)

    def _toss_at(self, table: Table, word: str, number: int) -> None:
        if word == "hand":
            if table.in_hand:
                self.end_hand(table, number)
        elif word == "drop":
            if table.in_hand:
                self._drop(table, number)
        elif word == "give back":
            self.give(c.AbortRound(self.t, table.server_id or "", table.table_id, table.epoch, "tossed"))
        elif word == "place twice":
            twice = (c.Placement(table.table_id, "ts0", "x"), c.Placement(table.table_id, "ts1", "x"))
            assert isinstance(self.give(c.PlaceTables(self.t, twice)), Refused)
        elif word in ("log", "log gap"):
            first = len(table.log) + (number % 3 + 1 if word == "log gap" else -(number % 2) * bool(table.log))
            log = (*table.log[first:], number % 52, "pass")
            at = (table.server_id or "", table.table_id, table.epoch, table.hand_no, table.attempt_no)
            outcome = self.give(c.RecordActions(self.t, *at, first, log))
            if word == "log gap" or not table.in_hand:
                assert isinstance(outcome, Refused)
        elif word.startswith("wrong "):
            self._report_wrongly(table, word.removeprefix("wrong "), number)

    def _report_wrongly(self, table: Table, what: str, number: int) -> None:
        right = self.report(table, number)
        some = next(iter(right.scores))
        off = number % 5 - 2 or 3
        wrong: dict[str, dict[str, Any]] = {
            "table": {"table_id": 10**6 + number},
            "epoch": {"epoch": right.epoch + off},
            "attempt": {"attempt_no": right.attempt_no + off},
            "hand": {"hand_no": right.hand_no + abs(off) if number % 2 else -abs(off)},
            "players": {"scores": {**right.scores, "nobody": 0}},
            "sum": {"scores": {**right.scores, some: right.scores[some] + off}},
            "server": {"server_id": "stranger"},
        }
        assert isinstance(self.give(attrs.evolve(right, **wrong[what])), Refused)

    def report(self, table: Table, number: int) -> c.EndHand:
        """A right report of the hand in play: one player wins or loses some bases against all others."""
        size, unit = len(table.seats), 1 if self.state.stage_rules.report == "multiple" else max(1, table.base_score)
        solo, multiple = number % size, (number // 7) % 7 - 3
        scores = {p: unit * multiple * (size - 1 if seat == solo else -1) for seat, p in enumerate(table.seats)}
        at = (table.server_id or "", table.table_id, table.epoch, table.hand_no, table.attempt_no)
        return c.EndHand(self.t, *at, scores)

    def end_hand(self, table: Table, number: int) -> None:
        """A hand ends as it should."""
        told = self.report(table, number + 13 * table.table_id)
        outcome = self.give(told)
        assert not isinstance(outcome, Refused), outcome
        self.reports.append(told)

    def place(self, number: int = 0) -> None:
        """Find servers for all tables without one."""
        homeless = [table.table_id for table in self.state.tables.values() if table.server_id is None]
        placements = tuple(c.Placement(table, f"ts{(table + number) % 2}", f"life {self.life}") for table in homeless)
        assert not isinstance(self.give(c.PlaceTables(self.t, placements)), Refused)

    def fire_due(self) -> None:
        """Fire all timers that are due, the earliest first."""
        while due := [(at, timer_id) for timer_id, at in self.state.timers.items() if at <= self.t]:
            timer_id = min(due)[1]
            assert not isinstance(self.give(c.FireTimer(self.t, timer_id)), Refused)

    def finish(self, most: int = 4000) -> None:
        """Play on as honest servers would; the match must come to its end."""
        luck = random.Random(self.definition.start.full_count)
        for _ in range(most):
            if self.state.status != "running":
                return
            self.t += 400
            self.fire_due()
            self.place()
            running = [table for table in self.state.tables.values() if table.in_hand]
            if running:
                self.end_hand(luck.choice(running), luck.randrange(2**20))
            elif self.state.timers:
                self.t = max(self.t, min(self.state.timers.values()))
        raise AssertionError(f"still running after {most} hands: {self.state.stage}")


def told_again(tossed: Tossed) -> None:
    """The events alone tell the same story, and so do the commands."""
    state, definition = tossed.state, tossed.definition
    folded = new_state()
    leaving: list[fx.Effect] = []
    for event in tossed.story:
        evolve(folded, event)
        leaving += effects(folded, event)
    assert folded == state
    assert leaving == tossed.told

    again = Tossed(definition)
    for command in tossed.asked:
        again.give(command)
    assert again.story == tossed.story
    assert again.told == tossed.told
