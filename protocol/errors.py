"""What can go wrong on the wire: one closed table of codes, one of close codes, and the exception that
carries them.

A code never changes its meaning and is never used again for another one; peers may branch on it. The
sentences beside it are for people and may change.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import attrs

from protocol.messages import Error


@attrs.frozen
class Code:
    """One row of :data:`CODES`: what the code means, and the WebSocket close code that follows it, if one
    does.
    """

    meaning: str
    close_code: int | None = None


CLOSE_CODES: Final[Mapping[int, str]] = MappingProxyType(
    {
        1001: "the coordinator or the peer goes away in good order",
        1003: "a text message came; the protocol is binary",
        1009: "a WebSocket message was larger than allowed",
        1011: "an error of our own; dial again",
        1012: "the coordinator restarts; dial again after the time the bye names",
        4000: "the peer broke the protocol",
        4001: "the peer did not say who it is, or was not believed",
        4003: "the peer reports what is not its own, again and again",
        4008: "the peer was silent for too long",
        4009: "a newer socket of the same identity took the session over; do not dial again",
        4010: "a numbered frame is missing; dial again and resume",
        4013: "the peer read too slowly; dial again and resume",
        4014: "the peer has too many frames that were not acknowledged",
        4015: "no common version",
        4029: "too many messages, refusals or sockets; dial again later",
    }
)
"""Every close code the coordinator uses, beside 1000 (a wanted end) and 1002 and 1007 (WebSocket itself was
broken).
"""


CODES: Final[Mapping[str, Code]] = MappingProxyType(
    {
        # --- the frame, the session ---
        "malformed": Code(
            "a message does not have the shape the field names; "
            "when the frame itself cannot be read the socket is closed with 4000"
        ),
        "unknown_message": Code("no message of this type may be sent in this direction"),
        "too_large": Code("a frame or a message is larger than allowed", 1009),
        "too_deep": Code("a message is nested deeper than allowed"),
        "too_long": Code("a list or a map of a message holds more than allowed"),
        "hello_first": Code("the first message of a socket must be a hello", 4001),
        "second_hello": Code("the socket has said its hello already", 4000),
        "version": Code("the peers have no message version in common", 4015),
        "no_token": Code("this role needs a token", 4001),
        "bad_token": Code("the token is not one of this identity", 4001),
        "trespass": Code("the peer reports what is not its own, again and again", 4003),
        "silent": Code("nothing was heard from the peer for too long", 4008),
        "replaced": Code("a newer socket of the same identity took the session over", 4009),
        "gap": Code("a numbered frame is missing before this one", 4010),
        "slow_consumer": Code("more is waiting for this peer than a session may hold", 4013),
        "too_many_unacknowledged": Code("the peer has sent more than it may without an acknowledgement", 4014),
        "rate": Code("more messages, bad messages or new lives came than a peer may send in a time", 4029),
        "busy": Code("the coordinator holds as many sessions as it may, or its disk is too far behind", 4029),
        "done": Code("the peer has finished its work and leaves in good order"),
        "shutting_down": Code("the coordinator stops; the bye says when to dial again", 1012),
        "internal": Code("an error of the coordinator's own; nothing was changed", 1011),
        # --- what a message names ---
        "unknown_match": Code("there is no match of this id"),
        "unknown_table": Code("the match has no table of this number"),
        "unknown_player": Code("the match has no player of this id"),
        "unknown_definition": Code("no definition of this name is loaded"),
        "not_your_table": Code("another table server owns this table"),
        "not_allowed": Code("the message needs a role this session does not hold, or the state has no room for it"),
        # --- opening, entering, leaving, starting ---
        "match_exists": Code("the match is open already, with other words"),
        "too_many_matches": Code("as many matches are open as may be; ask again when one has ended"),
        "wrong_match_words": Code("the same request was made before with other words"),
        "match_closed": Code("the match takes no more registrations"),
        "match_full": Code("the match has all the players it can take"),
        "already_started": Code("the match has started"),
        "not_started": Code("the match has not started"),
        "field_too_small": Code("too few players are registered"),
        "leave_forbidden": Code("the format does not let a player leave now"),
        "join_forbidden": Code("the format does not let a player join now"),
        "leaving": Code("the player leaves when the hand has ended"),
        "eliminated": Code("the player is out of this stage"),
        "no_offer": Code("no such offer of revival is open; a fee that was charged is to be given back"),
        "wrong_pack": Code("the offer has no pack of this number"),
        "payment_used": Code("this payment was used for something else"),
        "name_refused": Code("the name is empty, too long or holds characters that cannot be shown"),
        "definition_refused": Code("the definition breaks a rule; the field says where"),
        "config_error": Code("the daemon's configuration does not allow this"),
        # --- a ladder ---
        "not_a_ladder": Code("the match is no ladder"),
        "roster_refused": Code("the roster has too few players, too many, or one of another team"),
        "roster_change_refused": Code("the roster cannot be changed so, or no more"),
        "unknown_challenge": Code("the ladder has no challenge of this number"),
        "challenge_over": Code("the challenge is over"),
        "out_of_window": Code("the team may not challenge this rank"),
        "top_phase": Code("the week begins with the second and the third rank; the others wait"),
        "locked": Code("one of the teams has such a challenge open already"),
        "wrong_slots": Code("another number of times is to be proposed, each of them once"),
        "slot_refused": Code("a proposed time has passed, is beyond the limit, or is at an hour nobody plays"),
        "no_such_slot": Code("no time of this number is on offer"),
        "checkin_closed": Code("check-in is not open now"),
        "wrong_lineup": Code("these players cannot be fielded"),
        "no_lineup": Code("the team has named no players yet"),
        "no_open_right": Code("the team has no right that is open, or not this one"),
        "no_such_option": Code("the right does not offer this"),
        "wrong_teams": Code("a report must name the two teams of the challenge"),
        "sides_swapped": Code("the report has the two teams the wrong way round"),
        "too_late": Code("the match is over; disputes are raised before its end"),
        "no_such_board": Code("this board has not been played, or is not in dispute"),
        "unknown_dispute": Code("the challenge has no dispute of this number"),
        "no_such_rank": Code("the ladder has no such rank"),
        "bad_extension": Code("a deadline cannot be moved by so much"),
        # --- a director's words ---
        "is_a_ladder": Code("the match is a ladder, which has rulings of its own"),
        "match_over": Code("the match is over, and what it came to is final"),
        "key_used": Code("this key was used for another word"),
        "disqualified": Code("the player is disqualified"),
        "last_player": Code("nobody else is left in the match"),
        "round_closed": Code("the bout of this table is over and its cut is made; a penalty can still be given"),
        "no_such_hand": Code("no hand of this number has ended at this table, or it has no result to correct"),
        "seating_in_play": Code("a hand of this seating has started; nobody can be seated anew"),
        # --- tourneys ---
        "unknown_tourney": Code("there is no tourney of this id"),
        "unknown_instance": Code("there is no instance and no start point of this name"),
        "unknown_due": Code("no award and no refund has this key"),
        "registration_not_open": Code("registration for this start is not open yet"),
        "entry_refused": Code("the player does not meet the conditions of entry; the field says which"),
        "entered_elsewhere": Code("the player is entered, or plays, somewhere that excludes this start"),
        "payment_missing": Code("entering costs a fee, and no payment was named"),
        "reserved_id": Code("ids of this kind are given by tourneys"),
        # --- the report of a hand ---
        "wrong_players": Code("the scores do not name exactly the players at the table"),
        "score_sum": Code("the scores do not add up to what the game demands"),
        "score_range": Code("a score is beyond what the game allows"),
        "hand_expected": Code("another hand or attempt is expected at this table"),
        "log_gap": Code("actions before these are missing from the hand's log"),
        "log_full": Code("the hand's log can take no more actions"),
    }
)
"""Every ``code`` of :class:`protocol.messages.Error` and :class:`protocol.messages.Bye`."""


class WireError(Exception):
    """A peer broke the protocol, or asked for what cannot be done.

    ``code`` is a key of :data:`CODES`; ``field`` names the offending field (``scores[...]``,
    ``seats[1].score``), ``expected`` says what would have been right, ``ref`` is the number of the request
    that is answered (0: none). ``close_code`` is the WebSocket code the socket must be closed with, ``None``
    when the conversation goes on; it comes from the table unless the raiser knows better.
    """

    def __init__(
        self,
        code: str,
        message: str = "",
        *,
        field: str | None = None,
        expected: str | None = None,
        ref: int = 0,
        close_code: int | None = None,
    ) -> None:
        known = CODES[code]
        self.code = code
        self.message = message or known.meaning
        self.field = field
        self.expected = expected
        self.ref = ref
        self.close_code = known.close_code if close_code is None else close_code
        super().__init__(f"{code}: {self.message}")

    def answer(self) -> Error:
        """The message that tells the peer."""
        return Error(
            code=self.code,
            message=self.message[:500],
            ref=self.ref,
            field=None if self.field is None else self.field[:64],
            expected=None if self.expected is None else self.expected[:500],
        )
