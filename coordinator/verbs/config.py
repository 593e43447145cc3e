"""``coordinator config``: settings, before anything runs."""

from pathlib import Path

import click

from coordinator.verbs import options


@click.group()
def config() -> None:
    """Write, show or check the daemon's settings."""


@config.command()
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option("--yes", is_flag=True, help="Overwrite a file that exists.")
def init(file: Path | None, yes: bool) -> None:
    """Write a settings file with every setting, its meaning and its default.

    Without FILE it goes to standard output.
    """
    from coordinator.config.example import example

    if file is None:
        click.echo(example(), nl=False)
        return
    try:
        with file.open("w" if yes else "x", encoding="utf-8") as stream:
            stream.write(example())
    except FileExistsError:
        raise click.UsageError(f"{file} exists; --yes overwrites it") from None
    except OSError as error:
        raise click.FileError(str(file), error.strerror) from None
    click.echo(f"{file} is written", err=True)


@config.command()
@options.config_file
@options.as_json
def show(config_file: Path | None, as_json: bool) -> None:
    """Print each setting, its value and where it came from; secrets are masked."""
    from coordinator.config.loading import load
    from coordinator.config.table import table
    from coordinator.verbs import show

    loaded = load(config_file)
    rows = [
        (setting.path, setting.shown(loaded.value(setting.path)), loaded.origins[setting.path]) for setting in table()
    ]
    if as_json:
        show.as_json([{"setting": path, "value": value, "from": origin} for path, value, origin in rows])
    else:
        show.as_table(["setting", "value", "from"], rows)
    for note in loaded.notes:
        click.echo(f"note: {note}", err=True)


@config.command()
@click.argument("file", required=False, type=click.Path(path_type=Path))
@options.config_file
def check(file: Path | None, config_file: Path | None) -> None:
    """Check the settings, from FILE and the environment, and report every mistake.

    FILE may be named with --config as well, as everywhere else.
    """
    from coordinator.config.loading import load

    if file is not None and config_file is not None:
        raise click.UsageError("the settings file is named twice: leave FILE or --config out")
    loaded = load(file or config_file)
    for note in loaded.notes:
        click.echo(f"note: {note}", err=True)
    click.echo("the settings are in order")
