"""``coordinator tourney`` against a site: what it prints, and what it orders."""

import json

import trio
from click.testing import CliRunner, Result

from coordinator.cli import cli
from tests.web.conftest import Site
from tests.web.moving_cup import MovingCup


async def run(site: Site, *words: str, answer: str | None = None) -> Result:
    told = ["tourney", *words, "--url", f"http://127.0.0.1:{site.port}"]
    return await trio.to_thread.run_sync(lambda: CliRunner().invoke(cli, told, input=answer))


async def test_what_comes_next_is_listed(site: Site) -> None:
    result = await run(site, "list")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "tourney\tinstance\tstatus\tstarts\tregistered",
        "evenings\tevenings.2026-03-29\tregistering\t2026-03-29 20:00+02:00\t7",
    ]
    assert json.loads((await run(site, "list", "--json")).stdout)[0]["tourney_id"] == "evenings"


async def test_one_tourney_is_shown_with_what_it_owes(site: Site) -> None:
    result = await run(site, "show", "evenings")
    assert result.exit_code == 0
    for text in ("evenings.2026-03-29", "evenings.2026-03-28", "evenings.2026-03-28/award/1", "Europe/Berlin"):
        assert text in result.stdout
    missing = await run(site, "show", "mornings")
    assert missing.exit_code == 1
    assert "There is no tourney 'mornings'." in missing.stderr


async def test_calling_off_asks_first(site: Site, cup: MovingCup) -> None:
    refused = await run(site, "cancel", "evenings.2026-03-29", answer="n\n")
    assert refused.exit_code == 130
    assert not cup.called_off
    done = await run(site, "cancel", "evenings.2026-03-29", "--yes")
    assert (done.exit_code, done.stdout) == (0, "evenings.2026-03-29 is called off\n")
    assert cup.called_off
    again = await run(site, "cancel", "evenings.2026-03-29", "--yes")
    assert again.exit_code == 1
    assert "the instance is cancelled" in again.stderr


def test_a_preview_needs_a_tourney_and_an_instant() -> None:
    told = CliRunner().invoke(cli, ["tourney", "preview", "daily_cup", "--from", "2026-03-29"])
    assert told.exit_code == 2
    assert "no offset from UTC" in told.stderr
    nothing = CliRunner().invoke(cli, ["tourney", "preview", "nowhere.toml"])
    assert nothing.exit_code == 3
    found = CliRunner().invoke(
        cli, ["tourney", "preview", "daily_cup", "--from", "2026-10-24T12:00:00Z", "--count", "2", "--json"]
    )
    starts = json.loads(found.stdout)["starts"]
    assert [start["start"] for start in starts] == ["2026-10-24 20:00+02:00", "2026-10-25 20:00+01:00"]
    assert starts[1]["start_at_ms"] - starts[0]["start_at_ms"] == 25 * 3_600_000
