"""What a request is refused with: problem details (RFC 9457) for programs, the same words as a page for people."""

from collections.abc import Mapping
from http import HTTPStatus

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from coordinator.web.documents import Pages, json_response

_LONGEST_QUOTE = 80

_CODES = {
    HTTPStatus.NOT_FOUND: "not_found",
    HTTPStatus.METHOD_NOT_ALLOWED: "method_not_allowed",
    HTTPStatus.INTERNAL_SERVER_ERROR: "internal",
}
_DETAILS = {
    HTTPStatus.NOT_FOUND: "There is nothing at this address.",
    HTTPStatus.METHOD_NOT_ALLOWED: "This address can only be read: use GET or HEAD.",
    HTTPStatus.INTERNAL_SERVER_ERROR: "The coordinator made a mistake; its log has the details.",
}


class Problem(HTTPException):
    """A request that cannot be answered: HTTP status, our stable `code`, and one sentence that says why."""

    def __init__(self, status: HTTPStatus, code: str, detail: str, *, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(status, detail, headers)
        self.code = code


def quote(text: str) -> str:
    """Somebody else's text as it may stand in a sentence of ours: in quotes, escaped and cut."""
    return ascii(text[:_LONGEST_QUOTE])


def problem_response(status: int, code: str, detail: str, *, headers: Mapping[str, str] | None = None) -> Response:
    """The refusal as ``application/problem+json``."""
    body = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "code": code,
        "detail": detail,
    }
    return json_response(body, status=status, media_type="application/problem+json", headers=headers)


class Refusals:
    """Exception handlers for Starlette. Browsers asking for a page get one, everybody else problem details."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages

    async def refused(self, request: Request, error: Exception) -> Response:
        """Answer a `Problem`, or an HTTPException of Starlette's own."""
        assert isinstance(error, HTTPException)
        status = HTTPStatus(error.status_code)
        if isinstance(error, Problem):
            return self._answer(request, status, error.code, error.detail, error.headers)
        code = _CODES.get(status, "refused")
        return self._answer(request, status, code, _DETAILS.get(status, error.detail), error.headers)

    async def failed(self, request: Request, _: Exception) -> Response:
        """Answer for a bug of ours. Starlette raises the error again afterwards, so the log has its traceback."""
        status = HTTPStatus.INTERNAL_SERVER_ERROR
        return self._answer(request, status, _CODES[status], _DETAILS[status], None)

    def busy(self) -> ASGIApp:
        """Answers whoever came when too much was asked. Both answers are made beforehand: one costs next to nothing."""
        status, code = HTTPStatus.SERVICE_UNAVAILABLE, "busy"
        detail = "More is asked than the coordinator has time for beside its tables. Ask again in a few seconds."
        later = {"retry-after": "5"}
        page, problem = self._page(status, code, detail, later), problem_response(status, code, detail, headers=later)

        async def answer(scope: Scope, receive: Receive, send: Send) -> None:
            await (page if _wants_page(Request(scope)) else problem)(scope, receive, send)

        return answer

    def _answer(
        self,
        request: Request,
        status: HTTPStatus,
        code: str,
        detail: str,
        headers: Mapping[str, str] | None,
    ) -> Response:
        if _wants_page(request):
            return self._page(status, code, detail, headers)
        return problem_response(status, code, detail, headers=headers)

    def _page(self, status: HTTPStatus, code: str, detail: str, headers: Mapping[str, str] | None) -> Response:
        page = {"title": status.phrase, "status": int(status), "code": code, "detail": detail}
        return self._pages.response("refused.html", page, status=status, headers=headers)


def _wants_page(request: Request) -> bool:
    """Whether a browser asks, and not a program."""
    return "text/html" in request.headers.get("accept", "") and not request.url.path.startswith("/api/")
