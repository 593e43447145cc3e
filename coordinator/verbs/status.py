"""``coordinator status``: how a running daemon is."""

import click

from coordinator.verbs import options


@click.command()
@options.url
@options.as_json
def status(url: str, as_json: bool) -> None:
    """Say how a running coordinator is."""
    from coordinator.verbs import show
    from coordinator.verbs.api import ask, understood

    answer = ask(url, "status")
    with understood(url):
        show.answer(answer, ("journal", "sessions", "matches", "checks"), as_json=as_json)
