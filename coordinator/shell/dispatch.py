"""From effects to messages: the only place that knows both, after :mod:`coordinator.shell.requests`."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeVar

import attrs

from coordinator.engine import effects as fx
from coordinator.engine.announcements.orders import final_places, offer_of, seat_players, start_hand
from coordinator.engine.directing.director_effects import TellRuled
from coordinator.engine.dues import Due
from coordinator.engine.ladder.ladder_effects import TellChallenge, TellRanks, TellRight
from coordinator.engine.state import MatchState, Table
from coordinator.engine.waiting import wait_reason
from coordinator.shell import ladder_notices
from coordinator.shell.listener import build_frame as build_websocket_frame
from coordinator.shell.peers import Peers
from coordinator.shell.standings import duplicate_text, rating_text
from protocol import messages
from protocol.codec import build_frame, encode_message

T = TypeVar("T")

PLAYERS_PER_NOTICE = 1000
PLACES_PER_PART = 400


class Dispatch:
    """Carries effects out. Called only for what is on disk."""

    def __init__(
        self,
        peers: Peers,
        raise_alarm: Callable[[str, str, str], None],
        tell_dues: Callable[[tuple[Due, ...]], None],
    ) -> None:
        self._peers = peers
        self._raise_alarm = raise_alarm
        self._carry: dict[type, Callable[[MatchState, Any], None]] = {
            fx.SeatPlayers: self._seat_players,
            fx.StartHand: self._start_hand,
            fx.CloseTable: self._close_table,
            fx.RaiseBase: self._raise_base,
            fx.TellStarted: self._tell_started,
            fx.TellSeated: self._tell_seated,
            fx.TellWaiting: self._tell_waiting,
            fx.TellEliminated: self._tell_eliminated,
            fx.TellOver: self._tell_over,
            fx.RaiseAlarm: self._alarm,
            fx.TellOffered: self._tell_offered,
            fx.TellLeft: self._tell_left,
            fx.TellRewarded: self._tell_rewarded,
            TellChallenge: self._tell_challenge,
            TellRight: self._tell_right,
            TellRanks: self._tell_ranks,
            fx.TellPaused: self._tell_paused,
            fx.SendDues: lambda state, effect: tell_dues(effect.dues),
            TellRuled: self._tell_ruled,
        }

    def carry_out(self, state: MatchState, leaving: Sequence[fx.Effect]) -> None:
        """Send what the effects ask for; those that are not for the wire are passed over."""
        carry = self._carry
        for effect in leaving:
            rule = carry.get(type(effect))
            if rule is not None:
                rule(state, effect)

    def table_messages(self, state: MatchState, table: Table) -> list[bytes]:
        """What a table server must know to go on with a table: its seats and the hand in play."""
        told = [encode_message(_seat(state.match_id, seat_players(state, table)))]
        if table.in_hand:
            told.append(encode_message(_start(state.match_id, start_hand(state, table))))
        return told

    def match_messages(self, state: MatchState, t_ms: int = 0) -> list[bytes]:
        """What a lobby must know of a match that runs or is over, as the notices it may have missed.

        t_ms: what the match clock reads, for the offers that are open.
        """
        if state.status == "over":
            result: list[messages.Message] = [*_payouts(state)]
            result += match_over(state.match_id, _places(state, final_places(state)), state.secret)
            return [encode_message(message) for message in result]
        told: list[messages.Message] = [messages.MatchStarted(state.match_id, len(state.entrants))]
        if state.paused is not None:
            told.append(_clock_notice(state.match_id, state.paused))
        stage_id = state.stage_rules.id
        told += [
            messages.Seated(state.match_id, stage_id, table.bout_no, table.table_id, list(table.seats))
            for table in state.tables.values()
        ]
        waiting: dict[fx.WaitReason, list[str]] = {}
        for entrant in state.entrants.values():
            if entrant.state == "out":
                told.append(
                    messages.Eliminated(
                        state.match_id, entrant.out_in or stage_id, entrant.player_id, entrant.place, entrant.score
                    )
                )
            elif entrant.state in _WAITING and state.ladder is None:
                reason = _WAITING[entrant.state] or wait_reason(state)
                waiting.setdefault(reason, []).append(entrant.player_id)
        for reason, players in waiting.items():
            told += [
                messages.Waiting(state.match_id, stage_id, list(part), reason)
                for part in _parts(players, PLAYERS_PER_NOTICE)
            ]
        told += [
            messages.Ruled(state.match_id, "disqualify", known.reason, player_id)
            for player_id, known in state.disqualified.items()
        ]
        told += _payouts(state)
        told += ladder_notices.ladder_messages(state)
        for player_id, offer in state.current.offers.items():
            left_ms = max(0, offer.due - t_ms)
            told.append(_offer(state.match_id, attrs.evolve(offer_of(state, player_id), timeout_ms=left_ms)))
        return [encode_message(message) for message in told]

    def _seat_players(self, state: MatchState, effect: fx.SeatPlayers) -> None:
        peer = self._peers.get(effect.server_id)
        if peer is not None:
            self._peers.send(peer, _seat(state.match_id, effect))

    def _start_hand(self, state: MatchState, effect: fx.StartHand) -> None:
        peer = self._peers.get(effect.server_id)
        if peer is not None:
            self._peers.send(peer, _start(state.match_id, effect))

    def _close_table(self, state: MatchState, effect: fx.CloseTable) -> None:
        peer = self._peers.get(effect.server_id)
        if peer is not None:
            self._peers.send(peer, messages.CloseTable(state.match_id, effect.table_id, effect.epoch, effect.reason))

    def _raise_base(self, state: MatchState, effect: fx.RaiseBase) -> None:
        """A tick: the same bytes for everybody, outside the numbering; a tick that still waits is replaced."""
        tick = messages.BaseScore(state.match_id, effect.stage_id, effect.tick, effect.base_score)
        frame = build_websocket_frame(build_frame(0, 0, [encode_message(tick)]))
        slot = f"base/{state.match_id}"
        for peer in self._peers:
            if peer.conn is not None:
                peer.conn.replace(slot, frame)

    def _tell_started(self, state: MatchState, effect: fx.TellStarted) -> None:
        self._peers.tell_lobbies(messages.MatchStarted(state.match_id, effect.players))

    def _tell_seated(self, state: MatchState, effect: fx.TellSeated) -> None:
        lobbies = self._peers.with_role("lobby")
        if not lobbies:
            return
        for number, seats in enumerate(effect.tables, start=effect.first_table_id):
            encoded = encode_message(
                messages.Seated(state.match_id, effect.stage_id, effect.bout_no, number, list(seats))
            )
            for peer in lobbies:
                self._peers.send_encoded(peer, encoded)

    def _tell_waiting(self, state: MatchState, effect: fx.TellWaiting) -> None:
        for players in _parts(effect.players, PLAYERS_PER_NOTICE):
            self._peers.tell_lobbies(messages.Waiting(state.match_id, effect.stage_id, list(players), effect.reason))

    def _tell_eliminated(self, state: MatchState, effect: fx.TellEliminated) -> None:
        self._peers.tell_lobbies(
            messages.Eliminated(state.match_id, effect.stage_id, effect.player_id, effect.place, effect.score)
        )

    def _tell_offered(self, state: MatchState, effect: fx.TellOffered) -> None:
        self._peers.tell_lobbies(_offer(state.match_id, effect))

    def _tell_left(self, state: MatchState, effect: fx.TellLeft) -> None:
        """Who owes the player something is told that it does; to all other lobbies it is news and nothing to pay."""
        owed = effect.payout_no is not None and state.owes_payouts
        units, number = (0, None) if owed else (effect.units, effect.payout_no)
        told = messages.CashedOut(
            state.match_id, effect.stage_id, effect.player_id, effect.score, units, effect.reason, number
        )
        payer = state.lobbies.get(effect.player_id, state.lobby) if owed else None
        for peer in self._peers.with_role("lobby"):
            if peer.identity != payer:
                self._peers.send(peer, told)

    def _tell_rewarded(self, state: MatchState, effect: fx.TellRewarded) -> None:
        self._peers.tell_lobbies(
            messages.StageReward(
                state.match_id, effect.stage_id, effect.player_id, effect.place, effect.items, effect.payout_no
            )
        )

    def _tell_challenge(self, state: MatchState, effect: TellChallenge) -> None:
        self._peers.tell_lobbies(ladder_notices.challenge(state.match_id, effect))

    def _tell_right(self, state: MatchState, effect: TellRight) -> None:
        told = ladder_notices.right_opened(state.match_id, effect)
        self._peers.tell_lobbies(told)
        for server_id in dict.fromkeys(effect.servers):
            peer = self._peers.get(server_id)
            if peer is not None and "lobby" not in peer.roles:
                self._peers.send(peer, told)

    def _tell_ranks(self, state: MatchState, effect: TellRanks) -> None:
        self._peers.tell_lobbies(ladder_notices.ranks(state.match_id, effect))

    def _tell_ruled(self, state: MatchState, effect: TellRuled) -> None:
        self._peers.tell_lobbies(
            messages.Ruled(
                state.match_id,
                effect.kind,
                effect.reason,
                effect.player_id,
                effect.points,
                effect.table_id,
                effect.hand_no,
                dict(effect.scores),
            )
        )

    def _tell_paused(self, state: MatchState, effect: fx.TellPaused) -> None:
        self.tell_clock(state.match_id, effect.reason)

    def tell_clock(self, match_id: str, reason: str | None) -> None:
        """Why the clock of a match stands still, or with None that it goes on.

        Said to everybody but those who only look on: they see it on the page.
        """
        encoded = encode_message(_clock_notice(match_id, reason))
        for peer in self._peers:
            if "lobby" in peer.roles or peer.is_table:
                self._peers.send_encoded(peer, encoded)

    def _alarm(self, state: MatchState, effect: fx.RaiseAlarm) -> None:
        self._raise_alarm(state.match_id, effect.code, effect.message)

    def _tell_over(self, state: MatchState, effect: fx.TellOver) -> None:
        for message in match_over(state.match_id, _places(state, effect.places), state.secret):
            self._peers.tell_lobbies(message)


_WAITING: Mapping[str, fx.WaitReason | None] = MappingProxyType(
    {"waiting": None, "bye": "bye", "resting": "resting", "joining": "next_stage"}
)
"""The states of players who wait, and why where the state itself says so."""


def _payouts(state: MatchState) -> Iterator[messages.CashedOut | messages.StageReward]:
    """All that is owed by its number so far, and who else has left; what is owed under a key is told apart."""
    payouts = [] if state.owes_payouts else state.payouts
    match_id, known = state.match_id, {due.player_id: None for due in payouts if due.place is None}
    for due in payouts:
        if due.place is None:
            yield messages.CashedOut(
                match_id, due.stage_id, due.player_id, due.score, due.units, due.reason, due.payout_no
            )
        else:
            yield messages.StageReward(match_id, due.stage_id, due.player_id, due.place, due.items, due.payout_no)
    for entrant in state.entrants.values():
        if entrant.state == "left" and entrant.player_id not in known:
            stage_id = state.stage_rules.id
            yield messages.CashedOut(match_id, stage_id, entrant.player_id, entrant.score, 0, "asked", None)


def _clock_notice(match_id: str, reason: str | None) -> messages.MatchPaused | messages.MatchResumed:
    return messages.MatchResumed(match_id) if reason is None else messages.MatchPaused(match_id, reason)


def _offer(match_id: str, effect: fx.TellOffered) -> messages.RevivalOffer:
    return messages.RevivalOffer(
        match_id,
        effect.stage_id,
        effect.player_id,
        effect.offer_no,
        effect.fee_kind,
        effect.item_id,
        effect.fee,
        [messages.PackRow(score, cost) for score, cost in effect.packs],
        effect.remaining,
        effect.score,
        effect.timeout_ms,
    )


def match_over(match_id: str, rows: Sequence[messages.PlaceRow], deal_secret: str = "") -> list[messages.MatchOver]:
    """The final result in parts that fit a frame, each with the secret that opens the deals."""
    parts = list(_parts(rows, PLACES_PER_PART)) or [()]
    return [
        messages.MatchOver(match_id, number, len(parts), list(part), deal_secret)
        for number, part in enumerate(parts, start=1)
    ]


def _places(state: MatchState, places: Sequence[tuple[str, int, str | None]]) -> list[messages.PlaceRow]:
    return [
        messages.PlaceRow(place, player_id, score, out_in, _shown(state, player_id), player_id in state.disqualified)
        for place, (player_id, score, out_in) in enumerate(places, start=1)
    ]


def _shown(state: MatchState, player_id: str) -> str | None:
    return rating_text(state, player_id) or duplicate_text(state, state.entrants[player_id])


def _parts(items: Sequence[T], size: int) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]


def _seat(match_id: str, effect: fx.SeatPlayers) -> messages.Seat:
    return messages.Seat(
        match_id,
        effect.table_id,
        effect.epoch,
        effect.game,
        effect.stage_id,
        effect.bout_no,
        [
            messages.SeatedPlayer(number, player_id, name, score)
            for number, (player_id, name, score) in enumerate(effect.seats, start=1)
        ],
        effect.game_attrs,
    )


def _start(match_id: str, effect: fx.StartHand) -> messages.StartHand:
    return messages.StartHand(
        match_id,
        effect.table_id,
        effect.epoch,
        effect.hand_no,
        effect.attempt_no,
        effect.base_score,
        effect.deal,
        list(effect.log),
        effect.board_no,
    )
