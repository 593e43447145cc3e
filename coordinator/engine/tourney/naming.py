"""The names of what a tourney opens. All of them follow from the start point, so that nothing is ever opened twice."""

from hashlib import sha256

from coordinator.engine.tourney.definition import StartPoint, TourneyDefinition

LONGEST_LABEL = 18
"""Characters of the longest label: ``2026-03-29T0130Z-2``."""


def instance_id(definition: TourneyDefinition, point: StartPoint, label: str) -> str:
    """The name of one firing of a start point, such as ``daily_cup.2026-03-29``."""
    if len(definition.start_points) == 1:
        return f"{definition.id}.{label}"
    return f"{definition.id}.{point.id}.{label}"


def series_of(definition: TourneyDefinition, point: StartPoint, instance: str) -> str:
    """What the matches of an instance have in common: the instance, or the tourney itself where it starts only once."""
    return definition.id if point.once else instance


def match_id(definition: TourneyDefinition, series: str, name: str) -> str:
    """The name of a match; an instance of a tourney with a single match gives it its own."""
    if len(definition.matches) == 1 and series != definition.id:
        return series
    return f"{series}.{name}"


def longest_name(definition: TourneyDefinition) -> int:
    """How many characters the longest name has that this tourney can come to use."""
    points = max((len(point.id) for point in definition.start_points), default=0)
    matches = max((len(match.id) for match in definition.matches), default=0)
    return len(definition.id) + points + matches + LONGEST_LABEL + 3


def match_seed(seed: str, match: str) -> str:
    """The seed of a match's draws, from that of its tourney."""
    return sha256(f"match seed\x1f{seed}\x1f{match}".encode()).hexdigest()


def match_secret(secret: str, match: str) -> str:
    """The secret of a match's deals; it is revealed at the end of the match and tells nothing about the next one."""
    return sha256(f"match secret\x1f{secret}\x1f{match}".encode()).hexdigest()
