"""Options that several verbs share."""

import os
from pathlib import Path

import click

from coordinator.verbs import values

as_json = click.option("--json", "as_json", is_flag=True, help="Answer in JSON.")

config_file = click.option(
    "--config",
    "config_file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The settings file; by default $COORDINATOR_CONFIG, or coordinator.toml if there is one.",
)

journal = click.option("--journal", metavar="URL", help="Where the journal is; by default what the settings say.")

url = click.option(
    "--url",
    type=values.Url("http", ("http", "https")),
    metavar="URL",
    default="http://127.0.0.1:7421",
    envvar="COORDINATOR_URL",
    show_default=True,
    show_envvar=True,
    help="Where the running coordinator answers HTTP.",
)


def definition_path(name: str) -> Path:
    """The file that a verb was given: a path, or the name of a shipped match or tourney."""
    from coordinator.definition_file import shipped
    from coordinator.tourney_file import shipped_tourneys

    path = Path(name)
    if os.path.exists(path):  # false for what can be no path at all; reading it will say why
        return path
    return {**shipped(), **shipped_tourneys()}.get(name.replace("-", "_"), path)
