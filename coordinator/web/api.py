"""The reading API: every picture of the view at a stable address, and health for those who watch over the process."""

from http import HTTPStatus
from typing import TypedDict

from starlette.requests import Request
from starlette.responses import Response

from coordinator.shell.view import (
    AlarmView,
    MatchSummary,
    MatchView,
    NotAnswered,
    PlayerView,
    ServerView,
    StatusView,
    TourneySummary,
    TourneyView,
    View,
    WhyView,
)
from coordinator.web.documents import json_response
from coordinator.web.feed import EventStream, Feed
from coordinator.web.problems import Problem, quote
from coordinator.web.standings_csv import standings_csv

ROWS = 200
"""Lines of standings in an answer, unless asked otherwise."""
ALL_ROWS = 1_000_000


class Overview(TypedDict):
    """What the first page shows."""

    status: StatusView
    matches: list[MatchSummary]
    tourneys: list[TourneySummary]
    servers: list[ServerView]
    alarms: list[AlarmView]


class Reading:
    """Looks things up in the view; a thing that is not there is a `Problem`."""

    def __init__(self, view: View) -> None:
        self.view = view

    def overview(self) -> Overview:
        """The daemon as a whole."""
        view = self.view
        return {
            "status": view.status(),
            "matches": view.matches(),
            "tourneys": view.tourneys(),
            "servers": view.servers(),
            "alarms": view.alarms(),
        }

    async def match(self, match_id: str, rows: int = ROWS) -> MatchView:
        """One match, or the problem ``no_such_match`` or ``match_damaged``."""
        # One that is read back may be gone again before it is looked at, if very many are.
        while await self._look_up(match_id):
            match = self.view.match(match_id, rows)
            if match is not None:
                return match
        raise _no_such_match(match_id)

    async def require_match(self, match_id: str) -> None:
        """Have a match ready to be looked at; raise the problem ``no_such_match`` or ``match_damaged``."""
        if not await self._look_up(match_id):
            raise _no_such_match(match_id)

    async def _look_up(self, match_id: str) -> bool:
        try:
            return await self.view.look_up(match_id)
        except NotAnswered as why_not:
            raise Problem(HTTPStatus.SERVICE_UNAVAILABLE, why_not.code, why_not.message) from None

    def player(self, match_id: str, player_id: str) -> PlayerView:
        """One player of a match that is ready to be looked at, or the problem ``no_such_player``."""
        player = self.view.player(match_id, player_id)
        if player is None:
            raise _no_such_player(player_id)
        return player

    async def why(self, match_id: str, player_id: str) -> WhyView:
        """Why everything became of a player, or the problem that there is no such player or no answer."""
        await self.require_match(match_id)
        try:
            answer = await self.view.why(match_id, player_id)
        except NotAnswered as why_not:
            raise Problem(HTTPStatus.SERVICE_UNAVAILABLE, why_not.code, why_not.message) from None
        if answer is None:
            raise _no_such_player(player_id)
        return answer

    def tourney(self, tourney_id: str) -> TourneyView:
        """One tourney, or the problem ``no_such_tourney``."""
        tourney = self.view.tourney(tourney_id)
        if tourney is None:
            raise Problem(HTTPStatus.NOT_FOUND, "no_such_tourney", f"There is no tourney {quote(tourney_id)}.")
        return tourney

    def server(self, server_id: str) -> ServerView:
        """One table server, or the problem ``no_such_server``."""
        for server in self.view.servers():
            if server["server_id"] == server_id:
                return server
        raise Problem(HTTPStatus.NOT_FOUND, "no_such_server", f"No table server {quote(server_id)} ever said hello.")


class Api:
    """Endpoints that answer with JSON, CSV or a stream of events."""

    def __init__(self, view: View, feed: Feed) -> None:
        self._reading = Reading(view)
        self._view = view
        self._feed = feed

    async def health(self, _: Request) -> Response:
        """The process is alive and answers."""
        return json_response({"ok": True})

    async def ready(self, _: Request) -> Response:
        """Whether work may be sent here, with every condition by name; 503 while one of them fails."""
        status = self._view.status()
        answer = {"ready": status["ready"], "checks": status["checks"]}
        return json_response(answer, status=200 if status["ready"] else HTTPStatus.SERVICE_UNAVAILABLE)

    async def status(self, _: Request) -> Response:
        """The daemon as a whole."""
        return json_response(self._view.status())

    async def overview(self, _: Request) -> Response:
        """What the first page shows."""
        return json_response(self._reading.overview())

    async def matches(self, request: Request) -> Response:
        """Every match in a line, of the finished ones the newest; ``?before=`` names one, for those behind it."""
        before = request.query_params.get("before")
        if before is None:
            return json_response(self._view.matches())
        older = await self._view.older(before)
        if older is None:
            raise Problem(HTTPStatus.NOT_FOUND, "no_such_match", f"There is no finished match {quote(before)}.")
        return json_response(older)

    async def tourneys(self, _: Request) -> Response:
        """Every tourney with what comes next."""
        return json_response(self._view.tourneys())

    async def tourney(self, request: Request) -> Response:
        """One tourney."""
        return json_response(self._reading.tourney(request.path_params["tourney_id"]))

    async def cancel_instance(self, request: Request) -> Response:
        """Call off an instance that has not begun. See :func:`_from_here` for who may."""
        _from_here(request)
        self._reading.tourney(request.path_params["tourney_id"])
        done = await self._view.cancel_instance(request.path_params["instance_id"])
        code = done["code"]
        if code is None:
            return json_response(done)
        unknown = code == "unknown_instance"
        raise Problem(HTTPStatus.NOT_FOUND if unknown else HTTPStatus.CONFLICT, code, f"{done['message']}.")

    async def servers(self, _: Request) -> Response:
        """Every table server."""
        return json_response(self._view.servers())

    async def server(self, request: Request) -> Response:
        """One table server."""
        return json_response(self._reading.server(request.path_params["server_id"]))

    async def alarms(self, _: Request) -> Response:
        """What a person should look at."""
        return json_response(self._view.alarms())

    async def match(self, request: Request) -> Response:
        """One match; ``?rows=`` says how many lines of standings."""
        return json_response(await self._reading.match(request.path_params["match_id"], _rows(request)))

    async def player(self, request: Request) -> Response:
        """One player of a match."""
        match_id = request.path_params["match_id"]
        await self._reading.require_match(match_id)
        return json_response(self._reading.player(match_id, request.path_params["player_id"]))

    async def why(self, request: Request) -> Response:
        """Why everything became of a player of a match."""
        return json_response(await self._reading.why(request.path_params["match_id"], request.path_params["player_id"]))

    async def standings(self, request: Request) -> Response:
        """The whole standings as CSV."""
        match = await self._reading.match(request.path_params["match_id"], ALL_ROWS)
        return Response(
            standings_csv(match["standings"]),
            headers={"cache-control": "no-store", "content-disposition": 'inline; filename="standings.csv"'},
            media_type="text/csv",
        )

    async def match_stream(self, request: Request) -> EventStream:
        """A match as it goes on; with ``?player=`` also that player's line."""
        match_id = request.path_params["match_id"]
        await self._reading.require_match(match_id)
        topics = [self._feed.match(match_id), self._feed.servers()]
        player_id = request.query_params.get("player")
        if player_id:
            self._reading.player(match_id, player_id)
            topics.append(self._feed.player(match_id, player_id))
        return EventStream(self._feed, topics)

    async def stream(self, _: Request) -> EventStream:
        """The daemon as it goes on."""
        return EventStream(self._feed, [self._feed.overview(self._reading.overview)])


def _from_here(request: Request) -> None:
    """Orders are taken from programs on this machine alone, and never from a page that a browser happens to show.

    A browser asks before it sends JSON to another site, and is refused; a proxy says for whom it asks.
    """
    client = "" if request.client is None else request.client.host
    if client not in ("127.0.0.1", "::1") or {"forwarded", "x-forwarded-for"} & set(request.headers):
        raise Problem(HTTPStatus.FORBIDDEN, "not_from_here", "Orders are taken from programs on this machine alone.")
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise Problem(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "json_only", "Orders are sent as application/json.")


def _no_such_match(match_id: str) -> Problem:
    return Problem(HTTPStatus.NOT_FOUND, "no_such_match", f"There is no match {quote(match_id)}.")


def _no_such_player(player_id: str) -> Problem:
    return Problem(HTTPStatus.NOT_FOUND, "no_such_player", f"There is no player {quote(player_id)} in this match.")


def _rows(request: Request) -> int:
    text = request.query_params.get("rows", str(ROWS))
    if not (text.isascii() and text.isdecimal() and len(text) <= 7 and int(text) <= ALL_ROWS):
        raise Problem(
            HTTPStatus.BAD_REQUEST,
            "bad_rows",
            f"rows: expected a whole number from 0 to {ALL_ROWS:,}, got {quote(text)}.",
        )
    return int(text)
