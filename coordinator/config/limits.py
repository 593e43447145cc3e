"""What one daemon and one peer may use: limits that keep a flood, or one bad peer, from being felt by the others."""

import attrs

from coordinator.config.describing import setting
from coordinator.config.values import seconds, share, within


@attrs.frozen
class Limits:
    """What one daemon and one peer may use."""

    sessions: int = setting(
        10_000, "Sessions at once; a peer beyond them is asked to come back later.", within(1, 1_000_000)
    )
    matches: int = setting(
        10_000,
        "Matches that are not finished, at once; lobbies open no more, and tourneys no more than twice as many.",
        within(1, 1_000_000),
    )
    matches_kept: int = setting(
        100, "Finished matches that stay in memory; the others are in the journal.", within(1, 1_000_000)
    )
    max_message: int = setting(
        65_536, "Largest message from an authenticated peer, in bytes.", within(1_024, 16_777_216)
    )
    max_hello: int = setting(
        1_024, "Largest message from a peer that has not said who it is, in bytes.", within(256, 65_536)
    )
    depth: int = setting(8, "Levels of arrays and maps in a message, its frame included.", within(5, 64))
    list_length: int = setting(4_096, "Most items in a list or a map of a message.", within(64, 4_096))
    name_length: int = setting(64, "Longest name of a player, in characters.", within(1, 64))
    frames_per_s: int = setting(2_000, "Frames a second from one peer; twice as many in a burst.", within(1, 1_000_000))
    messages_per_s: int = setting(
        20_000, "Messages a second in these frames; twice as many in a burst.", within(1, 10_000_000)
    )
    bytes_per_s: int = setting(
        8_388_608, "Bytes a second in these frames; twice as many in a burst.", within(65_536, 2**40)
    )
    pings_per_s: int = setting(20, "Pings a second from one peer; twice as many in a burst.", within(1, 100_000))
    bad_messages_per_minute: int = setting(
        120, "Messages a minute that cannot be read or are not allowed.", within(1, 1_000_000)
    )
    trespasses_per_minute: int = setting(2, "Reports a minute about tables of another server.", within(1, 1_000_000))
    lives_per_minute: int = setting(
        6, "Times a minute that an identity may be taken over by another process.", within(1, 1_000_000)
    )
    hellos_per_minute: int = setting(240, "Times a minute that an identity may say hello.", within(1, 1_000_000))
    unacknowledged: int = setting(1_024, "Frames of one peer that may wait for the disk.", within(16, 1_000_000))
    session_bytes: int = setting(
        67_108_864, "Most memory kept for what a peer has not acknowledged, in bytes.", within(262_144, 2**40)
    )
    handshakes: int = setting(4096, "Sockets at once that have not said who they are.", within(1, 1_000_000))
    handshakes_per_address: int = setting(
        2560,  # after a cut network all sessions of a house may come back in one moment
        "The same from one address.",
        within(1, 1_000_000),
    )
    handshake_s: float = setting(
        5.0, "Time for the opening of a socket, and again for the hello, in seconds.", seconds(600)
    )
    http_connections: int = setting(
        2560, "Connections at once to the HTTP port; beyond them only health is answered.", within(1, 1_000_000)
    )
    http_share: float = setting(0.4, "Share of the daemon's time that pages, API and live pictures may take.", share)
    outbox_bytes: int = setting(
        262_144, "Bytes that may wait for a peer that reads slowly; above it the peer is cut.", within(4_096, 2**30)
    )
