"""Matches of every format, drawn from the seed: what is played, by how many, and what may be asked of it meanwhile."""

import random
from collections.abc import Callable, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Any

import attrs

from coordinator.engine.checks.match import definition_mistakes
from coordinator.engine.definition import (
    BaseGrowth,
    CarryOut,
    Clock,
    Cut,
    Duplicate,
    Elimination,
    End,
    GameState,
    Grouping,
    Hours,
    Island,
    Ladder,
    MatchDefinition,
    Pack,
    PlayerState,
    Revival,
    Reward,
    Round,
    Stage,
)
from coordinator.engine.field_flow import why_not
from tests.engine.ladder_play import LADDER
from tests.engine.stages import CLOCKED, DEFAULT, DOMINION, MELEE, SWISS, match_of

GAME = "dou_dizhu"
REWARDS = (Reward(1, 1, {"coins": 100}), Reward(2, 3, {"coins": 40}))


@attrs.frozen
class Recipe:
    """A match to be played. ``asks`` are the words a platform may say while it runs."""

    definition: MatchDefinition
    players: int
    asks: tuple[str, ...] = ()
    teams: bool = False
    """Whether teams are entered, with players of their own."""


def _final(size: int) -> Stage:
    return attrs.evolve(DEFAULT, table_size=size, round=Round(hands=2), initial_player_state=PlayerState(50))


def _default(luck: random.Random) -> Recipe:
    size = luck.randint(2, 4)
    stage = attrs.evolve(_final(size), round=Round(hands=luck.randint(1, 4)))
    return Recipe(match_of(stage, players=size, zero_sum=True), size)


def _swiss(luck: random.Random) -> Recipe:
    size = luck.randint(2, 4)
    players = luck.randint(size, 5 * size)
    chains: list[Any] = [None, ("last_hand", "registration"), ("registration",)]
    placement = luck.random() < 0.4
    stage = attrs.evolve(
        SWISS,
        table_size=size,
        round=Round(hands=luck.randint(1, 2)),
        grouping=Grouping(kind=luck.choice([None, "swiss", "snake", "random"])),
        scoring="placement" if placement else "total",
        bye_delta=0 if placement else luck.choice([0, 40]),
        tie_chain=luck.choice(chains),
        round_carry_pct=luck.choice([100, 100, 50, 0]),
        initial_game_state=GameState(luck.choice([1, 10])),
        base_growth=luck.choice([BaseGrowth(), BaseGrowth("arith", every_ms=20_000, add=5)]),
        bouts=luck.randint(1, 4),
        cut=luck.choice([None, None, Cut("fixed", Fraction(1)), Cut("percent", Fraction(20))]),
        carry_out=CarryOut("none"),
    )
    return Recipe(match_of(stage, players=players, zero_sum=True), players)


def _knockout(luck: random.Random) -> Recipe:
    size = luck.randint(2, 4)
    players = size ** luck.randint(1, 2) * luck.randint(1, 2)
    stage = attrs.evolve(
        SWISS,
        id="knockout",
        format="knockout",
        table_size=size,
        round=Round(hands=luck.randint(1, 2)),
        grouping=Grouping(),
        tie_chain=None,
        bouts=luck.choice([None, "until_done", 1]),
        advance_per_table=1,
        initial_game_state=GameState(10),
        round_carry_pct=luck.choice([100, 50, 0]),
        carry_out=CarryOut("none"),
    )
    return Recipe(match_of(stage, players=players, zero_sum=True), players)


def _pool(luck: random.Random) -> Stage:
    size = luck.randint(2, 3)
    growths = [
        BaseGrowth("arith", by="hands", every_hands=4, add=100, add_step=20),
        BaseGrowth("geometric", by="hands", every_hands=5, ratio=Fraction(3, 2)),
        BaseGrowth("arith", every_ms=15_000, add=50),
        BaseGrowth("table", every_ms=20_000, values=(100, 100, 300, 900, 2700)),
    ]
    seatings: list[Any] = [None, 1, 3]
    return attrs.evolve(
        MELEE,
        table_size=size,
        grouping=Grouping(shuttle_size=size * luck.randint(1, 3), max_wait_ms=luck.choice([1000, 8000])),
        elimination=luck.choice([Elimination(ratio_of_base=Fraction(1, 4)), Elimination(absolute=0, compare="le")]),
        base_growth=luck.choice(growths),
        hands_per_seating=luck.choice(seatings),
    )


def _revival(luck: random.Random, *, packs: bool = False) -> Revival | None:
    rule = luck.choice(
        [
            None,
            Revival("list", fees=(100, 200)),
            Revival("linear", base_fee=100, max_times=2),
            Revival("exponential", base_fee=100, max_times=2, fee_kind="item", item_id="ticket"),
            Revival("direct", packs=(Pack(1000, 50), Pack(300, 10)), max_times=2) if packs else None,
        ]
    )
    return None if rule is None else attrs.evolve(rule, offer_ms=luck.choice([2000, 15_000]))


def _melee(luck: random.Random) -> Recipe:
    stage = attrs.evolve(_pool(luck), revival=_revival(luck))
    players = luck.randint(2 * stage.table_size, 14)
    stage = attrs.evolve(
        stage,
        end=End(
            remaining_below=luck.randint(stage.table_size, max(stage.table_size, players // 2)),
            max_ms=luck.choice([None, 120_000]),
        ),
    )
    return Recipe(match_of(stage, players=players, zero_sum=True), players)


def _island(luck: random.Random) -> Recipe:
    def island() -> Stage:
        loop, leave = luck.random() < 0.4, luck.choice(["forfeit", "cash_out", "keep"])
        policy = luck.choice(["drain", "drain", "snapshot"])
        return attrs.evolve(
            _pool(luck),
            format="island",
            leave="allowed",
            join="any_time",
            hands_per_seating=None,
            round=Round(hands=luck.randint(1, 2)),
            end=End(),
            revival=_revival(luck, packs=True),
            rewards=luck.choice([(), REWARDS]),
            island=Island(
                duration_ms=luck.choice([15_000, 60_000]),
                end_policy=policy,  # type: ignore[arg-type]
                drain_max_ms=30_000 if policy == "drain" else 300_000,
                entry_score=luck.choice([None, 700]),
                rejoin=luck.choice(["fresh", "keep"]) if leave == "keep" else "fresh",
                leave_processing=leave,  # type: ignore[arg-type]
                exchange_rate=luck.choice([1, 10]) if leave == "cash_out" else 1,
                rest_ms=luck.choice([None, 3000]),
                loop=loop,
                loop_count=luck.randint(1, 2) if loop else None,
            ),
        )

    carry = luck.choice([CarryOut("none"), CarryOut("full"), CarryOut("divide", divisor=7, cap=90)])
    stages = [attrs.evolve(island(), id=f"s{n}", carry_out=carry) for n in range(luck.randint(1, 2))]
    players = luck.randint(5, 14)
    return Recipe(match_of(*stages, players=players, zero_sum=True), players, ("join", "leave", "rejoin"))


def _clocked(luck: random.Random) -> Recipe:
    hands, bouts = luck.randint(1, 2), luck.randint(1, 4)
    stage = attrs.evolve(
        CLOCKED,
        table_size=luck.randint(2, 4),
        round=Round(hands=hands),
        bouts=bouts,
        clock=luck.choice(
            [
                Clock(bout_ms=20_000, grace_ms=5000),
                Clock(bout_ms=8000, grace_ms=0),
                Clock(bout_ms=15_000, unfinished_board="finish"),
            ]
        ),
        duplicate=Duplicate(required_boards=luck.randint(1, bouts * hands), closes_at=luck.choice([2, 40])),
    )
    players = luck.randint(stage.table_size, 12)
    return Recipe(match_of(stage, players=players, zero_sum=True), players, ("late", "withdraw"))


def _dominion(luck: random.Random) -> Recipe:
    stage = attrs.evolve(DOMINION, bouts=luck.choice([None, 2, 3]), top_cut=luck.choice([None, 2, 3]))
    stages: tuple[Stage, ...] = (stage,)
    if stage.top_cut is not None and luck.random() < 0.6:
        stages = (stage, attrs.evolve(DEFAULT, table_size=stage.top_cut))
    players = luck.randint(4, 12)
    return Recipe(match_of(*stages, players=players, zero_sum=True), players, ("late", "withdraw"))


def _ladder(luck: random.Random) -> Recipe:
    """Weeks of seconds: the teams' crowd of the bots challenges, answers, lines up, and now and then says nothing."""
    teams = luck.randint(2, 5)
    stage = attrs.evolve(
        LADDER,
        round=Round(hands=luck.randint(1, 3)),
        ladder=Ladder(
            tz="Asia/Shanghai",
            week_ms=60_000,
            top_phase_ms=2000,
            days=("mon", "tue", "wed", "thu", "fri", "sat", "sun"),
            hours=Hours("00:00", "24:00"),
            reply_ms=10_000,
            complete_ms=60_000,
            checkin_before_ms=10_000,
            checkin_after_ms=10_000,
            late_ms=8000,
            appeal_ms=5000,
            replay_extension_ms=30_000,
            duration_ms=luck.choice([40_000, 90_000]),
        ),
    )
    definition = attrs.evolve(match_of(stage, players=teams, zero_sum=True), game=GAME)
    return Recipe(definition, teams, ("withdraw",), teams=True)


def _staged(luck: random.Random) -> Recipe:
    """A melee, a Swiss shift, and a final."""
    melee = attrs.evolve(
        _pool(luck),
        id="melee",
        end=End(remaining_below=9, advance_count=luck.choice([6, 8])),
        carry_out=CarryOut("sqrt"),
    )
    size = luck.choice([2, 3])
    swiss = attrs.evolve(
        SWISS, id="swiss", table_size=size, bouts=2, cut=Cut("keep", Fraction(size)), carry_out=CarryOut("none")
    )
    return Recipe(match_of(melee, swiss, _final(size), players=14, zero_sum=True), 14)


RECIPES: Mapping[str, Callable[[random.Random], Recipe]] = MappingProxyType(
    {
        "default": _default,
        "swiss_shift": _swiss,
        "knockout": _knockout,
        "melee": _melee,
        "island": _island,
        "continuous_swiss": _clocked,
        "swiss_1v1": _dominion,
        "ladder": _ladder,
        "staged": _staged,
    }
)
"""How a match of each format is drawn; ``staged`` is one of several formats in a row."""


def draw_recipe(luck: random.Random, name: str) -> Recipe:
    """A legal match of this kind."""
    while True:
        recipe = RECIPES[name](luck)
        definition = recipe.definition
        stages = [attrs.evolve(stage, table_timeout_ms=luck.choice([40_000, 600_000])) for stage in definition.stages]
        phases = (attrs.evolve(definition.phases[0], stages=tuple(stages)),)
        rewards = REWARDS if recipe.players % 2 else ()
        definition = attrs.evolve(definition, phases=phases, id=name, rewards=rewards)
        if not definition_mistakes(definition) and why_not(definition, recipe.players) is None:
            return attrs.evolve(recipe, definition=definition)
