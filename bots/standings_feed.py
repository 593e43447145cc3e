"""What a match looks like from outside, read from the daemon's HTTP API."""

import http.client
import json
from typing import Any
from urllib.parse import quote, urlsplit

import attrs
import trio


@attrs.frozen
class Picture:
    """The match at one moment; what the API does not say yet stays at its default."""

    status: str = "registering"
    stage_title: str = ""
    bout_no: int = 0
    players: int = 0
    remaining: int = 0
    hands: int = 0
    base_score: int = 0
    base_scores: tuple[int, ...] = ()
    reason: str = ""

    @classmethod
    def from_json(cls, found: dict[str, Any]) -> "Picture":
        """The known fields of the API's answer; unknown ones are ignored, null means not yet."""
        known = {name: found[name] for name in attrs.fields_dict(cls) if found.get(name) is not None}
        if "base_scores" in known:
            known["base_scores"] = tuple(known["base_scores"])
        known["stage_title"] = found.get("stage_title") or found.get("stage_id") or ""
        return cls(**known)


async def read_picture(http_url: str, match_id: str) -> Picture | None:
    """The match now, or None while the daemon has nothing to say about it."""
    return await trio.to_thread.run_sync(_read_picture, http_url, match_id, abandon_on_cancel=True)


def _read_picture(http_url: str, match_id: str) -> Picture | None:
    address = urlsplit(http_url)
    if address.hostname is None:
        return None
    connection = http.client.HTTPConnection(address.hostname, address.port, timeout=5)
    try:
        connection.request("GET", f"/api/v1/matches/{quote(match_id, safe='')}")
        answer = connection.getresponse()
        body = answer.read()
        found = json.loads(body) if answer.status == http.client.OK else None
    except (OSError, http.client.HTTPException, ValueError):
        return None
    finally:
        connection.close()
    return Picture.from_json(found) if isinstance(found, dict) else None
