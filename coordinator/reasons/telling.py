"""Answers for people and for programs."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any

import attrs

from coordinator.engine.numbers import Number
from coordinator.reasons.asked import Answers
from coordinator.reasons.reason import Reason, Rival

_CALENDAR = 1_000_000_000_000
"""No match lasts for thirty years of running time: from here on milliseconds are those of Unix."""


def data(answers: Answers) -> dict[str, Any]:
    """The answers for programs; fractions are texts such as "7/2"."""
    return {
        "match": answers.match_id,
        "player": answers.player_id,
        "name": answers.name,
        "records": answers.records,
        "records_above": answers.records_above,
        "same": answers.same,
        "first_difference": answers.first_difference,
        "unconfirmed": [due.key for due in answers.unconfirmed],
        "answers": [
            {
                "stream": answer.stream,
                "seq": answer.seq,
                "t_ms": answer.t,
                "same": answer.differs is None and answer.again is not None,
                "differs": answer.differs,
                "reasons": [_reason(reason) for reason in answer.reasons],
                **({} if answer.differs is None else {"again": [_reason(each) for each in answer.again or ()]}),
            }
            for answer in answers.answers
        ],
    }


def lines(answers: Answers) -> Iterator[str]:
    """The answers for people, a line for each and indented lines for what went in."""
    for answer in answers.answers:
        for reason in answer.reasons:
            where = f"record {answer.seq}" + ("" if answer.stream == answers.match_id else f" of {answer.stream}")
            yield f"{where}, {clock(answer.t)}: {reason.kind}: {reason.says} [{', '.join(reason.rules)}]"
            yield from _below(reason)
        if answer.differs is not None:
            yield f"    DIFFERS when decided again: {answer.differs}"
            for reason in answer.again or ():
                yield f"    now: {reason.kind}: {reason.says} [{', '.join(reason.rules)}]"
        elif answer.again is None:
            yield "    not decided again: the match is another one since an earlier difference"
    for due in answers.unconfirmed:
        yield f"award {due.key} is not confirmed: lobby {due.lobby or 'unknown'} is told of it again and again"


def verdict(answers: Answers) -> str:
    """Whether deciding again led to the same."""
    if answers.same:
        above = f" and {answers.records_above:,} of its tourney" if answers.records_above else ""
        return f"{answers.records:,} records{above} decided again: the same answers"
    return f"decided again, the answers differ: {answers.first_difference}"


def clock(ms: int) -> str:
    """A moment of the match clock; that of a ladder is the calendar's."""
    if ms >= _CALENDAR:
        return f"{datetime.fromtimestamp(ms // 1000, UTC):%Y-%m-%d %H:%M:%S}.{ms % 1000:03}Z"
    seconds, rest = divmod(ms, 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}.{rest:03}"


def _below(reason: Reason) -> Iterator[str]:
    told = {name: value for name, value in reason.inputs.items() if value not in (None, [], ())}
    if told:
        yield "    " + ", ".join(f"{name} {_shown(value)}" for name, value in told.items())
    for rival in reason.compared:
        way = "before" if rival.ahead else "behind"
        why = f" by {rival.decided_by}" if rival.decided_by else ""
        yield f"    {way} {rival.name}{why}: {_values(rival.own)} against {_values(rival.values)}"
    if reason.draw is not None:
        drawn = reason.draw
        yield f"    drawn from seed {drawn.seed!r}, blocks {drawn.counter} to {drawn.counter_after - 1}"


def _values(values: Mapping[str, Number]) -> str:
    return ", ".join(f"{name} {_shown(value)}" for name, value in values.items())


def _shown(value: object) -> str:
    if isinstance(value, list):
        return "/".join(map(str, value))
    return str(value)


def _reason(reason: Reason) -> dict[str, Any]:
    return {
        "kind": reason.kind,
        "t_ms": reason.t,
        "rules": list(reason.rules),
        "says": reason.says,
        "inputs": {name: _plain(value) for name, value in reason.inputs.items()},
        "compared": [_rival(rival) for rival in reason.compared],
        "draw": None if reason.draw is None else attrs.asdict(reason.draw),
    }


def _rival(rival: Rival) -> dict[str, Any]:
    own = {name: _plain(value) for name, value in rival.own.items()}
    values = {name: _plain(value) for name, value in rival.values.items()}
    return attrs.asdict(rival, recurse=False) | {"own": own, "values": values}


def _plain(value: Any) -> Any:
    return str(value) if isinstance(value, Fraction) else value
