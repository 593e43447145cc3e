"""R-BL-03: each week begins with the second and third settling who challenges the first.

Implements R-BL-03.
"""


def top_phase_ends(
    t: int, week_began: int, top_phase_ms: int, settled_at: int | None, *, first_is_challenged: bool
) -> int | None:
    """When the top phase that runs at ``t`` is over at the latest; None when none runs.

    It ends early when the first rank is challenged: ``settled_at`` is when that happened last. While a challenge to
    the first rank is open there is none.
    """
    ends = week_began + top_phase_ms
    if t >= ends or first_is_challenged or (settled_at is not None and settled_at >= week_began):
        return None
    return ends


def may_challenge_first(rank: int, target: int) -> bool:
    """What the top phase accepts: the second or the third against the first, whoever comes first."""
    return target == 1 and rank in (2, 3)
