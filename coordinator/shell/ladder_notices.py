"""From the effects of a ladder to its messages."""

from collections.abc import Iterator, Sequence

from coordinator.engine.ladder import ladder_effects as tell
from coordinator.engine.ladder.slots import Slot
from coordinator.engine.ladder.telling import challenge_told, finished_told, ranks_told, right_told
from coordinator.engine.state import MatchState
from protocol import messages

FINISHED_TOLD = 50
"""Challenges that are over and still told to a lobby that comes back, the newest."""


def ladder_messages(state: MatchState) -> Iterator[messages.Message]:
    """How a ladder stands, as the notices a lobby may have missed."""
    ladder = state.ladder
    if ladder is None:
        return
    yield ranks(state.match_id, ranks_told(state))
    for finished in ladder.finished[-FINISHED_TOLD:]:
        yield challenge(state.match_id, finished_told(finished))
    for each in ladder.challenges.values():
        yield challenge(state.match_id, challenge_told(state, each))
        for right in each.rights.values():
            if right.state == "OPEN":
                yield right_opened(state.match_id, right_told(state, each, right))


def challenge(match_id: str, told: tell.TellChallenge) -> messages.ChallengeState:
    """A challenge as the wire has it."""
    challenger_players, defender_players = told.lineups
    challenger_ready, defender_ready = told.ready
    return messages.ChallengeState(
        match_id,
        told.challenge_no,
        told.challenger,
        told.defender,
        told.state,
        told.due,
        _times(told.slots),
        told.offered_by,
        told.at,
        list(challenger_players),
        list(defender_players),
        challenger_ready,
        defender_ready,
        list(told.imps),
        told.winner,
        told.how,
        told.provisional,
    )


def right_opened(match_id: str, told: tell.TellRight) -> messages.RightOpened:
    """A right as the wire has it."""
    return messages.RightOpened(
        match_id,
        told.challenge_no,
        told.right_no,
        told.team,
        told.trigger,
        list(told.options),
        told.room,
        list(told.tables),
    )


def ranks(match_id: str, told: tell.TellRanks) -> messages.LadderRanks:
    """The ranks as the wire has them."""
    return messages.LadderRanks(
        match_id, [messages.RankedTeam(team, rating, matches) for team, rating, matches in told.teams]
    )


def _times(slots: Sequence[Slot]) -> list[messages.ProposedTime]:
    return [messages.ProposedTime(slot.at, slot.mutual) for slot in slots]
