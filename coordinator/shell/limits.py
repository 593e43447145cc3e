"""What one peer may cost the daemon, and what all of them have cost it so far."""

import attrs


@attrs.frozen(slots=True, kw_only=True)
class Limits:
    """Budgets and deadlines of a listener. Times are in seconds, sizes in bytes.

    Deadlines are noticed at the next sweep, so up to a quarter of a second late.
    """

    max_message_before_hello: int = 1024
    """Largest message from a peer that has not been authenticated yet (`Connection.raise_limit`)."""
    max_message: int = 65_536
    """Largest message from an authenticated peer."""
    max_fragments: int = 64
    """Frames that one fragmented message may consist of."""

    open_timeout_s: float = 5.0
    """From accepting the socket to the end of the opening handshake."""
    hello_timeout_s: float = 5.0
    """From the opening handshake to `Connection.raise_limit`; later the peer is closed with 4008."""
    close_timeout_s: float = 1.0
    """From our Close, or our refusal of a handshake, to the forced end of the socket."""

    ping_every_s: float = 5.0
    """Between two pings to the same peer, plus or minus a tenth so that peers spread out."""
    dead_after_s: float = 12.0
    """Silence of this length, not one byte received, closes the peer with 4008."""

    outbox_bytes: int = 262_144
    """Bytes that may wait for a peer that reads slowly; above it the peer is cut with 4013."""
    outbox_frames: int = 512
    """Frames that may wait for a peer that reads slowly."""
    write_stall_s: float = 10.0
    """A peer that takes not one waiting byte for this long is cut with 4013."""
    send_buffer: int = 65_536
    """Socket send buffer (``SO_SNDBUF``). A large one would hide megabytes of stall in the kernel."""

    pings_per_s: float = 20.0
    """Pings and pongs from one peer, twice as many in a burst; beyond that it is closed with 4029."""

    max_unauthenticated: int = 512
    """Sockets that may be anywhere before `Connection.raise_limit`; one more is answered 503."""
    max_unauthenticated_per_address: int = 256
    """The same for sockets of one address, so that it cannot take every place."""
    max_header_bytes: int = 8192
    """Size of the opening request as a whole; above it the answer is 431."""
    max_header_lines: int = 32
    """Header lines of the opening request; above it the answer is 431."""


@attrs.frozen(slots=True, kw_only=True)
class SessionLimits:
    """What a peer may do once it has said hello; hitting one of these ends or refuses what that peer does, no more."""

    sessions: int = 10_000
    """Sessions at once; one more is refused with ``busy`` (4029)."""
    max_message: int = 65_536
    """Largest frame, in bytes; ``too_large`` (1009)."""
    depth: int = 8
    """Levels of arrays and maps in a frame, the frame included; ``too_deep``."""
    list_length: int = 4096
    """Items in one list or map of a message; ``too_long``."""
    name_length: int = 64
    """Characters in a player's name; ``name_refused``."""
    frames_per_s: float = 2_000.0
    """Frames, twice as many in a burst; ``rate`` (4029)."""
    messages_per_s: float = 20_000.0
    """Messages in these frames, twice as many in a burst; ``rate`` (4029)."""
    bytes_per_s: float = 8_388_608.0
    """Bytes in these frames, twice as many in a burst; ``rate`` (4029)."""
    bad_messages_per_minute: float = 120.0
    """Messages that cannot be read or are not allowed; ``rate`` (4029)."""
    trespasses_per_minute: float = 2.0
    """Reports of tables that another server owns; ``trespass`` (4003)."""
    lives_per_minute: float = 6.0
    """Times an identity that is connected may be taken over by a process with another life; ``rate`` (4029)."""
    hellos_per_minute: float = 240.0
    """Times an identity may say hello; ``rate`` (4029)."""
    unacknowledged: int = 1024
    """Frames that may have come beyond the newest that is on disk; ``too_many_unacknowledged`` (4014)."""
    session_bytes: int = 67_108_864
    """Most bytes kept for a peer until it acknowledges them; beyond them it comes back to a snapshot (4013)."""


@attrs.frozen(slots=True, kw_only=True)
class MatchLimits:
    """How many matches there may be in memory."""

    matches: int = 10_000
    """Matches that are not finished; beyond them lobbies open none (``too_many_matches``), and tourneys beyond twice
    as many, so that no lobby can keep a tourney from starting."""
    matches_kept: int = 100
    """Finished matches that stay in memory; beyond them the one that nobody has asked for the longest is let go."""
    match_keep_s: float = 300.0
    """How long a finished match stays in memory after somebody last asked for it."""


@attrs.define(slots=True)
class Counters:
    """Totals since the listener was made, for metrics."""

    accepted: int = 0
    """Sockets accepted, whatever became of them."""
    opened: int = 0
    """Opening handshakes that succeeded."""
    refused: int = 0
    """Sockets that did not get through the opening handshake."""
    frames_in: int = 0
    """WebSocket messages given to the handler: frames of the wire."""
    bytes_in: int = 0
    """Bytes received on all sockets, handshakes and frame headers included."""
    bytes_out: int = 0
    """Bytes that the kernel has taken from us."""
    slow_consumers: int = 0
    """Peers cut with 4013."""
    silent_peers: int = 0
    """Peers closed with 4008."""
    too_fast: int = 0
    """Peers closed with 4029 because of their pings."""
    protocol_errors: int = 0
    """Connections failed because the peer broke RFC 6455 or one of our limits."""
    handler_errors: int = 0
    """Exceptions that came out of the handler; each is a bug of ours and ended one connection."""
    accept_pauses: int = 0
    """Times that accepting stopped for a moment because descriptors or memory ran out."""
