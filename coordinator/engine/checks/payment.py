"""What is wrong with the smallest payment and its fee (R-MP-01)."""

from collections.abc import Iterator

from coordinator.engine.checks.limits import MOST_SCORE
from coordinator.engine.checks.mistake import Mistake
from coordinator.engine.checks.parts import plainly
from coordinator.engine.definition import Stage


def payment_mistakes(stage: Stage, path: str) -> Iterator[Mistake]:
    """R-MP-01: a fee that can be taken, out of a payment that is made."""
    rule, fee = "R-MP-01", stage.platform_fee
    if fee < 0 or fee > MOST_SCORE or (fee.denominator != 1 and fee > 1):
        yield Mistake(
            f"{path}.platform_fee",
            f"{plainly(fee)} is no fee",
            "a whole amount, or a rate from 0 to 1",
            rule=rule,
        )
    if not stage.min_payment:
        if fee != 0:
            message = "a platform fee is taken out of the smallest payment, which is off"
            yield Mistake(f"{path}.platform_fee", message, "min_payment = true", rule=rule)
        if stage.winner_cap != "per_payer":
            message = "the winner's cap belongs to the smallest payment, which is off"
            yield Mistake(f"{path}.winner_cap", message, "min_payment = true", rule=rule)
