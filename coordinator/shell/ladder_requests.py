"""From the messages of a ladder to its commands (R-BL, R-RC)."""

from collections.abc import Callable
from types import MappingProxyType
from typing import Any

from coordinator.engine import commands
from coordinator.engine.ladder import ladder_commands as ask
from coordinator.engine.ladder.slots import Slot
from protocol import messages


def command_of(message: Any, t: int) -> commands.Command:
    """What a message asks, at the time ``t``."""
    return _READ[type(message)](message, t)


def slots_of(times: list[messages.ProposedTime]) -> tuple[Slot, ...]:
    """Proposed times in the words of the rules."""
    return tuple(Slot(time.at_ms, time.mutual) for time in times)


def _issue(message: messages.IssueChallenge, t: int) -> commands.Command:
    return ask.IssueChallenge(t, message.team, message.defender, slots_of(message.slots), message.key)


def _accept(message: messages.AcceptTime, t: int) -> commands.Command:
    return ask.AcceptTime(t, message.challenge_no, message.team, message.slot, message.key)


def _propose(message: messages.ProposeTimes, t: int) -> commands.Command:
    return ask.ProposeTimes(t, message.challenge_no, message.team, slots_of(message.slots), message.key)


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
    }
)
PLAIN = tuple(kind for kind in _READ if kind is not messages.IssueChallenge)
"""The requests that are answered with a plain ok."""
