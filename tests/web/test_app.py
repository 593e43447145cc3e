"""Pages and API over real HTTP."""

import csv
import io
import json
import re

import pytest
from trio.testing import wait_all_tasks_blocked

from coordinator.web.app import make_app
from coordinator.web.feed import Feed
from tests.web import moving_cup
from tests.web.conftest import Site
from tests.web.moving_cup import NAMES, MovingCup

PAGES = [
    "/",
    "/matches/winter-cup",
    "/matches/winter-cup?player=p013",
    "/matches/winter-cup/why/p013",
    "/servers/attic",
    "/tourneys/evenings",
    "/docs",
]
JSON = [
    "/index.json",
    "/matches/winter-cup.json",
    "/servers/attic.json",
    "/api/v1/status",
    "/api/v1/matches",
    "/api/v1/matches/winter-cup",
    "/api/v1/matches/winter-cup/players/p013",
    "/api/v1/matches/winter-cup/players/p013/why",
    "/matches/winter-cup/why/p013.json",
    "/tourneys/evenings.json",
    "/api/v1/tourneys",
    "/api/v1/tourneys/evenings",
    "/api/v1/servers",
    "/api/v1/servers/attic",
    "/api/v1/alarms",
    "/healthz",
    "/readyz",
]


@pytest.mark.parametrize("path", PAGES)
async def test_pages_are_complete_without_scripts(site: Site, path: str) -> None:
    answer = await site.ask(path)
    assert answer.status == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["cache-control"] == "no-store"
    assert answer.text.rstrip().endswith("</html>")
    assert not re.search(r"<script(?! type=\"module\" src=\"/static/)", answer.text), "a script in the page"
    assert not re.search(r"\sstyle=|\son\w+=", answer.text), "the policy forbids styles and handlers in place"


async def test_match_page_shows_the_cup(site: Site, cup: MovingCup) -> None:
    cup.play(30)
    cup.raise_base()
    cup.eliminate(1)
    page = (await site.ask("/matches/winter-cup?player=p001")).text
    match = cup.match("winter-cup")
    assert match
    for line in match["standings"]:
        assert line["name"] in page
    assert '<meta http-equiv="refresh"' in page.partition("<noscript>")[2].partition("</noscript>")[0]
    assert "Base rises in" in page
    assert "2:34" in page
    assert 'aria-current="step"' in page
    assert 'data-own="p001"' in page
    assert page.count('class="table-card"') >= match["tables_total"]
    assert "The base score rises to 13." in page
    assert re.search(r'<path class="line" d="M0 [\d.]+H[\d.]+V', page)


async def test_the_first_page_tells_matches_of_one_title_apart(site: Site, cup: MovingCup) -> None:
    row = (await site.ask("/")).text.partition('<tr data-key="winter-cup"')[2].partition("</tr>")[0]
    assert '<span class="beside" data-f="match_id">winter-cup</span>' in row


async def test_match_page_of_a_ladder_shows_ratings(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    assert ">Rating<" not in (await site.ask("/matches/winter-cup")).text
    monkeypatch.setattr(moving_cup, "STAGES", [("ladder", "Ladder", "ladder")] * 3)
    page = (await site.ask("/matches/winter-cup")).text
    assert page.count(">Rating<") == 2
    assert ">Rests on<" in page


async def test_match_page_shows_the_result(site: Site, cup: MovingCup) -> None:
    cup.play(30)
    cup.finish()
    match = cup.match("winter-cup")
    assert match
    page = (await site.ask("/matches/winter-cup")).text
    podium = page.partition('id="podium"')[2].partition("</ol>")[0]
    assert re.findall(r'data-f="name">([^<]+)<', podium) == [line["name"] for line in match["places"][:3]]
    assert match["secret"]
    assert match["secret"] in page


@pytest.mark.parametrize("path", JSON)
async def test_pictures_as_json(site: Site, cup: MovingCup, path: str) -> None:
    cup.lose_server("cellar")  # so that there is an alarm
    answer = await site.ask(path)
    assert answer.status == 200
    assert answer.headers["content-type"] == "application/json"
    assert answer.json


async def test_json_of_the_page_is_the_answer_of_the_api(site: Site, cup: MovingCup) -> None:
    page = await site.ask("/matches/winter-cup.json")
    api = await site.ask("/api/v1/matches/winter-cup")
    assert page.json == api.json == json.loads(json.dumps(cup.match("winter-cup")))


async def test_finished_matches_go_on_behind_one_of_them(site: Site, cup: MovingCup) -> None:
    [line] = cup.matches()
    cup.finished = [{**line, "match_id": name, "status": "over"} for name in ("summer-cup", "spring-cup")]
    older = await site.ask("/api/v1/matches?before=summer-cup")
    assert older.json == cup.finished[1:]
    assert (await site.ask("/api/v1/matches?before=winter-cup")).status == 404


async def test_rows_can_be_chosen(site: Site) -> None:
    answer = await site.ask("/api/v1/matches/winter-cup?rows=5")
    assert len(answer.json["standings"]) == 5
    assert answer.json["standings_total"] == 40


@pytest.mark.parametrize("rows", ["-1", "x", "1e3", "99999999", "", "%D9%A3"])
async def test_bad_rows(site: Site, rows: str) -> None:
    answer = await site.ask(f"/api/v1/matches/winter-cup?rows={rows}")
    assert (answer.status, answer.json["code"]) == (400, "bad_rows")


@pytest.mark.parametrize("path", [*PAGES, *JSON, "/matches/winter-cup/standings.csv", "/metrics", "/static/site.css"])
async def test_head_is_get_without_the_body(site: Site, path: str) -> None:
    head = await site.ask(path, method="HEAD")
    get = await site.ask(path)
    assert head.status == get.status == 200
    assert head.body == b""
    assert head.headers["content-type"] == get.headers["content-type"]


async def test_head_of_a_stream_ends(site: Site) -> None:
    answer = await site.ask("/api/v1/matches/winter-cup/stream", method="HEAD")
    assert answer.status == 200
    assert answer.headers["content-type"].startswith("text/event-stream")


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("/matches/other.json", "no_such_match"),
        ("/matches/other", "no_such_match"),
        ("/matches/other/standings.csv", "no_such_match"),
        ("/matches/winter-cup?player=nobody", "no_such_player"),
        ("/api/v1/matches?before=other", "no_such_match"),
        ("/api/v1/matches/other", "no_such_match"),
        ("/api/v1/matches/other/stream", "no_such_match"),
        ("/api/v1/matches/other/players/p001", "no_such_match"),
        ("/api/v1/matches/winter-cup/players/nobody", "no_such_player"),
        ("/api/v1/matches/winter-cup/stream?player=nobody", "no_such_player"),
        ("/servers/other", "no_such_server"),
        ("/api/v1/servers/other", "no_such_server"),
        ("/docs/other", "no_such_page"),
        ("/static/other.css", "no_such_file"),
        ("/other", "not_found"),
        ("/api/v1/", "not_found"),
        # Catalogue: path traversal.
        ("/matches/..%2f..%2fetc%2fpasswd", "not_found"),
        ("/matches/%2e%2e", "no_such_match"),
        ("/static/..%2fapp.py", "not_found"),
        ("/static/%2e%2e", "no_such_file"),
        ("/docs/..%2f..%2fapp", "not_found"),
        ("/docs/%2e%2e", "no_such_page"),
        ("/matches/%00%0d%0aSet-Cookie:%20a", "no_such_match"),
    ],
)
async def test_what_is_not_there(site: Site, path: str, code: str) -> None:
    answer = await site.ask(path, Accept="application/json")
    assert answer.status == 404
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json["code"] == code
    assert answer.json["status"] == 404
    assert set(answer.json) == {"type", "title", "status", "code", "detail"}


async def test_a_browser_gets_its_refusal_as_a_page(site: Site) -> None:
    answer = await site.ask("/matches/<script>", Accept="text/html,*/*")
    assert answer.status == 404
    assert answer.headers["content-type"].startswith("text/html")
    assert "&lt;script&gt;" in answer.text
    api = await site.ask("/api/v1/matches/other", Accept="text/html,*/*")
    assert api.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
async def test_nothing_can_be_written(site: Site, method: str) -> None:
    answer = await site.ask("/matches/winter-cup", method=method)
    assert (answer.status, answer.json["code"]) == (405, "method_not_allowed")
    assert "GET" in answer.headers["allow"]


async def test_readiness_names_its_checks(site: Site, cup: MovingCup) -> None:
    assert (await site.ask("/readyz")).status == 200
    cup.failing.append("journal")
    answer = await site.ask("/readyz")
    assert answer.status == 503
    assert answer.json["ready"] is False
    assert {check["name"]: check["ok"] for check in answer.json["checks"]} == {"journal": False, "replay": True}
    assert (await site.ask("/healthz")).status == 200, "alive is not ready"


async def test_a_bug_of_ours_is_a_problem_without_a_traceback(
    site: Site, cup: MovingCup, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(cup, "news", None)
    answer = await site.ask("/api/v1/matches/winter-cup")
    assert (answer.status, answer.json["code"]) == (500, "internal")
    assert "Traceback" not in answer.text
    assert answer.headers["x-content-type-options"] == "nosniff"
    await wait_all_tasks_blocked()  # the log is written after the answer
    assert "TypeError" in caplog.text


async def test_standings_as_csv(site: Site, cup: MovingCup) -> None:
    cup.play(20)
    answer = await site.ask("/matches/winter-cup/standings.csv")
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    rows = list(csv.DictReader(io.StringIO(answer.text, newline="")))
    match = cup.match("winter-cup")
    assert match
    assert [(int(row["rank"]), row["name"], int(row["score"])) for row in rows] == [
        (line["rank"], line["name"], line["score"]) for line in match["standings"]
    ]


async def test_static_files_are_asked_for_only_when_they_changed(site: Site) -> None:
    first = await site.ask("/static/match.js")
    assert first.headers["content-type"] == "text/javascript; charset=utf-8"
    again = await site.ask("/static/match.js", If_None_Match=first.headers["etag"])
    assert (again.status, again.body) == (304, b"")


class TestHostileNames:
    @pytest.fixture
    def cup(self) -> MovingCup:
        bad = ("<script>alert(1)</script>", "\"'><img src=x onerror=alert(1)>", "{{ 7 * 7 }}", "=cmd|' /C calc'!A0")
        return MovingCup(names=bad + NAMES)

    async def test_are_text_on_the_page(self, site: Site, cup: MovingCup) -> None:
        cup.play(5)
        page = (await site.ask("/matches/winter-cup?player=p001")).text
        assert "<script>alert" not in page
        assert "<img src=x" not in page
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
        assert "{{ 7 * 7 }}" in page

    async def test_are_no_formulas_in_a_spreadsheet(self, site: Site) -> None:
        rows = csv.DictReader(io.StringIO((await site.ask("/matches/winter-cup/standings.csv")).text))
        names = [row["name"] for row in rows]
        assert "'=cmd|' /C calc'!A0" in names
        assert not any(name.startswith("=") for name in names)


def test_the_site_can_be_made_without_a_port(cup: MovingCup) -> None:
    assert callable(make_app(cup, Feed(cup)))


async def test_a_slash_too_many_leads_to_the_page(site: Site) -> None:
    answer = await site.ask("/docs/")
    assert answer.status == 307
    assert answer.headers["location"].endswith("/docs")


async def test_a_line_of_the_match_page_leads_to_its_reasons(site: Site, cup: MovingCup) -> None:
    running = (await site.ask("/matches/winter-cup?player=p013")).text
    assert running.count('href="/matches/winter-cup/why/p013"') == 2, "in the standings, and in the strip of one's own"
    cup.play(30)
    cup.finish()
    over = (await site.ask("/matches/winter-cup")).text
    places = over.partition('id="places"')[2].partition("</table>")[0]
    assert len(set(re.findall(r'href="/matches/winter-cup/why/(p\d+)"', places))) == 40


async def test_awards_that_nobody_has_confirmed_are_counted(site: Site, cup: MovingCup) -> None:
    assert 'id="owed" role="status" hidden' in (await site.ask("/matches/winter-cup")).text
    cup.owed = 2
    page = (await site.ask("/matches/winter-cup")).text
    assert '<strong>Not confirmed yet:</strong> <span data-f="owed">2 awards</span>' in page


async def test_the_reasons_name_their_rules_and_what_went_in(site: Site) -> None:
    page = (await site.ask("/matches/winter-cup/why/p013")).text
    assert "seat 2 of table 1, by lot" in page
    for rule in ("R-ME-04", "R-HI-06", "R-HI-03"):
        assert f'<a href="/docs/rules#{rule.lower()}">{rule}</a>' in page
        assert f'id="{rule.lower()}"' in (await site.ask("/docs/rules")).text
    assert "before <strong>Bao Chen</strong> by waiting since" in page
    assert "drawn from seed <code>7</code>, blocks 0 to 2" in page
    assert "<time>1:01</time> record 12</p>" in page
    assert "<time>2026-03-29 20:00:00 UTC</time> record 40 of tourney:evenings" in page
    assert "bout no" not in page, "what is nothing is not told"


async def test_an_answer_that_differs_now_is_shown_beside_the_old_one(site: Site) -> None:
    page = (await site.ask("/matches/winter-cup/why/p013")).text
    assert "Decided again, the answers differ:" in page
    assert page.index("wins 100 coins") < page.index("Decided again: DuesOwed") < page.index("wins 50 coins")
    assert "evenings.2026-03-28/award/1" in page.partition("Not confirmed yet")[2]


@pytest.mark.parametrize(
    ("path", "code"),
    [("/matches/nowhere/why/p013", "no_such_match"), ("/matches/winter-cup/why/nobody.json", "no_such_player")],
)
async def test_reasons_of_nobody(site: Site, path: str, code: str) -> None:
    answer = await site.ask(path)
    assert (answer.status, answer.json["code"]) == (404, code)


async def test_a_question_that_gets_no_answer_says_what_to_do(site: Site, cup: MovingCup) -> None:
    cup.why_not = "too_many_questions"
    answer = await site.ask("/matches/winter-cup/why/p013.json")
    assert (answer.status, answer.json["code"], answer.json["detail"]) == (
        503,
        "too_many_questions",
        "Ask again in a moment.",
    )
    page = await site.ask("/matches/winter-cup/why/p013", accept="text/html")
    assert page.status == 503
    assert "Ask again in a moment." in page.text


async def test_only_the_newest_answers_are_drawn(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("coordinator.web.app.ANSWERS_SHOWN", 1)
    page = (await site.ask("/matches/winter-cup/why/p013")).text
    assert "newest 1 of 2" in page
    assert page.count('<li class="answer') == 1
    assert "wins 100 coins" in page
