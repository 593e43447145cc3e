"""What is wrong with what places win (R-HI-03)."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from coordinator.engine.checks.limits import MOST_PLAYERS, MOST_SCORE
from coordinator.engine.checks.mistake import Mistake
from coordinator.engine.checks.parts import bad_id, outside
from coordinator.engine.definition import Reward


def reward_mistakes(rewards: Sequence[Reward], at: str) -> Iterator[Mistake]:
    """R-HI-03: bands of places that win something, apart from each other."""
    rule = "R-HI-03"
    for number, reward in enumerate(rewards):
        path = f"{at}[{number}]"
        yield from outside(f"{path}.first", reward.first, 1, MOST_PLAYERS, rule)
        if reward.last < reward.first or reward.last > MOST_PLAYERS:
            expected = f"a place from {reward.first} to {MOST_PLAYERS}"
            yield Mistake(f"{path}.last", f"the band ends at place {reward.last}", expected, rule=rule)
        if not reward.items:
            yield Mistake(f"{path}.items", "the band gives nothing", "something like { coins = 100 }", rule=rule)
        for item, amount in reward.items.items():
            yield from bad_id(f"{path}.items.{item}", item)
            yield from outside(f"{path}.items.{item}", amount, 1, MOST_SCORE, rule)
    for number, (before, after) in enumerate(pairwise(rewards), start=1):
        if after.first <= before.last:
            message = f"place {after.first} already belongs to the band before, which ends at {before.last}"
            yield Mistake(f"{at}[{number}].first", message, f"a place above {before.last}", rule=rule)
