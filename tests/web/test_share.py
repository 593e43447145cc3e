"""Looking takes its share of the daemon's time and no more."""

import pytest
import trio
from starlette.responses import PlainTextResponse
from starlette.types import Message, Receive, Scope, Send
from trio.testing import MockClock, wait_all_tasks_blocked

from coordinator.web.documents import Pages
from coordinator.web.problems import Refusals
from coordinator.web.share import BURST_S, PLACES, WAIT_S, Rationed, Share

BUSY = PlainTextResponse("busy", 503)


async def used(seconds: float) -> Share:
    """A quarter of the time, of which so much was used."""
    share = Share(0.25)
    assert await share.turn()
    share.done(seconds)
    return share


async def test_what_was_overdrawn_is_waited_for(autojump_clock: MockClock) -> None:
    share = await used(BURST_S + 0.5)
    began = trio.current_time()
    assert await share.turn()
    assert trio.current_time() - began == 2.0
    assert await share.turn()
    assert trio.current_time() - began == 2.0


async def test_a_rest_is_worth_so_much_and_no_more(autojump_clock: MockClock) -> None:
    share = await used(BURST_S)
    autojump_clock.jump(3600)
    assert await share.turn()
    share.done(BURST_S + 0.25)
    began = trio.current_time()
    assert await share.turn()
    assert trio.current_time() - began == 1.0


async def test_one_dear_answer_is_not_paid_for_for_ever(autojump_clock: MockClock) -> None:
    share = await used(3600)
    began = trio.current_time()
    assert await share.turn()
    assert trio.current_time() - began == 4.0


async def test_whoever_asks_why_again_and_again_is_answered(autojump_clock: MockClock) -> None:
    """A person looks at one player after another; each answer takes some seconds of the other process."""
    statuses: list[int] = []

    async def slow(scope: Scope, receive: Receive, send: Send) -> None:
        autojump_clock.jump(3)  # stands for the other process
        await PlainTextResponse("because")(scope, receive, send)

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    site = Rationed(slow, 0.25, BUSY)
    for number in range(5):
        path = f"/matches/cup/why/p{number}"
        await site({"type": "http", "path": path, "method": "GET", "headers": []}, trio.sleep_forever, send)
    assert statuses == [200] * 5


@pytest.mark.parametrize(
    ("path", "accept", "kind"),
    [
        ("/matches/cup", b"text/html,*/*", b"text/html; charset=utf-8"),
        ("/api/v1/status", b"text/html,*/*", b"application/problem+json"),
        ("/matches/cup.json", b"application/json", b"application/problem+json"),
    ],
)
async def test_whoever_is_refused_for_lack_of_time_reads_it_in_the_words_asked_for(
    path: str, accept: bytes, kind: bytes
) -> None:
    said: list[Message] = []

    async def send(message: Message) -> None:
        said.append(message)

    scope = {"type": "http", "path": path, "method": "GET", "headers": [(b"accept", accept)], "query_string": b""}
    busy = Refusals(Pages()).busy()
    for _ in range(2):
        await busy(scope, trio.sleep_forever, send)
    head, body, *again = said
    fields = dict(head["headers"])
    assert (head["status"], fields[b"content-type"], fields[b"retry-after"]) == (503, kind, b"5")
    assert b"Ask again in a few seconds." in body["body"]
    assert again == [head, body]


async def test_so_many_answers_are_made_at_a_time(autojump_clock: MockClock) -> None:
    """Some wait for the journal: a flood of those must not keep all its readers busy."""
    share = Share(0.25)
    for _ in range(PLACES):
        assert await share.turn()
    assert not await share.turn()
    share.done(0)
    assert await share.turn()


async def test_an_answer_that_fails_gives_its_place_back() -> None:
    async def fails(scope: Scope, receive: Receive, send: Send) -> None:
        raise LookupError("nothing")

    async def hear(message: Message) -> None:
        raise AssertionError("nothing is said")

    site = Rationed(fails, 0.25, BUSY)
    for _ in range(PLACES + 1):
        with pytest.raises(LookupError, match="nothing"):
            await site({"type": "http", "path": "/", "method": "GET", "headers": []}, trio.sleep_forever, hear)


async def test_a_flood_takes_its_share_and_health_is_answered(mock_clock: MockClock) -> None:
    """Answers of half a second each, asked by a hundred at once: a quarter of the time goes to them."""
    made: list[float] = []

    async def dear(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] == "/":
            made.append(trio.current_time())
            mock_clock.jump(0.5)  # stands for work
        await PlainTextResponse("done")(scope, receive, send)

    site, statuses = Rationed(dear, 0.25, BUSY), []

    async def ask(path: str) -> None:
        async def send(message: Message) -> None:
            if message["type"] == "http.response.start":
                statuses.append((path, message["status"]))

        await site({"type": "http", "path": path, "method": "GET", "headers": []}, trio.sleep_forever, send)

    async with trio.open_nursery() as nursery:
        for _ in range(100):
            nursery.start_soon(ask, "/")
        await wait_all_tasks_blocked()
        began = trio.current_time()
        await ask("/healthz")
        assert trio.current_time() == began
        for _ in range(int(40 * WAIT_S)):
            mock_clock.jump(0.1)
            await wait_all_tasks_blocked()
        assert statuses.count(("/", 503)) == 100 - len(made)
    for number in range(20):
        nearby = [at for at in made if number <= at < number + 4]
        assert len(nearby) * 0.5 <= BURST_S + 4 * 0.25 + 0.5


@pytest.mark.parametrize("path", ["/matches/cup/why/p1", "/api/v1/matches/cup/players/p1/why"])
async def test_what_another_process_answers_holds_up_no_page(autojump_clock: MockClock, path: str) -> None:
    async def slow(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] == path:
            await trio.sleep_forever()
        await PlainTextResponse("done")(scope, receive, send)

    async def hear(message: Message) -> None:
        pass

    site = Rationed(slow, 0.25, BUSY)

    async def ask(path: str) -> None:
        await site({"type": "http", "path": path, "method": "GET", "headers": []}, trio.sleep_forever, hear)

    async with trio.open_nursery() as nursery:
        for _ in range(2 * PLACES):
            nursery.start_soon(ask, path)
        await wait_all_tasks_blocked()
        began = trio.current_time()
        await ask("/")
        assert trio.current_time() == began
        nursery.cancel_scope.cancel()
