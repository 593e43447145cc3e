"""The match as the HTTP API shows it, whatever state the daemon is in."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from bots.standings_feed import Picture, read_picture

RUNNING = {
    "match_id": "demo",
    "definition": "cup",
    "status": "running",
    "stage_id": "melee",
    "stage_title": "Preliminary",
    "format": "melee",
    "bout_no": None,
    "players": 90,
    "remaining": 63,
    "hands": 412,
    "base_score": 40,
    "base_scores": [20, 30, 40],
    "places": [],
    "news": "a field of tomorrow",
}


@pytest.fixture
def daemon():
    """A server that gives each path what it was told to, and its address."""
    answers: dict[str, tuple[int, bytes]] = {}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            status, body = answers.get(self.path, (404, b"{}"))
            self.send_response(status)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=[0.01])
        thread.start()
        yield answers, f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


async def test_a_running_match(daemon):
    answers, url = daemon
    answers["/api/v1/matches/demo"] = (200, json.dumps(RUNNING).encode())
    assert await read_picture(url, "demo") == Picture(
        status="running",
        stage_title="Preliminary",
        bout_no=0,
        players=90,
        remaining=63,
        hands=412,
        base_score=40,
        base_scores=(20, 30, 40),
    )


async def test_a_stage_without_a_title_is_called_by_its_id(daemon):
    answers, url = daemon
    answers["/api/v1/matches/demo"] = (200, b'{"status": "running", "stage_id": "melee", "stage_title": ""}')
    picture = await read_picture(url, "demo")
    assert picture is not None
    assert picture.stage_title == "melee"


@pytest.mark.parametrize(
    "answer",
    [(404, b'{"code": "unknown_match"}'), (200, b'{"half'), (200, b"[]"), (503, b"")],
)
async def test_what_says_nothing_of_the_match_is_none(daemon, answer):
    answers, url = daemon
    answers["/api/v1/matches/demo"] = answer
    assert await read_picture(url, "demo") is None


async def test_a_daemon_that_is_gone_is_none():
    assert await read_picture("http://127.0.0.1:1", "demo") is None
