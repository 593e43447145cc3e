"""Why a place wins what it wins or nothing, whom that is told to, and that it is confirmed (R-HI-03)."""

from collections.abc import Container, Sequence

from coordinator.engine.definition import Reward
from coordinator.engine.dues import Due, rewarded
from coordinator.reasons.reason import Reason, Value


def of_stage(t: int, rewards: Sequence[Reward], ranking: Sequence[str], player_id: str, stage: str) -> list[Reason]:
    """R-IS-01: what the place of a player in an island wins."""
    return [
        _won(t, rewards, place, items, ("R-IS-01", "R-HI-03"), f"of stage {stage}", {"ranked": len(ranking)})
        for place, who, items in rewarded(rewards, ranking)
        if who == player_id
    ]


def of_match(
    t: int,
    rewards: Sequence[Reward],
    ranking: Sequence[str],
    dues: Sequence[Due],
    player_id: str,
    disqualified: Container[str],
) -> list[Reason]:
    """R-HI-03: what a place in a match wins, and the lobby it is told to until that confirms it; or why nothing."""
    own = [due for due in dues if due.player_id == player_id and due.place is not None]
    ranked: dict[str, Value] = {"ranked": len(ranking)}
    if own:
        return [
            _won(t, rewards, due.place or 0, due.items, ("R-HI-03",), "of the match", ranked | _told(due))
            for due in own
        ]
    if not rewards or player_id not in ranking:
        return []
    place = ranking.index(player_id) + 1
    bands = ", ".join(f"{each.first} to {each.last}" for each in rewards)
    why = f"place {place} has no part in the bands {bands}"
    if player_id in disqualified:
        why = "disqualified"
    says = f"wins nothing: {why}"
    return [Reason("award", t, ("R-HI-03",), says, ranked | {"place": place, "bands": bands})]


def confirmed(t: int, due: Due) -> list[Reason]:
    """R-HI-03: the lobby has it, so that it is not told again."""
    match due.kind:
        case "refund":
            what = f"the fee of {due.amount}"
        case "cash_out":
            what = f"the {due.amount} units of the score {due.score}"
        case _:
            what = _named(due.items)
    return [Reason("award", t, ("R-HI-03",), f"{_lobby(due)} has confirmed {what}", _told(due))]


def _won(
    t: int,
    rewards: Sequence[Reward],
    place: int,
    items: dict[str, int],
    rules: tuple[str, ...],
    whose: str,
    more: dict[str, Value],
) -> Reason:
    band = next(each for each in rewards if each.first <= place <= each.last)
    says = f"wins {_named(items)}: place {place} lies in the band from {band.first} to {band.last} {whose}"
    inputs: dict[str, Value] = {"place": place, "from": band.first, "to": band.last, "items": _named(items)}
    if band.shared:
        says += f", whose places share {_named(band.items)}"
        inputs["shared"] = _named(band.items)
    if "lobby" in more:
        says += "; it is told until that is confirmed"
    return Reason("award", t, rules, says, inputs | more)


def _told(due: Due) -> dict[str, Value]:
    return {"key": due.key, "lobby": due.lobby}


def _lobby(due: Due) -> str:
    return f"lobby {due.lobby}" if due.lobby else "a lobby"


def _named(items: dict[str, int]) -> str:
    return ", ".join(f"{count} {item}" for item, count in items.items())
