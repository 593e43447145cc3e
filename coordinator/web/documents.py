"""How answers are written: JSON bytes, and HTML from the templates. Nothing else in the room encodes anything."""

from collections.abc import Mapping

import jinja2
import msgspec
from starlette.responses import Response

from coordinator.web.curve import draw_curve
from coordinator.web.wording import count, duration, match_time, moment, points, whole

_JSON = msgspec.json.Encoder()


def encode_json(value: object) -> bytes:
    """The JSON of a picture, in UTF-8 and on one line."""
    return _JSON.encode(value)


def json_response(
    value: object,
    *,
    status: int = 200,
    media_type: str = "application/json",
    headers: Mapping[str, str] | None = None,
) -> Response:
    """An answer for programs; never cached, since it is true for a moment only."""
    return Response(
        encode_json(value), status, headers={"cache-control": "no-store", **(headers or {})}, media_type=media_type
    )


class Pages:
    """Renders the templates. Every value is escaped; a name that a template misspells is an error."""

    def __init__(self) -> None:
        self._templates = jinja2.Environment(
            loader=jinja2.PackageLoader("coordinator.web"),
            autoescape=True,
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._templates.filters |= {
            "count": count,
            "duration": duration,
            "match_time": match_time,
            "moment": moment,
            "points": points,
            "whole": whole,
        }
        self._templates.globals["draw_curve"] = draw_curve

    def render(self, template: str, values: Mapping[str, object]) -> str:
        """The page as text."""
        return self._templates.get_template(template).render(values)

    def response(
        self,
        template: str,
        values: Mapping[str, object],
        *,
        status: int = 200,
        headers: Mapping[str, str] | None = None,
    ) -> Response:
        """The page as an answer, never cached."""
        return Response(
            self.render(template, values),
            status,
            headers={"cache-control": "no-store", **(headers or {})},
            media_type="text/html",
        )
