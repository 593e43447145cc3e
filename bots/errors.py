"""What can go wrong among the bots, each with a stable code and the exit code it ends a program with."""

from collections.abc import Iterator


class BotError(Exception):
    """Base of the family: a sentence for people, :attr:`code` for programs, :attr:`exit_code` for shells."""

    code = "bot_failed"
    exit_code = 1


def leaves(error: BaseException) -> Iterator[BaseException]:
    """The exceptions of a group, however deep they lie; a bare one is its own leaf."""
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from leaves(inner)
    else:
        yield error


class UnknownGame(BotError):
    """A name that is no game of ours."""

    code = "unknown_game"
    exit_code = 2


class UnplayableGame(BotError):
    """OpenSpiel knows the game, but its kind or its results do not fit a table."""

    code = "unplayable_game"


class NoOpenSpiel(BotError):
    """OpenSpiel, an extra of the package, is not installed."""

    code = "no_openspiel"


class WrongSeats(BotError):
    """A hand was ordered with more or fewer players than the game has seats."""

    code = "wrong_seats"


class LogDoesNotFit(BotError):
    """The log of a hand to be repeated names an action that the game does not allow there (R-RC-02)."""

    code = "log_does_not_fit"


class MatchNotStarted(BotError):
    """All players are registered and nothing happens."""

    code = "match_not_started"


class DemoFailed(BotError):
    """The demo cannot go on. Exit code and code are those of whoever refused, if somebody did."""

    def __init__(self, sentence: str, exit_code: int = 1, *, code: str = "demo_failed") -> None:
        super().__init__(sentence)
        self.exit_code = exit_code
        self.code = code


class Interrupted(DemoFailed):
    """Somebody pressed Ctrl-C (130) or asked the demo to end (143)."""

    def __init__(self, signal_number: int) -> None:
        super().__init__("interrupted", 128 + signal_number, code="interrupted")
