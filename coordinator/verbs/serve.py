"""``coordinator serve``: the daemon itself."""

from decimal import Decimal
from pathlib import Path

import click

from coordinator.verbs import options


@click.command()
@options.config_file
@click.option("--listen", metavar="HOST:PORT", help="Where table servers and lobbies connect.")
@click.option("--http", metavar="HOST:PORT", help="Where the page, the API and metrics are served.")
@click.option("--journal", metavar="URL", help="Where the journal is kept, for instance sqlite:///cup.db.")
@click.option(
    "--definition",
    "definitions",
    multiple=True,
    metavar="FILE",
    help="A match or a tourney in TOML, or a directory of them; may be given several times.",
)
@click.option("--credentials", metavar="FILE", help="Who may connect; needed off the loopback.")
@click.option("--on-damage", metavar="WORD", help="set_aside a damaged match and serve the others, or refuse to start.")
@click.option("--calendar-from", metavar="INSTANT", help="Rehearse: the calendar shows this moment at the start.")
@click.option("--calendar-speed", type=float, metavar="N", help="Rehearse: the calendar runs N times as fast.")
@click.option("--log-level", metavar="LEVEL", help="debug, info, warning or error.")
@click.option("--log-format", metavar="FORMAT", help="auto, console or json.")
@click.option(
    "--ready-file",
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Write the addresses in use to this file once everything is up.",
)
def serve(
    config_file: Path | None,
    listen: str | None,
    http: str | None,
    journal: str | None,
    definitions: tuple[str, ...],
    credentials: str | None,
    on_damage: str | None,
    calendar_from: str | None,
    calendar_speed: float | None,
    log_level: str | None,
    log_format: str | None,
    ready_file: Path | None,
) -> int:
    """Run the coordinator until a signal stops it.

    SIGTERM or SIGINT commits what was decided and tells every peer to come back; hands that run are reported after the
    next start.
    """
    from coordinator.config.loading import load

    flags = {
        "listen": listen,
        "http": http,
        "journal": journal,
        "definitions": list(definitions) or None,
        "credentials": credentials,
        "on_damage": on_damage,
        "calendar_from": calendar_from,
        "calendar_speed": None if calendar_speed is None else Decimal(str(calendar_speed)),
        "log_level": log_level,
        "log_format": log_format,
    }
    loaded = load(config_file, flags=flags)
    settings = loaded.settings

    import structlog

    from coordinator import logs

    logs.configure(settings.log_level, settings.log_format)
    for note in loaded.notes:
        structlog.get_logger().warning("setting_ignored", note=note)

    from coordinator import daemon

    return daemon.serve(settings, ready_file)
