"""The manual, rendered."""

from pathlib import Path

import pytest
from starlette.requests import Request

from coordinator.web.documents import Pages
from coordinator.web.manual_pages import Manual, render_markdown
from coordinator.web.problems import Problem

SOURCE = """# Start *here*

See [concepts](concepts.md#table), [that](guides/servers.md) and [elsewhere](https://example.org/a.md).

## Run it
## Run it

| a | n |
| - | -: |
| x | 1 |

<script>alert(1)</script> and [bad](javascript:alert(1))
"""


def test_markdown() -> None:
    html, title, headings = render_markdown(SOURCE)
    assert title == "Start here"
    assert [(one.anchor, one.text) for one in headings] == [("run-it", "Run it"), ("run-it-2", "Run it")]
    assert 'href="/docs/concepts#table"' in html
    assert 'href="/docs/servers"' in html
    assert 'href="https://example.org/a.md"' in html
    assert '<h2 id="run-it-2">' in html
    assert '<td class="num">1</td>' in html


def test_markdown_obeys_the_policy_of_our_pages() -> None:
    html, _, _ = render_markdown(SOURCE)
    assert "style=" not in html
    assert "<script" not in html
    assert 'href="javascript' not in html


@pytest.fixture
def manual(tmp_path: Path) -> Manual:
    folder = tmp_path / "manual"
    folder.mkdir()
    (folder / "start.md").write_text(SOURCE, encoding="utf-8")
    (folder / "other.md").write_text("no heading", encoding="utf-8")
    (tmp_path / "secret.md").write_text("secret", encoding="utf-8")
    return Manual(Pages(), folder)


def request(page: str) -> Request:
    return Request({"type": "http", "method": "GET", "path": "/", "headers": [], "path_params": {"page": page}})


async def test_a_page_lists_the_others(manual: Manual) -> None:
    text = bytes((await manual.get(request("start"))).body).decode()
    assert '<a href="/docs/other">other</a>' in text
    assert '<a href="#run-it">Run it</a>' in text


async def test_pages_are_listed_as_the_index_leads_to_them(manual: Manual, tmp_path: Path) -> None:
    (tmp_path / "manual/index.md").write_text("# All\n\n[first](start.md), [gone](gone.md)\n", encoding="utf-8")
    text = bytes((await manual.get(request("start"))).body).decode()
    places = [text.index(f'href="/docs/{page}"') for page in ("index", "start", "other")]
    assert places == sorted(places)
    assert "gone" not in text


async def test_the_contents_lead_to_all_pages(manual: Manual) -> None:
    text = bytes((await manual.contents(request(""))).body).decode()
    assert 'href="/docs/start"' in text
    assert 'href="/docs/other"' in text


async def test_a_page_is_rendered_once_and_again_when_it_has_changed(
    manual: Manual, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rendered = []

    def parse(self: object, source: str) -> list[object]:
        rendered.append(source)
        return []

    monkeypatch.setattr("coordinator.web.manual_pages.MarkdownIt.parse", parse)
    for _ in range(3):
        await manual.get(request("start"))
    (tmp_path / "manual/start.md").write_text("# New", encoding="utf-8")
    await manual.get(request("start"))
    assert rendered == [SOURCE, "# New"]


@pytest.mark.parametrize("page", ["missing", "../secret", "start.md", "", ".", "/etc/passwd"])
async def test_only_what_is_listed(manual: Manual, page: str) -> None:
    with pytest.raises(Problem) as refused:
        await manual.get(request(page))
    assert refused.value.code == "no_such_page"


async def test_pictures(manual: Manual, tmp_path: Path) -> None:
    def named(name: str) -> Request:
        return Request({"type": "http", "method": "GET", "path": "/", "headers": [], "path_params": {"name": name}})

    for name in ("curve.png", "../secret.md", "notes.txt", ""):
        with pytest.raises(Problem) as refused:
            await manual.image(named(name))
        assert refused.value.code == "no_such_file"
    (tmp_path / "manual/images").mkdir()
    (tmp_path / "manual/images/curve.png").write_bytes(b"PNG")
    (tmp_path / "manual/images/notes.txt").write_bytes(b"text")
    shown = await manual.image(named("curve.png"))
    assert (bytes(shown.body), shown.media_type) == (b"PNG", "image/png")
    for name in ("../secret.md", "notes.txt", "missing.png"):
        with pytest.raises(Problem):
            await manual.image(named(name))


async def test_no_manual_at_all(tmp_path: Path) -> None:
    manual = Manual(Pages(), tmp_path / "missing")
    assert "came without the manual" in bytes((await manual.contents(request(""))).body).decode()
