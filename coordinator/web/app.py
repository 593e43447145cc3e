"""The map of the site: which address is answered where."""

from collections.abc import Iterable

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from coordinator.shell.view import View
from coordinator.web.api import Api, Reading
from coordinator.web.assets import Assets
from coordinator.web.bearers import MayWrite
from coordinator.web.documents import Pages
from coordinator.web.feed import Feed
from coordinator.web.guard import Guard
from coordinator.web.manual_pages import Manual
from coordinator.web.metrics import Metrics
from coordinator.web.problems import Refusals
from coordinator.web.share import HTTP_SHARE, Rationed

ANSWERS_SHOWN = 300
"""So many answers a page shows, the newest; the JSON has all of them."""


class Site:
    """The pages for people. Each is complete without scripts; our scripts keep it up to date."""

    def __init__(self, view: View, pages: Pages) -> None:
        self._reading = Reading(view)
        self._pages = pages

    async def home(self, _: Request) -> Response:
        """Matches, table servers, alarms, and how the daemon is."""
        return self._pages.response("home.html", {**self._reading.overview()})

    async def match(self, request: Request) -> Response:
        """The live page of a match; ``?player=`` picks out one player's line."""
        match = await self._reading.match(request.path_params["match_id"])
        player_id = request.query_params.get("player")
        own = self._reading.player(match["match_id"], player_id) if player_id else None
        return self._pages.response("match.html", {"match": match, "own": own, "servers": self._reading.view.servers()})

    async def why(self, request: Request) -> Response:
        """Why a player sits there, waits, is out, has that place and wins that."""
        match_id, player_id = request.path_params["match_id"], request.path_params["player_id"]
        why = await self._reading.why(match_id, player_id)
        return self._pages.response("why.html", {"why": why, "shown": ANSWERS_SHOWN})

    async def tourney(self, request: Request) -> Response:
        """One tourney: what comes next, who is in, what was played and what is owed."""
        tourney = self._reading.tourney(request.path_params["tourney_id"])
        return self._pages.response("tourney.html", {"tourney": tourney})

    async def server(self, request: Request) -> Response:
        """One table server, and why it gets no tables if it does not."""
        return self._pages.response("server.html", {"server": self._reading.server(request.path_params["server_id"])})


def make_app(
    view: View,
    feed: Feed,
    *,
    allowed_hosts: Iterable[str] = (),
    may_write: MayWrite | None = None,
    over_tls: bool = False,
    share: float = HTTP_SHARE / 2,
) -> ASGIApp:
    """The whole site as an ASGI application. Somebody must run `feed`, or live streams stay at their first picture.

    `allowed_hosts` are the names, besides those of the loopback interface, under which it answers; `may_write` and
    `over_tls` are those of `Guard`, `share` that of `Rationed`.
    """
    pages = Pages()
    api = Api(view, feed)
    site = Site(view, pages)
    manual = Manual(pages)
    refusals = Refusals(pages)
    routes = [
        Route("/", site.home),
        Route("/index.json", api.overview),
        # The first route that fits answers, so the longer names come first.
        Route("/matches/{match_id}/standings.csv", api.standings),
        Route("/matches/{match_id}/why/{player_id}.json", api.why),
        Route("/matches/{match_id}/why/{player_id}", site.why),
        Route("/matches/{match_id}.json", api.match),
        Route("/matches/{match_id}", site.match),
        Route("/tourneys/{tourney_id}.json", api.tourney),
        Route("/tourneys/{tourney_id}", site.tourney),
        Route("/servers/{server_id}.json", api.server),
        Route("/servers/{server_id}", site.server),
        Route("/api/v1/status", api.status),
        Route("/api/v1/matches", api.matches),
        Route("/api/v1/matches/{match_id}", api.match),
        Route("/api/v1/matches/{match_id}/players/{player_id}", api.player),
        Route("/api/v1/matches/{match_id}/players/{player_id}/why", api.why),
        Route("/api/v1/matches/{match_id}/stream", api.match_stream),
        Route("/api/v1/tourneys", api.tourneys),
        Route("/api/v1/tourneys/{tourney_id}", api.tourney),
        Route("/api/v1/tourneys/{tourney_id}/instances/{instance_id}/cancel", api.cancel_instance, methods=["POST"]),
        Route("/api/v1/servers", api.servers),
        Route("/api/v1/servers/{server_id}", api.server),
        Route("/api/v1/alarms", api.alarms),
        Route("/api/v1/stream", api.stream),
        Route("/healthz", api.health),
        Route("/readyz", api.ready),
        Route("/metrics", Metrics(view).get),
        Route("/docs", manual.contents),
        Route("/docs/images/{name}", manual.image),
        Route("/docs/{page}", manual.get),
        Route("/static/{name}", Assets().get),
    ]
    site_app = Starlette(
        routes=routes, exception_handlers={HTTPException: refusals.refused, Exception: refusals.failed}
    )
    return Guard(Rationed(site_app, share, refusals.busy()), allowed_hosts, may_write=may_write, over_tls=over_tls)
