"""The composition root: opens the rooms, wires them, and closes them in order.

Start: the journal is opened and every match taken up before anybody can connect. Stop (SIGTERM or SIGINT): no new
sockets, every peer is told when to come back, what was decided is committed, every state is kept as a snapshot. A
second signal ends the process at once, which is safe too: the journal holds all that was acknowledged.
"""

import gc
import json
import os
import signal
import ssl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import attrs
import structlog
import trio

from coordinator import __version__
from coordinator.config.limits import Limits as SettableLimits
from coordinator.config.settings import Settings
from coordinator.config.values import Address, without_password
from coordinator.credentials import Credentials
from coordinator.errors import AddressUnusable, CredentialsMissing, ReadyFileFailed, TlsRefused
from coordinator.journal.moments import Reach
from coordinator.journal.store import Store, open_store
from coordinator.shell.calendar import Calendar, instant
from coordinator.shell.descriptors import open_files
from coordinator.shell.front_door import FrontDoor
from coordinator.shell.inquiries import Inquiries
from coordinator.shell.limits import Limits, MatchLimits, SessionLimits
from coordinator.shell.listener import Listener
from coordinator.shell.office import Office
from coordinator.shell.outage import OutageRule
from coordinator.shell.peers import Peers
from coordinator.shell.picture import Picture
from coordinator.shell.spectators import Spectators
from coordinator.shell.timers import Timers
from coordinator.shell.tls import server_context
from coordinator.shell.writer import Writer
from coordinator.tourney_file import Library, library
from coordinator.web.bearers import Bearers
from coordinator.web.serve import serve_http
from protocol.messages import Bye

SOFTWARE = f"match-coordinator {__version__}"
STOP_LIMIT_S = 10.0
REDIAL_SPREAD_MS = 1_000
COLLECTOR_THRESHOLDS = (50_000, 20, 100)

_log = structlog.get_logger(__name__)


def serve(settings: Settings, ready_file: Path | None) -> int:
    """Run the daemon until a signal ends it. Returns the exit code; raises CoordinatorError for what stopped it."""
    secured = secure(settings)
    known = library(settings.definitions)
    _raise_open_files(settings.limits)
    store = open_store(settings.journal)
    try:
        trio.run(_serve, settings, secured, store, known, ready_file)
    finally:
        store.close()
    return 0


def _raise_open_files(limits: SettableLimits) -> None:
    """Let no flood of sockets be the end of the others: there must be descriptors for all that the limits allow."""
    may, needs = open_files(), limits.sessions + limits.handshakes + limits.http_connections
    if may < needs:
        _log.warning("too few open files", may=may, needs=needs, mend="raise the limit of open files, or lower limits")


@attrs.frozen
class Secured:
    """What keeps strangers out."""

    credentials: Credentials | None
    tls: ssl.SSLContext | None

    @property
    def scheme(self) -> str:
        """How the page is reached."""
        return "http" if self.tls is None else "https"


def secure(settings: Settings) -> Secured:
    """Read credentials and certificates. Raises CredentialsMissing where strangers could walk in, and their errors."""
    for address in (settings.listen, settings.http):
        if not settings.credentials and not address.is_loopback:
            raise CredentialsMissing(str(address))
    credentials = Credentials(Path(settings.credentials)) if settings.credentials else None
    files = settings.tls
    if not files.certificate:
        if files.key or files.client_ca:
            raise TlsRefused(files.key or files.client_ca, "tls.certificate is not set")
        if not (settings.listen.is_loopback and settings.http.is_loopback):
            _log.warning("no TLS", mend="set tls.certificate, or let a proxy on this machine speak TLS")
        return Secured(credentials, None)
    key = Path(files.key) if files.key else None
    client_ca = Path(files.client_ca) if files.client_ca else None
    return Secured(credentials, server_context(Path(files.certificate), key, client_ca))


async def _serve(settings: Settings, secured: Secured, store: Store, known: Library, ready_file: Path | None) -> None:
    writer, peers, timers = Writer(store), Peers(store.reach), Timers()
    office = Office(
        store,
        writer,
        peers,
        timers,
        known.matches,
        snapshot_every=settings.snapshot_every,
        server_grace_s=settings.server_grace_s,
        set_damaged_aside=settings.on_damage == "set_aside",
        tourneys=known.tourneys,
        calendar=_calendar(settings),
        outage=OutageRule(settings.outage_share, settings.outage_max_s),
        limits=MatchLimits(
            matches=settings.limits.matches,
            matches_kept=settings.limits.matches_kept,
            match_keep_s=settings.match_keep_s,
        ),
    )
    door = FrontDoor(
        office,
        software=SOFTWARE,
        session_keep_s=settings.session_keep_s,
        limits=_session_limits(settings.limits),
        credentials=secured.credentials,
    )
    listener = Listener(
        door,
        host=settings.listen.host,
        port=settings.listen.port,
        limits=_socket_limits(settings.limits),
        tls=secured.tls,
    )
    inquiries = Inquiries(settings.journal)
    picture = Picture(office, listener.counters, journal_url=without_password(settings.journal), inquiries=inquiries)
    spectators = Spectators(office, picture)
    writer.after_batch = door.batch_done
    _recover(office)
    stopping = trio.Event()
    async with trio.open_nursery() as nursery:
        await nursery.start(writer.run)
        # Before anybody can connect: what a tourney had decided to open is open when the first peer comes.
        office.tourneys.start()
        nursery.start_soon(timers.run)
        nursery.start_soon(office.archive.run)
        with _listening_on(settings.listen):
            port: int = await nursery.start(listener.serve)
        with _listening_on(settings.http):
            http_port: int = await nursery.start(_http, settings, secured, picture, stopping)
        picture.listen = str(attrs.evolve(settings.listen, port=port))
        picture.http = str(attrs.evolve(settings.http, port=http_port))
        office.wake()
        spectators.start()
        picture.ready = True
        _announce(settings, secured.scheme, picture, ready_file, matches=len(office.desks))
        await _wait_for_signal()
        picture.stopping = True
        with trio.move_on_after(STOP_LIMIT_S):
            await _stop(store.reach, office, door, listener, stopping)
        nursery.cancel_scope.cancel()
    _log.info("stopped", journal=without_password(settings.journal))


def _socket_limits(limits: SettableLimits) -> Limits:
    return Limits(
        max_message_before_hello=limits.max_hello,
        max_message=limits.max_message,
        open_timeout_s=limits.handshake_s,
        hello_timeout_s=limits.handshake_s,
        outbox_bytes=limits.outbox_bytes,
        pings_per_s=limits.pings_per_s,
        max_unauthenticated=limits.handshakes,
        max_unauthenticated_per_address=limits.handshakes_per_address,
    )


def _session_limits(limits: SettableLimits) -> SessionLimits:
    """What the settings call the same."""
    return SessionLimits(**{field.name: getattr(limits, field.name) for field in attrs.fields(SessionLimits)})


def _calendar(settings: Settings) -> Calendar:
    """The calendar of the tourneys: the real one, or that of a rehearsal."""
    if not settings.calendar_from:
        return Calendar()
    return Calendar(begin_ms=instant(settings.calendar_from), speed=settings.calendar_speed)


def _recover(office: Office) -> None:
    """Take up all matches with the collector off: it would walk a growing heap again and again."""
    gc.disable()
    try:
        matches = office.recover()
    finally:
        gc.enable()
    gc.collect()
    gc.freeze()
    # What a hand allocates dies by itself; full passes over all matches would only cost pauses.
    gc.set_threshold(*COLLECTOR_THRESHOLDS)
    if matches:
        _log.info("matches resumed", matches=matches)


@contextmanager
def _listening_on(address: Address) -> Iterator[None]:
    """Say which address it was that could not be had. Raises AddressUnusable."""
    try:
        yield
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise AddressUnusable(str(address), reason) from None


async def _http(
    settings: Settings,
    secured: Secured,
    picture: Picture,
    stopping: trio.Event,
    task_status: trio.TaskStatus[int],
) -> None:
    await serve_http(
        picture,
        host=settings.http.host,
        port=settings.http.port,
        allowed_hosts=(settings.http.host,),
        stopping=stopping,
        tls=secured.tls,
        room=settings.limits.http_connections,
        share=settings.limits.http_share,
        may_write=None if secured.credentials is None else Bearers(secured.credentials),
        task_status=task_status,
    )


def _announce(settings: Settings, scheme: str, picture: Picture, ready_file: Path | None, *, matches: int) -> None:
    _log.info(
        "ready",
        version=__version__,
        listen=picture.listen,
        http=f"{scheme}://{picture.http}",
        journal=without_password(settings.journal),
        matches=matches,
    )
    if ready_file is not None:
        # Written beside and renamed, so that whoever waits for the file never reads half of it.
        draft = ready_file.parent / f"{ready_file.name}.{os.getpid()}"
        try:
            draft.write_text(json.dumps({"listen": picture.listen, "http": f"{scheme}://{picture.http}"}))
            draft.replace(ready_file)
        except OSError as error:
            with suppress(OSError):
                draft.unlink()
            raise ReadyFileFailed(str(ready_file), (error.strerror or str(error)).lower()) from None


async def _wait_for_signal() -> None:
    with trio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        async for number in signals:
            _log.info("stopping", signal=signal.Signals(number).name)
            return


async def _stop(reach: Reach, office: Office, door: FrontDoor, listener: Listener, stopping: trio.Event) -> None:
    """Close the rooms in order; what was decided reaches the disk and what rests on it reaches the peers."""
    await office.writer.drain()
    reach("stopping, all written")
    office.take_snapshots()
    await office.writer.drain()
    reach("stopping, states kept")
    for peer in office.peers:
        office.peers.send(peer, Bye("shutting_down", "the coordinator restarts", REDIAL_SPREAD_MS))
    door.batch_done()
    reach("stopping, all told")
    stopping.set()
    await listener.aclose(1012, "the coordinator restarts")
    await office.writer.drain()
