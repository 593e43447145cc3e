"""From the messages of a ladder to its commands (R-BL, R-RC)."""

from collections.abc import Callable
from types import MappingProxyType
from typing import Any

from coordinator.engine import commands
from coordinator.engine.ladder import ladder_commands as ask
from coordinator.engine.ladder.slots import Slot
from protocol import messages
from protocol.errors import WireError


def command_of(message: Any, t: int) -> commands.Command:
    """What a message asks, at the time ``t``. Raises WireError for a ruling that lacks a word it needs."""
    return _READ[type(message)](message, t)


def slots_of(times: list[messages.ProposedTime]) -> tuple[Slot, ...]:
    """Proposed times in the words of the rules."""
    return tuple(Slot(time.at_ms, time.mutual) for time in times)


def _issue(message: messages.IssueChallenge, t: int) -> commands.Command:
    return ask.IssueChallenge(t, message.team, message.defender, slots_of(message.slots))


def _accept(message: messages.AcceptTime, t: int) -> commands.Command:
    return ask.AcceptTime(t, message.challenge_no, message.team, message.slot)


def _propose(message: messages.ProposeTimes, t: int) -> commands.Command:
    return ask.ProposeTimes(t, message.challenge_no, message.team, slots_of(message.slots))


def _cancel(message: messages.CancelChallenge, t: int) -> commands.Command:
    return ask.CancelChallenge(t, message.challenge_no, message.team)


def _check_in(message: messages.CheckIn, t: int) -> commands.Command:
    return ask.CheckIn(t, message.challenge_no, message.team)


def _line_up(message: messages.LineUp, t: int) -> commands.Command:
    return ask.GiveLineUp(t, message.challenge_no, message.team, tuple(message.players))


def _ready(message: messages.Ready, t: int) -> commands.Command:
    return ask.SayReady(t, message.challenge_no, message.team)


def _choose(message: messages.ChooseRight, t: int) -> commands.Command:
    return ask.ChooseRight(t, message.challenge_no, message.team, message.right_no, message.choice)


def _report(message: messages.ReportResult, t: int) -> commands.Command:
    return ask.ReportResult(t, message.challenge_no, message.team, message.imps, message.failed)


def _appeal(message: messages.Appeal, t: int) -> commands.Command:
    return ask.AppealResult(t, message.challenge_no, message.team, message.text)


def _dispute(message: messages.RaiseDispute, t: int) -> commands.Command:
    return ask.RaiseDispute(t, message.challenge_no, message.team, tuple(message.boards), message.text)


def _confirm(message: messages.ConfirmDispute, t: int) -> commands.Command:
    return ask.ConfirmDispute(t, message.challenge_no, message.team, message.dispute_no)


def _ruling(message: messages.Ruling, t: int) -> commands.Command:
    def needed(word: str) -> Any:
        value = getattr(message, word)
        if value is None:
            text = f"a ruling of kind {message.kind} needs {word}"
            raise WireError("malformed", text, field=word, expected="a value", ref=message.ref)
        return value

    reason = message.reason
    match message.kind:
        case "outcome":
            return ask.RuleOutcome(t, needed("challenge_no"), message.winner, reason)
        case "board":
            return ask.RuleBoard(t, needed("challenge_no"), needed("board_no"), message.imps, reason)
        case "false_report":
            return ask.RuleFalseReport(t, needed("team"), reason)
        case "place":
            return ask.PlaceTeam(t, needed("team"), needed("rank"), reason)
        case "extend":
            return ask.ExtendDeadline(t, needed("challenge_no"), needed("by_ms"), reason)
        case "roster":
            return ask.ChangeRoster(t, needed("team"), tuple(message.leaving), tuple(message.coming))
        case "close":
            return ask.CloseLadder(t)


_READ: MappingProxyType[type, Callable[[Any, int], commands.Command]] = MappingProxyType(
    {
        messages.IssueChallenge: _issue,
        messages.AcceptTime: _accept,
        messages.ProposeTimes: _propose,
        messages.CancelChallenge: _cancel,
        messages.CheckIn: _check_in,
        messages.LineUp: _line_up,
        messages.Ready: _ready,
        messages.ChooseRight: _choose,
        messages.ReportResult: _report,
        messages.Appeal: _appeal,
        messages.RaiseDispute: _dispute,
        messages.ConfirmDispute: _confirm,
        messages.Ruling: _ruling,
    }
)
PLAIN = tuple(kind for kind in _READ if kind is not messages.IssueChallenge)
"""The requests that are answered with a plain ok."""
