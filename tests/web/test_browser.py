"""The pages in a real browser: they move by themselves, break no policy, and fit a telephone."""

import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import attrs
import pytest
import trio
from playwright.sync_api import Page, expect, sync_playwright

from tests.web.conftest import Site
from tests.web.moving_cup import NAMES, MovingCup

NAMES_OF_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
BROWSER = next(filter(None, map(shutil.which, NAMES_OF_BROWSERS)), None)
ARGUMENTS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run "
    "--disable-background-networking --disable-component-update --disable-sync"
)

expect.set_options(timeout=20_000)

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(BROWSER is None, reason=f"no browser on PATH: looked for {', '.join(NAMES_OF_BROWSERS)}"),
]


@attrs.define
class Visit:
    """A tab, and what went wrong in it."""

    page: Page
    faults: list[str] = attrs.field(factory=list)


@contextmanager
def visiting(url: str, **options: Any) -> Iterator[Visit]:
    """Open a page. At the end nothing may have been complained about, neither by scripts nor by the policy."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=ARGUMENTS.split())
        try:
            page = browser.new_context(**options).new_page()
            visit = Visit(page)
            page.on("console", lambda message: visit.faults.append(f"{message.type}: {message.text}"))
            page.on("pageerror", lambda error: visit.faults.append(f"error: {error}"))
            page.add_init_script(
                "addEventListener('securitypolicyviolation', (e) => console.error('policy', e.violatedDirective))"
            )
            page.clock.install()
            page.goto(url)
            yield visit
            assert visit.faults == []
        finally:
            browser.close()


async def drive(steps: Callable[[], None]) -> None:
    """Playwright's driver wants a thread without an event loop of its own."""
    await trio.to_thread.run_sync(steps)


def do(verb: Callable[..., None], *values: Any) -> None:
    """Move the cup, in the task that serves it."""
    trio.from_thread.run_sync(verb, *values)


def names(page: Page, rows: str) -> list[str]:
    return page.locator(f"{rows} tbody [data-f=name]").all_text_contents()


async def test_the_match_page_moves_without_reloading(site: Site, cup: MovingCup) -> None:
    def steps() -> None:
        with visiting(f"{site.url}/matches/{cup.match_id}?player=p013") as visit:
            page = visit.page
            expect(page.locator(".live-text")).to_have_text("live")
            page.evaluate("window.sameDocument = true")
            before = names(page, "#standings")
            assert len(before) == 40

            do(cup.play, 60)
            do(cup.raise_base)
            do(cup.eliminate, 2)
            expect(page.locator("#figures [data-f=hands]")).to_have_text("60")
            match = cup.match(cup.match_id)
            assert match
            after = [line["name"] for line in match["standings"]]
            assert after != before
            assert names(page, "#standings") == after
            expect(page.locator("#figures [data-f=base]")).to_have_text("13")
            expect(page.locator("#tables .table-card")).to_have_count(match["tables_total"])
            expect(page.locator("#events .is-base").first).to_contain_text("rises to 13")
            assert "H" in (page.locator("#curve .line").get_attribute("d") or "")
            own = cup.player(cup.match_id, "p013")
            assert own
            expect(page.locator("#own [data-f=own_rank]")).to_have_text(str(own["rank"]))
            expect(page.locator("#standings tr.own")).to_contain_text("Maya Patel")
            expect(page.locator("#own")).to_be_in_viewport()

            do(cup.lose_server, "cellar")
            expect(page.locator("#servers .away")).to_contain_text("cellar")
            expect(page.locator("#tables .interrupted").first).to_contain_text("interrupted")
            do(cup.return_server, "cellar")
            expect(page.locator("#tables .repeated").first).to_contain_text("attempt 2")

            do(cup.cut_to, 12)
            expect(page.locator("#stages .is-now")).to_contain_text("Semi-final")
            do(cup.finish)
            expect(page.locator("#podium li")).to_have_count(3)
            expect(page.locator("#tables-panel")).to_be_hidden()
            expect(page.locator("#places tbody tr")).to_have_count(40)
            assert page.evaluate("window.sameDocument") is True

    await drive(steps)


async def test_a_line_leads_to_the_reasons_and_these_to_the_rules(site: Site, cup: MovingCup) -> None:
    """Also from a row that a script has made, and back again; a hostile name is text there too."""
    cup.people[12].name = "<img src=x onerror=alert(1)>"

    def steps() -> None:
        with visiting(f"{site.url}/matches/{cup.match_id}?player=p013") as visit:
            page = visit.page
            do(cup.play, 12)
            expect(page.locator("#figures [data-f=hands]")).to_have_text("12")
            page.locator("#standings tr.own .why").click()
            expect(page.locator("h1")).to_have_text("<img src=x onerror=alert(1)>")
            expect(page.locator("#answers li")).to_have_count(2)
            expect(page.locator("#differs")).to_be_visible()
            page.locator("#answers .rules a", has_text="R-ME-04").click()
            expect(page).to_have_url(re.compile(r"/docs/rules#r-me-04$"))
            expect(page.locator("#r-me-04")).to_be_in_viewport()
            page.go_back()
            page.locator(".here").click()
            expect(page.locator("#own [data-f=own_name]")).to_contain_text("<img")

    await drive(steps)


async def test_the_clock_counts_down_between_pictures(site: Site, cup: MovingCup) -> None:
    def steps() -> None:
        with visiting(f"{site.url}/matches/{cup.match_id}") as visit:
            clock = visit.page.locator("#figures [data-f=clock]")
            expect(clock).to_have_text(re.compile("2:[0-3]."))
            expect(visit.page.locator(".live-text")).to_have_text("live")
            visit.page.clock.fast_forward("01:00")
            expect(clock).to_have_text(re.compile("1:[0-3]."))

    await drive(steps)


async def test_scripts_draw_what_the_server_draws(site: Site, cup: MovingCup) -> None:
    """One picture, two renderings: a page that was kept up to date and one that was just made look the same."""
    parts = ("#stages", "#standings", "#tables", "#events", "#servers", "#curve", ".pill")

    def outline(page: Page) -> list[list[str]]:
        described = """(part) => [part, ...part.querySelectorAll("*")].map((node) => [
            node.tagName, node.dataset.key ?? "", [...node.classList].sort().join(" "),
            (node.pathname ?? "") + (node.search ?? ""), (node.getAttribute("d") ?? "").replace(/\\.0(?!\\d)/g, ""),
            node.children.length ? "" : node.textContent.trim().replace(/\\s+/g, " "),
        ].join("|"))"""
        return [page.locator(part).first.evaluate(described) for part in parts]

    def steps() -> None:
        with visiting(f"{site.url}/matches/{cup.match_id}?player=p002") as kept:
            do(cup.play, 25)
            do(cup.raise_base)
            do(cup.eliminate, 3)
            do(cup.lose_server, "attic")
            expect(kept.page.locator("#servers .away")).to_have_count(1)
            expect(kept.page.locator("#figures [data-f=hands]")).to_have_text("25")
            expect(kept.page.locator("#standings-count")).to_have_text("")
            live = outline(kept.page)
        with visiting(f"{site.url}/matches/{cup.match_id}?player=p002", java_script_enabled=False) as fresh:
            fresh.page.goto(f"{site.url}/matches/{cup.match_id}?player=p002")
            for part, one, other in zip(parts, live, outline(fresh.page), strict=True):
                assert one == other, part

    await drive(steps)


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_fits_a_telephone(site: Site, cup: MovingCup, scheme: str) -> None:
    cup.play(40)
    cup.lose_server("cellar")

    def steps() -> None:
        options = {"viewport": {"width": 390, "height": 844}, "color_scheme": scheme, "java_script_enabled": False}
        with visiting(f"{site.url}/", **options) as visit:
            page = visit.page
            for path in (
                "/",
                "/matches/winter-cup?player=p013",
                "/matches/winter-cup/why/p013",
                "/servers/porch",
                "/docs",
            ):
                page.goto(site.url + path)
                overflow = page.locator("html").evaluate("(node) => node.scrollWidth - node.clientWidth")
                assert overflow == 0, path
                ink, paper = (
                    page.locator("body").evaluate(f"(node) => getComputedStyle(node).{name}")
                    for name in ("color", "backgroundColor")
                )
                assert (sum(rgb(ink)) > sum(rgb(paper))) == (scheme == "dark"), path

    await drive(steps)


def rgb(colour: str) -> list[int]:
    return [int(part) for part in colour.removeprefix("rgb(").removesuffix(")").split(",")]


async def test_hostile_names_are_text(site: Site, cup: MovingCup) -> None:
    hostile = ("<script>document.title='hacked'</script>", "<img src=x onerror=\"document.title='hacked'\">")
    for person, name in zip(cup.people, (*hostile, *NAMES), strict=False):
        person.name = name

    def steps() -> None:
        with visiting(f"{site.url}/matches/{cup.match_id}?player=p001") as visit:
            do(cup.play, 20)
            expect(visit.page.locator("#figures [data-f=hands]")).to_have_text("20")
            assert set(hostile) <= set(names(visit.page, "#standings"))
            expect(visit.page).to_have_title("Winter Cup in Gröna Lund")

    await drive(steps)


async def test_the_first_page_and_a_server_page_move_too(site: Site, cup: MovingCup) -> None:
    def steps() -> None:
        with visiting(f"{site.url}/") as visit:
            expect(visit.page.locator("#alarms-panel")).to_be_hidden()
            do(cup.play, 8)
            do(cup.lose_server, "attic")
            expect(visit.page.locator("#matches [data-f=hands]")).to_have_text("8")
            expect(visit.page.locator("#alarms")).to_contain_text("attic is gone")
            visit.page.locator("#servers a", has_text="attic").click()
            expect(visit.page.locator("#why")).to_contain_text("It is not connected.")
            do(cup.return_server, "attic")
            expect(visit.page.locator("#why")).to_be_hidden()
            expect(visit.page.locator("#state")).to_have_text("connected")

    await drive(steps)


async def test_a_page_says_when_it_is_cut_off(site: Site, cup: MovingCup) -> None:
    def steps() -> None:
        with visiting(f"{site.url}/matches/{cup.match_id}") as visit:
            expect(visit.page.locator(".live-text")).to_have_text("live")
            do(site.stopping.set)
            expect(visit.page.locator(".live-text")).to_have_text("reconnecting")
            visit.faults.clear()  # the browser notes that nobody answers

    await drive(steps)


async def test_a_tab_that_nobody_sees_lets_its_stream_go(site: Site, cup: MovingCup) -> None:
    turn = """(state) => {
        Object.defineProperty(document, "visibilityState", { configurable: true, value: state });
        document.dispatchEvent(new Event("visibilitychange"));
    }"""

    def steps() -> None:
        with visiting(f"{site.url}/matches/{cup.match_id}") as visit:
            page = visit.page
            expect(page.locator(".live-text")).to_have_text("live")
            page.evaluate(turn, "hidden")
            expect(page.locator(".live-text")).to_have_text("paused")
            do(cup.play, 9)
            page.evaluate(turn, "visible")
            expect(page.locator("#figures [data-f=hands]")).to_have_text("9")
            expect(page.locator(".live-text")).to_have_text("live")

    await drive(steps)
