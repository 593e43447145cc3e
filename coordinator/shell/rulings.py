"""From the words of directors to commands: those of a ladder, and those of every other match."""

from typing import Any

from coordinator.engine import commands
from coordinator.engine.directing import director_commands as words
from coordinator.engine.ladder import ladder_commands as ask
from protocol import messages
from protocol.errors import WireError


def command_of(message: messages.Ruling, t: int) -> commands.Command:
    """What a ruling asks, at the time ``t``. Raises WireError where it lacks a word that its kind needs."""

    def needed(word: str) -> Any:
        value = getattr(message, word)
        if value is None or value == {}:
            text = f"a ruling of kind {message.kind} needs {word}"
            raise WireError("malformed", text, field=word, expected="a value", ref=message.ref)
        return value

    reason, key = message.reason, message.key
    match message.kind:
        case "outcome":
            return ask.RuleOutcome(t, needed("challenge_no"), message.winner, reason, key)
        case "board":
            return ask.RuleBoard(t, needed("challenge_no"), needed("board_no"), message.imps, reason, key)
        case "false_report":
            return ask.RuleFalseReport(t, needed("team"), reason, key)
        case "place":
            return ask.PlaceTeam(t, needed("team"), needed("rank"), reason, key)
        case "extend":
            return ask.ExtendDeadline(t, needed("challenge_no"), needed("by_ms"), reason, needed("key"))
        case "roster":
            return ask.ChangeRoster(t, needed("team"), tuple(message.leaving), tuple(message.coming), key)
        case "close":
            return ask.CloseLadder(t)
        case "penalty":
            return words.GivePenalty(t, needed("player_id"), needed("points"), needed("key"), reason)
        case "disqualify":
            return words.DisqualifyPlayer(t, needed("player_id"), reason, key)
        case "reinstate":
            return words.ReinstatePlayer(t, needed("player_id"), reason, key)
        case "correct":
            return words.CorrectHand(t, needed("table_id"), needed("hand_no"), needed("scores"), reason, key)
        case "reseat":
            return words.SeatAnew(t, needed("key"), reason)
