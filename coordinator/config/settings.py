"""Everything an operator can set: one table of classes, a line for each setting."""

from pathlib import Path
from typing import Literal

import attrs

from coordinator.config.describing import setting
from coordinator.config.limits import Limits
from coordinator.config.values import (
    Address,
    address,
    file_name,
    file_names,
    instant,
    journal_url,
    seconds,
    share,
    speed,
    within,
    without_password,
)


@attrs.frozen
class Tls:
    """Certificates for both ports. Without one, both speak in clear."""

    certificate: str = setting("", "The certificate of both ports, with its chain, in PEM; empty: no TLS.", file_name)
    key: str = setting("", "The key of the certificate, in PEM; empty: it is in the same file.", file_name)
    client_ca: str = setting(
        "", "Clients must show a certificate signed by one of these, in PEM; empty: they need none.", file_name
    )


@attrs.frozen
class Settings:
    """Everything an operator can set."""

    listen: Address = setting(
        Address("127.0.0.1", 7420),
        "Where table servers, lobbies and spectators connect, as host:port.",
        address,
        flag="--listen",
    )
    http: Address = setting(
        Address("127.0.0.1", 7421), "Where the page, the API and metrics are served.", address, flag="--http"
    )
    journal: str = setting(
        "sqlite:///coordinator.db",
        "Where the journal is kept, as a URL.",
        journal_url,
        flag="--journal",
        hide=without_password,
    )
    definitions: tuple[Path, ...] = setting(
        (),
        "Matches and tourneys: files, or directories of .toml files. The shipped matches are always known.",
        file_names,
        flag="--definition",
    )
    credentials: str = setting(
        "",
        "The file that says who may connect; empty: everybody, and only on the loopback.",
        file_name,
        flag="--credentials",
    )
    calendar_from: str = setting(
        "",
        "For a rehearsal: the moment the calendar of the tourneys shows at the start; empty is the real time.",
        instant,
        flag="--calendar-from",
    )
    calendar_speed: float = setting(
        1.0,
        "For a rehearsal: how many times as fast its calendar runs; without calendar_from it has no effect.",
        speed,
        flag="--calendar-speed",
    )
    server_grace_s: float = setting(
        5.0, "How long a table server may be away before its tables move, in seconds.", seconds(3_600)
    )
    outage_share: float = setting(
        0.5,
        "When more than this share of all tables is at table servers that are away, two at least, clocks stand "
        "still and nothing moves; 1 turns it off.",
        share,
    )
    outage_max_s: float = setting(
        60.0, "How long an outage lasts at most before the tables move after all, in seconds.", seconds(3_600)
    )
    session_keep_s: float = setting(
        60.0, "How long the session of an absent peer is kept for its return, in seconds.", seconds(86_400)
    )
    match_keep_s: float = setting(
        300.0,
        "How long a finished match stays in memory after somebody last asked for it, in seconds.",
        seconds(86_400),
    )
    snapshot_every: int = setting(
        50_000, "Records between two snapshots of a match; fewer make a restart faster.", within(1, 10_000_000)
    )
    on_damage: Literal["set_aside", "refuse"] = setting(
        "set_aside",
        "What becomes of a damaged match: set_aside serves the others, refuse does not start.",
        flag="--on-damage",
    )
    log_level: Literal["debug", "info", "warning", "error"] = setting(
        "info", "The least important lines that are logged.", flag="--log-level"
    )
    log_format: Literal["auto", "console", "json"] = setting(
        "auto", "How lines are written; auto is console on a terminal and json elsewhere.", flag="--log-format"
    )
    tls: Tls = setting(Tls(), "Certificates for both ports.")
    limits: Limits = setting(Limits(), "What one daemon and one peer may use.")

    @property
    def http_url(self) -> str:
        """Where a program on this machine finds the page, the API and metrics."""
        return f"{'https' if self.tls.certificate else 'http'}://{self.http.from_here}"

    @property
    def programs_url(self) -> str:
        """Where a program on this machine connects as a peer."""
        return f"{'wss' if self.tls.certificate else 'ws'}://{self.listen.from_here}"
