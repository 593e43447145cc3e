"""Our style sheet and scripts, read once. Files are looked up in a table; no path is built from a request."""

import hashlib
from http import HTTPStatus
from importlib.resources import files

import attrs
from starlette.requests import Request
from starlette.responses import Response

from coordinator.web.problems import Problem, quote

_MEDIA_TYPES = {
    ".css": "text/css",
    ".js": "text/javascript",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".yml": "application/yaml",
}


@attrs.frozen(slots=True)
class Asset:
    """One file with what a browser needs to know about it."""

    body: bytes
    media_type: str
    etag: str


class Assets:
    """The files of `static/`, by name."""

    def __init__(self) -> None:
        self._by_name = {}
        for file in files("coordinator.web").joinpath("static").iterdir():
            suffix = "." + file.name.rpartition(".")[2]
            if suffix in _MEDIA_TYPES:
                body = file.read_bytes()
                etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
                self._by_name[file.name] = Asset(body, _MEDIA_TYPES[suffix], etag)

    async def get(self, request: Request) -> Response:
        """One file. Browsers keep it and ask whether it is still the same, so an upgrade shows at once."""
        name = request.path_params["name"]
        asset = self._by_name.get(name)
        if asset is None:
            raise Problem(HTTPStatus.NOT_FOUND, "no_such_file", f"There is no file {quote(name)}.")
        headers = {"etag": asset.etag, "cache-control": "no-cache"}
        if request.headers.get("if-none-match") == asset.etag:
            return Response(status_code=304, headers=headers)
        return Response(asset.body, headers=headers, media_type=asset.media_type)
