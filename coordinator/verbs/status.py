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
    from coordinator.verbs.match import show_facts

    answer = ask(url, "status")
    if as_json:
        show.as_json(answer)
        return
    with understood(url):
        show_facts(answer, ("journal", "sessions", "matches", "checks"))
