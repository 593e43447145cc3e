"""The table server's end of the wire: tables come, hands are started, reports are kept until they have a
verdict.
"""

import random
import ssl
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final, Literal

import attrs
import trio

from protocol.client.channel import Dial
from protocol.client.feed import Feed
from protocol.client.peer import Peer, Pending
from protocol.client.tables import Hand, Report, Table
from protocol.messages import (
    Actions,
    BaseScore,
    Capacity,
    CloseTable,
    HandEnded,
    HandStarted,
    Hello,
    HistoryBegin,
    HistoryEnd,
    Incident,
    Message,
    RoundAborted,
    Seat,
    SeatPresence,
    StartHand,
)

ACTIONS_IN_MESSAGE_MAX: Final = 1000

TableKey = tuple[str, int]
"""Match and table number."""


class TableServer(Peer):
    """A program that deals hands for the coordinator.

    ``games`` are the names of the games it can deal, ``capacity`` is how many tables it takes at a time. Run
    :meth:`run` in a task, and play what :meth:`hands` gives. A table never has two hands open at a time.
    """

    def __init__(
        self,
        url: str,
        identity: str,
        *,
        games: Sequence[str],
        capacity: int,
        token: str | None = None,
        tls: ssl.SSLContext | None = None,
        software: str = "",
        dial: Dial | None = None,
        chance: random.Random | None = None,
    ) -> None:
        super().__init__(
            url,
            identity,
            roles=["table"],
            token=token,
            tls=tls,
            software=software,
            games=games,
            capacity=capacity,
            dial=dial,
            chance=chance,
        )
        self._capacity = capacity
        self._draining = False
        self._drained = trio.Event()
        self._tables: dict[TableKey, Table] = {}
        self._told: dict[TableKey, None] | None = None  # tables named by the snapshot that is being told
        self._bases: dict[tuple[str, str], BaseScore] = {}
        self._hands: Feed[Hand] = Feed(self._take_up)
        self._fresh: dict[Hand, None] = {}  # hands with something that is not queued yet
        self._reports: dict[Pending, None] = {}  # without a verdict

    # --- for game code ------------------------------------------------------------------------------------

    @property
    def tables(self) -> Mapping[TableKey, Table]:
        """The tables this server owns now, by match and table number."""
        return MappingProxyType(self._tables)

    def hands(self) -> Feed[Hand]:
        """The hands to play, in the order the coordinator started them; those it took back are left out.

        The one feed of this server: several tasks may share it. It ends when the server does.
        """
        return self._hands

    def base_score(self, match_id: str, stage_id: str) -> int:
        """The stage's base score by the newest tick, for show. Raises KeyError before the first tick."""
        return self._bases[match_id, stage_id].base_score

    def presence(self, table: Table, player_id: str, present: bool) -> None:
        """A player at the table came or went. It never decides a hand (R-RC-01)."""
        if present:
            table.absent.pop(player_id, None)
        else:
            table.absent[player_id] = None
        self._link.send(SeatPresence(table.match_id, table.table_id, player_id, present))

    async def abort_round(self, table: Table, reason: str) -> None:
        """This server cannot go on with the table; the coordinator places it again. Raises RequestRefused."""
        await self._answer(
            lambda ref: RoundAborted(table.match_id, table.table_id, table.epoch, reason=reason, ref=ref)
        )

    async def incident(
        self, table: Table, kind: Literal["drop", "seamless", "deviation", "acted"], player_id: str
    ) -> None:
        """What happened to a player in a match of a ladder: a disconnect, another course, or play that goes on.

        It may open a right for the other side, or let one go (R-RC-02 to R-RC-04). Raises RequestRefused.
        """
        table.incidents += 1
        number = table.incidents
        await self._answer(
            lambda ref: Incident(table.match_id, table.table_id, table.epoch, number, kind, player_id, ref)
        )

    def set_capacity(self, capacity: int) -> None:
        """Take so many tables from now on."""
        self._capacity = capacity
        self._link.send(Capacity(capacity, drain=self._draining))

    async def drain(self) -> None:
        """Take no new tables, finish those that run, leave in good order; :meth:`run` then returns."""
        if not self._draining and not self._ended:
            self._draining = True
            self._link.send(Capacity(self._capacity, drain=True))
            self._leave_if_drained()
        await self._drained.wait()

    # --- for hands ----------------------------------------------------------------------------------------

    def actions_recorded(self, hand: Hand) -> None:
        """A hand has new actions; they are queued when the link flushes."""
        self._put_off(hand)

    def hand_reported(self, hand: Hand, scores: dict[str, int], dropped: list[str]) -> Report:
        """A hand is over: its last actions go out before its scores."""
        self._tell(hand)
        table = hand.table
        pending = self._ask(
            lambda ref: HandEnded(
                table.match_id,
                table.table_id,
                hand.epoch,
                hand.hand_no,
                hand.attempt_no,
                scores=scores,
                ref=ref,
                dropped=dropped,
            )
        )
        self._reports[pending] = None
        return Report(scores, pending, dropped)

    def _put_off(self, hand: Hand) -> None:
        self._fresh[hand] = None
        self._link.wake()

    def _tell(self, hand: Hand) -> None:
        """Queue what the coordinator was not told of a hand: that it is played, and its newest actions."""
        self._fresh.pop(hand, None)
        table = hand.table
        if not hand.told_started:
            hand.told_started = True
            self._link.send(HandStarted(table.match_id, table.table_id, hand.epoch, hand.hand_no, hand.attempt_no))
        for first in range(hand.told, len(hand.log) + len(hand.recorded), ACTIONS_IN_MESSAGE_MAX):
            actions = hand.actions(first, first + ACTIONS_IN_MESSAGE_MAX)
            self._link.send(
                Actions(
                    table.match_id,
                    table.table_id,
                    hand.epoch,
                    hand.hand_no,
                    hand.attempt_no,
                    first=first,
                    actions=actions,
                )
            )
            hand.told = first + len(actions)

    def _take_up(self, hand: Hand) -> bool:
        if hand.cancelled:
            return False
        hand.taken = True
        self._put_off(hand)
        return True

    # --- what the link calls ------------------------------------------------------------------------------

    def hello(self) -> Hello:
        """Who we are, with the capacity as it was set last."""
        return attrs.evolve(super().hello(), capacity=self._capacity)

    def before_flush(self) -> None:
        """Queue what happened at the tables since the last frame, as far as there is room for it."""
        while self._fresh and self._link.has_room:
            hand = next(iter(self._fresh))
            if hand.cancelled:
                del self._fresh[hand]
            else:
                self._tell(hand)

    def restarted(self, *, snapshot_follows: bool) -> None:
        """A new session: tell again what the coordinator may have lost, reports first."""
        super().restarted(snapshot_follows=snapshot_follows)
        self._fresh.clear()  # told with all else of their hands, once it is known which tables are ours
        if self._draining:
            self._link.send(Capacity(self._capacity, drain=True))
        if not snapshot_follows:
            # The coordinator knows nothing of us, so no table is ours.
            self._told = {}
            self._reconcile()
            if self._draining:
                self._leave_if_drained()

    def message(self, message: Message) -> None:
        """An answer frees its report; what is left when nothing is left to do ends a drain."""
        super().message(message)
        if self._draining:
            self._leave_if_drained()

    def _on_notice(self, message: Message) -> None:
        match message:
            case StartHand():
                self._start_hand(message)
            case Seat():
                self._seat(message)
            case CloseTable():
                self._close_table(message)
            case BaseScore():
                known = self._bases.get((message.match_id, message.stage_id))
                if known is None or message.tick >= known.tick:
                    self._bases[message.match_id, message.stage_id] = message
            case HistoryBegin():
                self._told = {}
            case HistoryEnd():
                self._reconcile()
            case _:
                pass  # for another role, or from a newer coordinator

    def _on_end(self) -> None:
        self._hands.end()
        self._drained.set()

    # --- tables and hands ---------------------------------------------------------------------------------

    def _seat(self, seat: Seat) -> None:
        key = seat.match_id, seat.table_id
        if self._told is not None:
            self._told[key] = None
        known = self._tables.get(key)
        if known is not None and known.epoch > seat.epoch:
            return
        if known is not None and known.epoch == seat.epoch:
            known.seats = seat.seats
            known.game_attrs = seat.game_attrs
            return
        if known is not None:
            _cancel(known.hand)
        self._tables[key] = Table(
            match_id=seat.match_id,
            table_id=seat.table_id,
            epoch=seat.epoch,
            game=seat.game,
            stage_id=seat.stage_id,
            bout_no=seat.bout_no,
            seats=seat.seats,
            game_attrs=seat.game_attrs,
        )

    def _start_hand(self, start: StartHand) -> None:
        table = self._tables.get((start.match_id, start.table_id))
        if table is None or table.epoch != start.epoch:
            return
        newest = table.hand
        if newest is not None:
            if (start.hand_no, start.attempt_no) <= (newest.hand_no, newest.attempt_no):
                # Told again by a snapshot: it is in play already, or over and its report on the way.
                return
            _cancel(newest)
        table.hand = Hand(
            self,
            table,
            hand_no=start.hand_no,
            attempt_no=start.attempt_no,
            base_score=start.base_score,
            deal=start.deal,
            log=start.log,
            board_no=start.board_no,
        )
        self._hands.put(table.hand)

    def _close_table(self, close: CloseTable) -> None:
        table = self._tables.get((close.match_id, close.table_id))
        if table is not None and table.epoch <= close.epoch:
            self._drop(table)
        if close.reason == "match_over":
            for key in [key for key in self._bases if key[0] == close.match_id]:
                del self._bases[key]

    def _drop(self, table: Table) -> None:
        _cancel(table.hand)
        del self._tables[table.match_id, table.table_id]

    def _reconcile(self) -> None:
        """The snapshot is complete: forget what it did not name, tell what only this server knows."""
        told, self._told = self._told or {}, None
        for key in [key for key in self._tables if key not in told]:
            self._drop(self._tables[key])
        for table in self._tables.values():
            for player_id in table.absent:
                self._link.send(SeatPresence(table.match_id, table.table_id, player_id, present=False))
            hand = table.hand
            if hand is not None and hand.taken and hand.open and not hand.cancelled:
                # Of thousands of tables this is more than a session keeps: it goes out as room comes.
                hand.told_started = False
                hand.told = 0
                self._put_off(hand)

    def _leave_if_drained(self) -> None:
        self._reports = {pending: None for pending in self._reports if pending.outcome is None}
        if not self._tables and not self._reports and self._told is None:
            self._link.finish()


def _cancel(hand: Hand | None) -> None:
    """The coordinator took the hand away; what was reported stands and waits for its verdict."""
    if hand is not None and hand.open:
        hand.cancelled = True
