"""Options that several verbs share."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from coordinator.verbs import values

if TYPE_CHECKING:
    from coordinator.config.settings import Settings

as_json = click.option("--json", "as_json", is_flag=True, help="Answer in JSON.")

config_file = click.option(
    "--config",
    "config_file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The settings file; by default $COORDINATOR_CONFIG, or coordinator.toml if there is one.",
)

journal = click.option("--journal", metavar="URL", help="Where the journal is; by default what the settings say.")


def _where(of: Callable[["Settings"], str]) -> Callable[[click.Context, click.Parameter, str | None], str]:
    """What an address is that nobody gave: where a daemon with the settings of this folder would be."""

    def default(_ctx: click.Context, _param: click.Parameter, given: str | None) -> str:
        if given is not None:
            return given
        from coordinator.config.loading import load

        return of(load().settings)

    return default


url = click.option(
    "--url",
    type=values.Url("http", ("http", "https")),
    metavar="URL",
    callback=_where(lambda settings: settings.http_url),
    envvar="COORDINATOR_URL",
    show_envvar=True,
    help="Where the running coordinator answers HTTP; by default where the settings put it.",
)

programs_url = click.option(
    "--url",
    type=values.Url("WebSocket", ("ws", "wss")),
    metavar="URL",
    callback=_where(lambda settings: settings.programs_url),
    envvar="COORDINATOR_WS_URL",
    show_envvar=True,
    help="Where the running coordinator takes programs; by default where the settings put it.",
)


def definition_path(name: str) -> Path:
    """The file that a verb was given: a path, or the name of a shipped match or tourney."""
    from coordinator.definition_file import shipped
    from coordinator.tourney_file import shipped_tourneys

    path = Path(name)
    if os.path.exists(path):  # false for what can be no path at all; reading it will say why
        return path
    return {**shipped(), **shipped_tourneys()}.get(name.replace("-", "_"), path)
