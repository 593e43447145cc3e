"""What lobbies are owed by matches and by tourneys, told again and again until they confirm it (R-HI-03).

A due is journaled before it is told and has a key that never changes; the confirmation is journaled too. Whatever dies
in between, it is told once more, and a lobby that books under the key pays once.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING

import trio

from coordinator.engine import commands
from coordinator.engine.dues import Due, match_of
from coordinator.engine.match import Outcome
from coordinator.engine.refusal import Refused
from coordinator.engine.tourney.tourney import TourneyOutcome
from coordinator.shell.desk import Desk
from coordinator.shell.tourney_desk import TourneyDesk
from protocol import messages
from protocol.codec import encode_message

if TYPE_CHECKING:
    from coordinator.shell.office import Office

RESEND_S = 30.0
"""How often a lobby is told again of what it has not confirmed; a new session of it is told at once."""

TOLD_AT_ONCE = 10_000
"""So many dues are told at a time; the others follow when these are confirmed, or are told again with them."""


class Dues:
    """All that is owed. One per office."""

    def __init__(self, office: "Office") -> None:
        self._office = office
        self._armed = False

    def wake(self) -> None:
        """After recovery: tell again what nobody has confirmed."""
        if next(self._owed(), None) is not None:
            self._tell_again_later()

    def tell(self, dues: Iterable[Due]) -> None:
        """Tell dues that are on disk to the lobbies that entered the players."""
        for due in islice(dues, TOLD_AT_ONCE):
            encoded = self._encoded(due)
            for peer in self._office.peers.with_role("lobby"):
                if encoded is not None and due.lobby in ("", peer.identity):
                    self._office.peers.send_encoded(peer, encoded)
        self._tell_again_later()

    def of(self, lobby: str) -> list[bytes]:
        """What a lobby has not confirmed, as messages."""
        owed = [due for due in self._owed() if due.lobby in ("", lobby)][:TOLD_AT_ONCE]
        return [encoded for due in owed if (encoded := self._encoded(due)) is not None]

    def _encoded(self, due: Due) -> bytes | None:
        """A due as it is told. Where that cannot be, who owes it stands still, and the others are told theirs."""
        desk = self._office.desks.get(match_of(due.key)) or self._office.tourneys.at(due.key)
        assert desk is not None, "what is owed is owed by a match or a tourney in memory"
        try:
            return None if desk.failure is not None else encode_message(due_message(due))
        except Exception as error:
            desk.fail(error)
            return None

    def match_of(self, key: str) -> str | None:
        """The match that may know a key, and has to be in memory then; None where a tourney does, or nobody."""
        return (match_of(key) or None) if self._office.tourneys.at(key) is None else None

    def find(self, key: str) -> Due | None:
        """What is owed under a key."""
        match, tourney = self._office.desks.get(match_of(key)), self._office.tourneys.at(key)
        of_match = None if match is None else match.state.dues.get(key)
        return of_match if of_match is not None or tourney is None else tourney.state.dues.get(key)

    def confirm(self, key: str, answer: Callable[[Outcome | TourneyOutcome | Refused], None]) -> None:
        """A lobby has paid what is owed under a key."""
        desk = self._office.desks.get(match_of(key))
        if desk is not None and (_pays(desk) or key in desk.state.dues or key in desk.state.confirmed):
            desk.submit(commands.ConfirmAward(desk.now_ms(), key), answer)
        else:
            self._office.tourneys.confirm(key, answer)

    def _owed(self) -> Iterator[Due]:
        desks: list[Desk | TourneyDesk] = [*self._office.tourneys.desks.values(), *self._office.desks.values()]
        for desk in desks:
            if desk.failure is None:  # the state of a desk that failed may be half of what it should be
                yield from desk.state.dues.values()

    def _tell_again_later(self) -> None:
        if not self._armed:
            self._armed = True
            self._office.timers.set("dues", trio.current_time() + RESEND_S, self._tell_again)

    def _tell_again(self) -> None:
        self._armed = False
        owed = list(islice(self._owed(), TOLD_AT_ONCE))
        if owed:
            # The states are ahead of the disk, so what was read from them waits for it.
            self._office.writer.append(None, self._tell_and_flush, owed)

    def _tell_and_flush(self, owed: list[Due]) -> None:
        self.tell(owed)
        self._office.peers.flush()


def _pays(desk: Desk) -> bool:
    """Whether a match pays by itself, and not the tourney that opened it."""
    return bool(desk.state.lobby)


def due_message(due: Due) -> messages.Award | messages.StageReward | messages.CashedOut | messages.Refund:
    """A due as it is told."""
    if due.kind == "award":
        return messages.Award(due.key, due.source, due.player_id, due.place or 1, due.items)
    if due.kind == "stage_reward":
        return messages.StageReward(
            due.source, due.stage_id, due.player_id, due.place or 1, due.items, due.payout_no or 1, due.key
        )
    if due.kind == "cash_out":
        return messages.CashedOut(
            due.source,
            due.stage_id,
            due.player_id,
            due.score,
            due.amount,
            due.reason,  # type: ignore[arg-type]
            due.payout_no,
            due.key,
        )
    return messages.Refund(
        due.key,
        due.source,
        due.player_id,
        due.fee_kind,
        due.item_id,
        due.amount,
        due.payment_ref,
        due.reason,  # type: ignore[arg-type]
    )
