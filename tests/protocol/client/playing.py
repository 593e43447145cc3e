"""What the tests of the SDK say to it."""

from protocol.messages import Message, Seat, SeatedPlayer, StartHand

DEAL = "ab" * 32


def seat(table_id: int = 7, *, epoch: int = 1, match_id: str = "m-1") -> Seat:
    players = [SeatedPlayer(number, name, name.title(), 0) for number, name in enumerate(("ann", "bob"), start=1)]
    return Seat(match_id, table_id, epoch, "gin_rummy", "s-1", 1, players, {"knock": "10"})


def start(
    table_id: int = 7,
    hand_no: int = 1,
    *,
    epoch: int = 1,
    attempt_no: int = 1,
    match_id: str = "m-1",
    log: list[int | str] | None = None,
) -> StartHand:
    return StartHand(match_id, table_id, epoch, hand_no, attempt_no, 100, DEAL, log or [])


SCORES = {"ann": 12, "bob": -12}


def kinds(messages: list[Message]) -> list[str]:
    return [message.type for message in messages]
