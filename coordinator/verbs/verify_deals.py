"""``coordinator verify-deals``: whether every deal follows from the secret whose hash was published first."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from coordinator.verbs import options, show

if TYPE_CHECKING:
    from coordinator.journal.dealt import Dealt

MOST_BYTES = 256_000_000
"""More than a million deals take."""


@click.command("verify-deals")
@click.argument("match_id", required=False, metavar="[MATCH]")
@options.journal
@options.config_file
@click.option(
    "--export",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write what anybody needs to verify MATCH, once it is over.",
)
@click.option(
    "--file",
    "exported",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Verify what --export wrote, instead of a journal.",
)
def verify_deals(
    match_id: str | None, journal: str | None, config_file: Path | None, export: Path | None, exported: Path | None
) -> int:
    """Verify that nobody chose the deals.

    The hash of a match's secret is published before its first deal, the secret when it is over; every deal must follow
    from it. Only reads; a daemon may be running on the same journal.
    """
    from coordinator.config.loading import load
    from coordinator.errors import MatchUnknown, SecretKept
    from coordinator.journal.dealt import dealt
    from coordinator.journal.kinds import TOURNEY_PREFIX
    from coordinator.journal.store import open_store

    if exported is not None:
        return 0 if _say(_read(exported)) else 1
    if export is not None and match_id is None:
        raise click.UsageError("--export is about one MATCH")
    url = load(config_file, flags={"journal": journal}).settings.journal
    with open_store(url, read_only=True) as store:
        entries = [entry.match_id for entry in store.matches()]
        names = [name for name in entries if not name.startswith(TOURNEY_PREFIX)]
        if match_id is not None:
            if match_id not in names:
                raise MatchUnknown(match_id, url)
            names = [match_id]
        found = [dealt(store, name) for name in names]
    if export is not None:
        if not found[0].over:
            raise SecretKept(found[0].match_id)
        _write(export, found[0])
    verdicts = list(map(_say, found))
    return 0 if all(verdicts) else 1


def _say(found: "Dealt") -> bool:
    from coordinator.journal.dealt import wrong_deals

    wrong = wrong_deals(found)
    for sentence in wrong:
        show.say(f"{found.match_id}: {sentence}", err=True)
    if not wrong:
        show.say(f"{found.match_id}: {len(found.deals)} deals, all as the published hash demands")
    return not wrong


def _write(file: Path, found: "Dealt") -> None:
    from coordinator.errors import ExportRefused

    told = {
        "match_id": found.match_id,
        "deal_commitment": found.commitment,
        "secret": found.secret,
        "deals": [list(deal) for deal in found.deals],
    }
    try:
        file.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise ExportRefused(str(file), (error.strerror or str(error)).lower(), done="written") from None


def _read(file: Path) -> "Dealt":
    from coordinator.errors import ExportRefused
    from coordinator.files.problem import Problem
    from coordinator.files.source import read_text
    from coordinator.journal.dealt import Dealt

    text = read_text(file, MOST_BYTES)
    if isinstance(text, Problem):
        raise ExportRefused(str(file), text.message)
    try:
        told = json.loads(text)
        words = [told["match_id"], told["deal_commitment"], told["secret"]]
        deals = tuple((board, hand_no, deal) for board, hand_no, deal in told["deals"])
        if not all(isinstance(word, str) for word in words):
            raise ValueError
        if not all(isinstance(board, str) and type(no) is int and isinstance(deal, str) for board, no, deal in deals):
            raise ValueError
        "".join([*words, *(part for board, _, deal in deals for part in (board, deal))]).encode()  # as hashes need it
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ExportRefused(str(file), "it is not what verify-deals --export writes") from None
    return Dealt(words[0], words[1], words[2], True, deals)
