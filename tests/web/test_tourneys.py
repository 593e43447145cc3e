"""Tourneys on the page and in the API, and the one order that HTTP takes."""

import pytest

from tests.web.conftest import Site
from tests.web.moving_cup import MovingCup

CANCEL = "/api/v1/tourneys/evenings/instances/evenings.2026-03-29/cancel"


async def test_the_first_page_says_what_comes_next(site: Site) -> None:
    page = (await site.ask("/")).text
    assert "evenings.2026-03-29" in page
    assert "2026-03-29 20:00+02:00" in page
    assert "7, 18 needed" in page


async def test_the_page_of_a_tourney_shows_starts_matches_and_what_is_owed(site: Site) -> None:
    page = (await site.ask("/tourneys/evenings")).text
    for text in ("Evenings", "evenings.2026-03-29", "evenings.2026-03-28", "1,000 coins", "Europe/Berlin"):
        assert text in page
    missing = await site.ask("/tourneys/mornings")
    assert (missing.status, missing.json["code"]) == (404, "no_such_tourney")


async def test_an_instance_is_called_off_once(site: Site, cup: MovingCup) -> None:
    done = await site.ask(CANCEL, method="POST", content_type="application/json")
    assert (done.status, done.json) == (200, {"code": None, "message": "evenings.2026-03-29 is called off"})
    again = await site.ask(CANCEL, method="POST", content_type="application/json")
    assert (again.status, again.json["code"]) == (409, "match_closed")
    unknown = CANCEL.replace("2026-03-29", "2020-01-01")
    missing = await site.ask(unknown, method="POST", content_type="application/json")
    assert (missing.status, missing.json["code"]) == (404, "unknown_instance")


@pytest.mark.parametrize(
    ("headers", "status", "code"),
    [
        ({}, 415, "json_only"),
        ({"content_type": "text/plain"}, 415, "json_only"),
        ({"content_type": "application/json", "x_forwarded_for": "192.0.2.1"}, 403, "not_from_here"),
    ],
)
async def test_no_page_and_no_stranger_can_order(
    site: Site, cup: MovingCup, headers: dict[str, str], status: int, code: str
) -> None:
    told = await site.ask(CANCEL, method="POST", **headers)
    assert (told.status, told.json["code"]) == (status, code)
    assert not cup.called_off
    assert (await site.ask(CANCEL)).status == 405
