"""What makes a request count once, however often and however late it is asked again.

Most requests name what they are about in a way that can be carried out only once: an offer, a payment, a right. The
others may bear a *key*, the asker's own name of the request. It is journaled with what the request came to, so that a
repetition is known after any restart, also when the match has moved on and would take the same words for new ones.
"""

from collections.abc import Callable
from typing import Any

import attrs

from coordinator.engine import commands, events
from coordinator.engine.refusal import Decision, Refused
from coordinator.engine.state import MatchState

Rule = Callable[[MatchState, Any], Decision]

KEYS_KEPT = 1 << 14
"""So many keys of a match are remembered, the newest: a ladder may run for years."""

_NOT_ITS_WORDS = ("t", "key", "reason", "lobby")
"""When, by whom and why something is asked, which may be told otherwise the second time."""


def said_before(state: MatchState, key: str, words: str) -> Decision | None:
    """The answer to a word that was said before under its key: nothing more, or that those were others."""
    known = state.said.get(key)
    if known is None:
        return None
    return () if known == words else Refused("key_used", f"this key was for {known}", "key", "a key of its own")


def remember(state: MatchState, key: str, words: str) -> None:
    """A key was used: it is the newest now."""
    said = state.said
    said.pop(key, None)
    said[key] = words
    if len(said) > KEYS_KEPT:
        del said[next(iter(said))]


def once(rule: Rule) -> Rule:
    """The same rule, that knows a command it has carried out by its key."""

    def decide(state: MatchState, command: Any) -> Decision:
        if command.key is None:
            return rule(state, command)
        words = words_of(command)
        before = said_before(state, command.key, words)
        return _noted(rule(state, command), command, command.key, words) if before is None else before

    return decide


def newest_once(rule: Rule) -> Rule:
    """The same of a player who comes and goes all the time: the newest key of each is kept, and none before it."""

    def decide(state: MatchState, command: commands.JoinMatch | commands.LeaveMatch) -> Decision:
        if command.key is None:
            return rule(state, command)
        kept_as = f"{type(command).__name__}/{command.player_id}"
        if state.said.get(kept_as) == command.key:
            return ()
        return _noted(rule(state, command), command, kept_as, command.key)

    return decide


def words_of(command: Any) -> str:
    """A command in words, in the same ones whenever the same is asked."""
    told = [
        f"{field.name} {_plain(getattr(command, field.name))}"
        for field in attrs.fields(type(command))
        if field.name not in _NOT_ITS_WORDS
    ]
    return f"{type(command).__name__} ({', '.join(told)})"


def _plain(value: Any) -> Any:
    """As it stands in the journal's words: a time by what it holds, scores in the order of names."""
    if isinstance(value, tuple):
        return tuple([attrs.astuple(part) if attrs.has(type(part)) else part for part in value])
    return dict(sorted(value.items())) if isinstance(value, dict) else value


def _noted(decided: Decision, command: Any, key: str, words: str) -> Decision:
    """With the key, also where nothing was to be done: what is asked again must not be done later either."""
    return decided if isinstance(decided, Refused) else (*decided, events.KeyUsed(command.t, key, words))
