"""What every request is asked first: which match it is about, who asks, and in whose name."""

from collections.abc import Callable
from typing import Any

from coordinator.shell.desk import Desk
from coordinator.shell.office import DAMAGED, Office
from coordinator.shell.peers import Peer
from protocol import messages
from protocol.errors import WireError
from protocol.names import clean_name

Reader = Callable[[Peer, Any], None]
"""Does what a message asks. Raises WireError for what no desk needs to see."""


def desk_of(office: Office, message: Any) -> Desk:
    """The desk of the match that a message names. Raises WireError ``unknown_match``."""
    desk = office.desks.get(message.match_id)
    office.archive.use(message.match_id)
    if desk is None and message.match_id in office.damaged:
        # Nothing is decided about what is asked, so that it is asked again when the match goes on.
        raise WireError("internal", DAMAGED, field="match_id", ref=ref_of(message))
    if desk is None:
        text = f"there is no match {message.match_id!r}"
        raise WireError("unknown_match", text, field="match_id", ref=ref_of(message))
    return desk


def check_own(peer: Peer, message: Any, field: str, name: str) -> None:
    """Who has a realm acts for nobody but its own. Raises WireError ``not_allowed``."""
    if peer.realm and not name.startswith(f"{peer.realm}:"):
        raise WireError(
            "not_allowed",
            f"{peer.identity} acts for {peer.realm!r} alone",
            field=field,
            expected=f"an id that begins with {peer.realm}:",
            ref=ref_of(message),
        )


def cleaned(message: messages.Register | messages.Join | messages.Enter, longest: int) -> str:
    """The name of a player as it may be shown. Raises WireError."""
    try:
        return clean_name(message.name, longest)
    except WireError as error:
        raise WireError(error.code, error.message, field="name", expected=error.expected, ref=message.ref) from None


def ref_of(message: messages.Message) -> int:
    """The sender's number for this request, 0 for a notice."""
    return getattr(message, "ref", 0)
