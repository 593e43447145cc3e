"""Who may enter, for which match, and which match each player gets in the end (R-HI-02, R-HI-03)."""

from collections.abc import Sequence

from coordinator.engine.field_flow import why_not
from coordinator.engine.refusal import Refused
from coordinator.engine.tourney.commands import EnterPlayer
from coordinator.engine.tourney.definition import Entry, StartPoint, TourneyDefinition, TourneyMatch
from coordinator.engine.tourney.state import EntryState, Instance, TourneyState


def match_for(state: TourneyState, instance: Instance, command: EnterPlayer) -> TourneyMatch | Refused:
    """R-HI-03: the match a new player is entered for: of those whose conditions fit, the one with the fewest players.

    Refuses with what the first match asks for.
    """
    definition = state.rules_of(instance)
    first: Refused | None = None
    fitting: list[tuple[int, int, TourneyMatch]] = []
    for number, name in enumerate(state.point_of(instance).opens):
        match = definition.match(name)
        entered = instance.entered.get(name, 0)
        refused = _refused(state, instance, match.entry, entered, command)
        if refused is None:
            fitting.append((entered, number, match))
        elif first is None:
            first = refused
    if fitting:
        return min(fitting, key=lambda fit: fit[:2])[2]
    assert first is not None, "a start point opens at least one match"
    return first


def fed(definition: TourneyDefinition, point: StartPoint) -> bool:
    """R-HI-01: whether all players of a start point come through links, so that nobody registers."""
    return all(definition.feeding(name) for name in point.opens)


def _refused(
    state: TourneyState, instance: Instance, entry: Entry, entered: int, command: EnterPlayer
) -> Refused | None:
    if entry.members and command.player_id not in entry.members:
        return Refused("entry_refused", "only members may enter", "player_id", "a player of the organiser's list")
    low, high = entry.rating_from, entry.rating_to
    if low is not None or high is not None:
        band = f"a rating {'' if low is None else f'from {low} '}{'' if high is None else f'up to {high}'}".rstrip()
        if command.rating is None:
            return Refused("entry_refused", "the match asks for a rating", "rating", band)
        if (low is not None and command.rating < low) or (high is not None and command.rating > high):
            return Refused("entry_refused", f"a rating of {command.rating} does not fit", "rating", band)
    if entry.places is not None and entered >= entry.places:
        return Refused("match_full", f"all {entry.places} places are taken", "instance_id", "an instance with room")
    if entry.not_playing and command.busy_in is not None:
        return Refused("entered_elsewhere", f"the player is still in match {command.busy_in!r}", "player_id")
    if entry.one_at_a_time:
        other = entered_elsewhere(state, instance, command.player_id)
        if other is not None:
            return Refused("entered_elsewhere", f"the player is entered in {other!r}", "player_id")
    if entry.fee and command.payment_ref is None:
        what = "coins" if entry.fee_kind == "coin" else f"items {entry.item_id!r}"
        expected = f"the reference of a payment of {entry.fee} {what}"
        return Refused("payment_missing", f"entering costs {entry.fee} {what}", "payment_ref", expected)
    return None


def entered_elsewhere(state: TourneyState, instance: Instance, player_id: str) -> str | None:
    """Another instance of the tourney that is not over and has this player."""
    for other in state.instances.values():
        live = other.status in ("registering", "running")
        if live and other.instance_id != instance.instance_id and player_id in other.entries:
            return other.instance_id
    return None


def dealt(definition: TourneyDefinition, point: StartPoint, entries: Sequence[EntryState]) -> list[tuple[str, ...]]:
    """The players of each match of a start point, in the order of registration.

    Matches with the same conditions share their players: these are dealt to them in turn, so that two heats differ by
    one player at most, whoever has withdrawn meanwhile.
    """
    matches = [definition.match(name) for name in point.opens]
    fields: list[list[str]] = [[] for _ in matches]
    for number, match in enumerate(matches):
        alike = [other for other, each in enumerate(matches) if each.entry == match.entry]
        if alike[0] != number:
            continue
        names = [matches[other].id for other in alike]
        shared = [entry.player_id for entry in entries if entry.match in names]
        for turn, player_id in enumerate(shared):
            fields[alike[turn % len(alike)]].append(player_id)
    return [tuple(field) for field in fields]


def playable(match: TourneyMatch, players: int) -> bool:
    """Whether so many can play the match to its end (R-DF-01, R-BY-01)."""
    return why_not(match.definition, players) is None
