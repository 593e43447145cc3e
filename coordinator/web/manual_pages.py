"""The manual as pages: Markdown files of `coordinator/manual`, rendered when asked for."""

import re
from collections.abc import Sequence
from functools import lru_cache
from http import HTTPStatus
from importlib.resources import files
from importlib.resources.abc import Traversable

import attrs
from markdown_it import MarkdownIt
from markdown_it.token import Token
from starlette.requests import Request
from starlette.responses import Response

from coordinator.web.documents import Pages
from coordinator.web.problems import Problem, quote

_LINK_TO_PAGE = re.compile(r"(?:\./)?(?:[\w-]+/)*([\w-]+)\.md(#[\w-]*)?")
_LINK_IN_TEXT = re.compile(r"\]\(([\w-]+)\.md")


@attrs.frozen(slots=True)
class Heading:
    """A heading of a page and the fragment that leads to it."""

    anchor: str
    text: str


def render_markdown(source: str) -> tuple[str, str, list[Heading]]:
    """HTML, title and second-level headings of a Markdown text. Raw HTML in it is shown as text.

    Links to other Markdown files lead to their pages, headings can be linked to, and nothing is styled in place,
    because our pages forbid it.
    """
    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    tokens = parser.parse(source)
    title = ""
    headings: list[Heading] = []
    taken: dict[str, int] = {}
    for place, token in enumerate(tokens):
        _mend(token)
        if token.type == "heading_open":
            text = _plain(tokens[place + 1])
            anchor = _slug(text, taken)
            token.attrSet("id", anchor)
            if token.tag == "h1" and not title:
                title = text
            elif token.tag == "h2":
                headings.append(Heading(anchor, text))
    return parser.renderer.render(tokens, parser.options, {}), title, headings


class Manual:
    """The pages of the manual, looked up in a listing of the folder; no path is built from a request."""

    def __init__(self, pages: Pages, folder: Traversable | None = None) -> None:
        self._pages = pages
        # A long page takes a twentieth of a second: once, and not for everybody who asks.
        self._render = lru_cache(maxsize=64)(render_markdown)
        self._folder = folder or files("coordinator").joinpath("manual")

    async def get(self, request: Request) -> Response:
        """One page of the manual."""
        return self._page(request.path_params["page"])

    async def contents(self, _: Request) -> Response:
        """The page ``index`` where there is one, a list of all pages otherwise."""
        listing = self._listing()
        if "index" in listing:
            return self._page("index")
        titles = [(name, self._title(file, name)) for name, file in listing.items()]
        return self._pages.response("manual_contents.html", {"titles": titles})

    async def image(self, request: Request) -> Response:
        """One picture of the manual."""
        name, folder = request.path_params["name"], self._folder.joinpath("images")
        found = [file for file in folder.iterdir() if file.name == name] if folder.is_dir() else []
        if not found or not name.endswith(".png"):
            raise Problem(HTTPStatus.NOT_FOUND, "no_such_file", f"The manual has no picture {quote(name)}.")
        return Response(found[0].read_bytes(), headers={"cache-control": "no-cache"}, media_type="image/png")

    def _page(self, name: str) -> Response:
        listing = self._listing()
        file = listing.get(name)
        if file is None:
            raise Problem(HTTPStatus.NOT_FOUND, "no_such_page", f"The manual has no page {quote(name)}.")
        html, title, headings = self._render(file.read_text(encoding="utf-8"))
        titles = [(other, self._title(listing[other], other)) for other in listing]
        values = {"html": html, "title": title or name, "headings": headings, "titles": titles, "name": name}
        return self._pages.response("manual.html", values)

    def _listing(self) -> dict[str, Traversable]:
        """All pages: the index, those it leads to in its own order, then any others by name."""
        if not self._folder.is_dir():
            return {}
        files = {file.name.removesuffix(".md"): file for file in self._folder.iterdir() if file.name.endswith(".md")}
        order = ["index"]
        if "index" in files:
            order += _LINK_IN_TEXT.findall(files["index"].read_text(encoding="utf-8"))
        first = dict.fromkeys(name for name in order if name in files)
        return {name: files[name] for name in dict.fromkeys((*first, *sorted(files)))}

    def _title(self, file: Traversable, name: str) -> str:
        with file.open(encoding="utf-8") as lines:
            first = lines.readline()
        return first.removeprefix("# ").strip() if first.startswith("# ") else name


def _mend(token: Token) -> None:
    for part in [token, *(token.children or ())]:
        style = part.attrs.pop("style", None)
        if style == "text-align:right":
            part.attrJoin("class", "num")
        href = part.attrGet("href")
        page = _LINK_TO_PAGE.fullmatch(str(href)) if href else None
        if page:
            part.attrSet("href", f"/docs/{page[1]}{page[2] or ''}")


def _plain(inline: Token) -> str:
    parts: Sequence[Token] = inline.children or ()
    return "".join(part.content for part in parts if part.type in {"text", "code_inline"})


def _slug(text: str, taken: dict[str, int]) -> str:
    slug = re.sub(r"[^\w]+", "-", text.lower()).strip("-") or "section"
    taken[slug] = taken.get(slug, 0) + 1
    return slug if taken[slug] == 1 else f"{slug}-{taken[slug]}"
