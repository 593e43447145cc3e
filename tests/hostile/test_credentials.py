"""Who may come in, as what, and for whom."""

import logging
import os
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import trio
from click.testing import CliRunner

from coordinator.cli import cli
from coordinator.credentials import Credentials
from coordinator.errors import CredentialsRefused
from coordinator.shell.front_door import LOOK_AGAIN_S
from protocol import messages as m
from protocol.auth import HashedToken
from protocol.client import Director, LinkRefused, Lobby, RequestRefused, Spectator, TableServer, websocket_dial
from protocol.codec import handshake_frame
from tests.hostile.catalogue import prove
from tests.hostile.scene import a_scene, messages_in, word
from tests.shell.peers import BINARY, Ended, frame, opened
from tests.shell.premises import premises
from tests.shell.programs import report

TOKENS = {"srv-1": "one", "club": "two", "eyes": "three", "boss": "four", "judge": "five"}
ENTRIES = {
    "srv-1": 'roles = ["table"]',
    "club": 'roles = ["lobby", "spectator"]\nrealm = "club"',
    "eyes": 'roles = ["spectator"]',
    "boss": 'roles = ["director", "lobby"]\nmay_seed = true',
    "judge": 'roles = ["director"]\nrealm = "club"',
}


def write(file: Path, *identities: str) -> Path:
    """A credentials file with these entries."""
    entries = []
    for name in identities:
        hashed = HashedToken.of(TOKENS[name], iterations=2)
        entries.append(f'[[credential]]\nidentity = "{name}"\n{ENTRIES[name]}\ntoken = "{hashed}"\n')
    file.write_text("\n".join(entries), encoding="utf-8")
    return file


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write(tmp_path / "credentials.toml", *ENTRIES)


@asynccontextmanager
async def guarded(file: Path):
    async with premises(credentials=Credentials(file)) as house:
        yield house, f"ws://127.0.0.1:{house.port}/"


async def test_all_roles_of_the_sdk_prove_who_they_are(file, nursery):
    async with guarded(file) as (house, url):
        for peer in (
            TableServer(url, "srv-1", games=["dou_dizhu"], capacity=1, token="one"),
            Lobby(url, "club", token="two"),
            Spectator(url, "eyes", token="three"),
        ):
            await nursery.start(peer.run)
        assert {peer.identity for peer in house.office.peers if peer.conn is not None} == {"srv-1", "club", "eyes"}
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize(
    ("identity", "token", "code"),
    [("srv-1", "guess", "bad_token"), ("nobody", "one", "bad_token"), ("srv-1", None, "no_token")],
)
async def test_whoever_cannot_prove_it_is_told_and_stays_away(file, identity, token, code):
    async with guarded(file) as (house, url):
        with pytest.raises(LinkRefused) as caught:
            await TableServer(url, identity, games=["x"], capacity=1, token=token).run()
        assert caught.value.code == code
        assert len(house.office.peers) == 0


async def test_a_role_that_is_not_in_the_credential_is_refused(file):
    async with guarded(file) as (_, url):
        with pytest.raises(LinkRefused) as caught:
            await Lobby(url, "srv-1", token="one").run()
        assert caught.value.code == "not_allowed"


async def test_an_impostor_of_the_coordinator_is_noticed(nursery):
    """It cannot check a proof, so it lets everybody in: whoever has a token does not stay."""
    async with premises() as house:
        with pytest.raises(LinkRefused, match="proves nothing"):
            await Spectator(f"ws://127.0.0.1:{house.port}/", "eyes", token="three").run()


async def test_the_token_never_crosses_the_wire(file):
    """Everything that the peer says is a hello and a proof, and the token stands in neither."""
    said: list[bytes] = []

    class Ear:
        def __init__(self, channel):
            self._channel = channel
            self.receive, self.close, self.abort = channel.receive, channel.close, channel.abort

        async def send(self, payload):
            said.append(payload)
            await self._channel.send(payload)

    async with guarded(file) as (_, url):

        @asynccontextmanager
        async def dial():
            async with websocket_dial(url)() as channel:
                yield Ear(channel)

        async with trio.open_nursery() as nursery:
            spectator = Spectator(url, "eyes", token="three", dial=dial)
            await nursery.start(spectator.run)
            nursery.cancel_scope.cancel()
    assert len(said) >= 2
    assert not any(b"three" in payload for payload in said)


async def test_an_unknown_identity_is_challenged_like_a_known_one(file):
    """The same salt each time, also after a restart, so that nobody learns which identities there are."""
    salts = []
    for _ in range(2):
        async with guarded(file) as (house, _), opened(house.port) as peer:
            await peer.send(frame(BINARY, handshake_frame(m.Hello("nobody", ["table"], "life", nonce="00"))))
            item = await peer.frame()
            assert not isinstance(item, Ended)
            [challenge] = messages_in(item[1])
            salts.append((challenge.salt, challenge.iterations))
    assert salts[0] == salts[1]
    assert len(salts[0][0]) == 2 * len(HashedToken.of("x", iterations=1).salt)


def test_what_an_unknown_identity_is_challenged_with_does_not_move_with_the_file(file):
    known = Credentials(file)
    before = known.hashes("nobody")[0].salt
    write(file, "boss", "eyes")
    assert known.find("srv-1") is None, "the file was read again"
    assert known.hashes("nobody")[0].salt == before


async def test_a_lobby_with_a_realm_acts_for_nobody_else(file, nursery):
    async with guarded(file) as (_, url):
        club, boss = Lobby(url, "club", token="two"), Lobby(url, "boss", token="four")
        for lobby in (club, boss):
            await nursery.start(lobby.run)
        await boss.open_match("cup", "three")
        await club.register("cup", "club:ann", "Ann")
        refused = []
        for attempt in (
            lambda: club.register("cup", "ann", "Ann"),
            lambda: club.withdraw("cup", "other:bob"),
            lambda: club.start_match("cup"),
            lambda: club.open_match("mine", "one"),
            lambda: club.open_match("club:mine", "one", seed="7"),
        ):
            with pytest.raises(RequestRefused, match="not_allowed") as caught:
                await attempt()
            refused.append(caught.value.field)
        assert refused == ["player_id", "player_id", "match_id", "match_id", "seed"]
        await club.open_match("club:mine", "one")
        await boss.open_match("seeded", "one", seed="7")
        nursery.cancel_scope.cancel()


async def test_a_lobby_does_not_rule(file, nursery):
    """Neither by its word, nor by a role that its credential does not name."""
    async with guarded(file) as (house, url):
        club = Lobby(url, "club", token="two")
        await nursery.start(club.run)
        await club.open_match("club:mine", "one")
        await club.register("club:mine", "club:ann", "Ann")
        for attempt in (
            lambda: club.penalty("club:mine", "club:ann", -5),
            lambda: club.disqualify("club:mine", "club:ann"),
            lambda: club.rule("club:mine", "close"),
        ):
            with pytest.raises(RequestRefused, match="not_allowed") as caught:
                await attempt()
            assert caught.value.field == "type"
        assert house.desk("club:mine").state.entrants["club:ann"].score == 0
        nursery.cancel_scope.cancel()
    async with guarded(file) as (_, url):
        for peer in (Lobby(url, "club", token="two", director=True), Director(url, "club", token="two")):
            with pytest.raises(LinkRefused) as refused:
                await peer.run()
            assert refused.value.code == "not_allowed"


async def test_a_director_with_a_realm_rules_there_and_nowhere_else(file, nursery):
    async with guarded(file) as (house, url):
        boss, judge = Lobby(url, "boss", token="four", director=True), Director(url, "judge", token="five")
        for peer in (boss, judge):
            await nursery.start(peer.run)
        for match_id in ("club:cup", "cup"):
            await boss.open_match(match_id, "three")
            for player_id in ("club:ann", "bob"):
                await boss.register(match_id, player_id, player_id)
        await judge.penalty("club:cup", "club:ann", -5)
        await judge.penalty("cup", "club:ann", -5)
        refused = []
        for attempt in (lambda: judge.penalty("club:cup", "bob", -5), lambda: judge.reseat("cup")):
            with pytest.raises(RequestRefused, match="not_allowed") as caught:
                await attempt()
            refused.append(caught.value.field)
        assert refused == ["player_id", "match_id"]
        await boss.penalty("cup", "bob", -5)
        assert house.desk("cup").state.entrants["bob"].score == -5
        nursery.cancel_scope.cancel()


async def test_a_spectator_sends_nothing_that_counts(file):
    async with a_scene() as scene, scene.program("spectator") as eyes:
        for asked in (
            m.StartMatch("bystander", ref=1),
            m.OpenMatch("mine", "one", ref=1),
            m.Register("bystander", "p9", "Nine", ref=1),
            m.HandEnded("bystander", 1, 1, 1, 1, {"p1": 0, "p2": 0, "p3": 0}, ref=1),
            m.RoundAborted("bystander", 1, 1, "because", ref=1),
        ):
            assert word(await eyes.ask(asked)) == "not_allowed type"


async def test_a_table_server_reports_only_its_own_tables():
    async with a_scene() as scene, scene.table() as table, scene.program("table", "other") as other:
        told = table.server
        answer = await other.ask(report(table.seat, table.start, ref=1))
        assert word(answer) == "stale_epoch epoch"
        assert scene.house.desk(f"row-{scene.number}").state.status == "running"
        assert told.raw is not None


async def test_whoever_is_taken_out_of_the_file_is_out_at_the_next_hello(file):
    async with guarded(file) as (house, _), a_scene() as scene:
        scene.guarded = house
        assert await prove(scene, "srv-1", "one") == "welcome"
        write(file, "eyes")
        assert await prove(scene, "srv-1", "one") == "bad_token, close 4001"
        file.write_text("[[credential]\n")
        assert await prove(scene, "eyes", "three", role="spectator") == "welcome"


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace('"srv-1"', '"srv-2"'),
        lambda text: text.replace('roles = ["table"]', 'roles = ["spectator"]'),
        lambda text: text.replace(text.splitlines()[3], f'token = "{HashedToken.of("new", iterations=2)}"'),
    ],
)
async def test_whoever_is_taken_out_of_the_file_is_cut_while_connected(file, mock_clock, change):
    async with guarded(file) as (house, url), trio.open_nursery() as nursery:
        await nursery.start(Spectator(url, "eyes", token="three").run)
        server = TableServer(url, "srv-1", token="one", games=["g"], capacity=1)

        async def serve() -> None:
            with pytest.raises(LinkRefused) as refused:
                await server.run()
            assert refused.value.code == "bad_token"

        nursery.start_soon(serve)
        await house.until(lambda: house.office.peers.get("srv-1") is not None)
        file.write_text(change(file.read_text()))
        await house.pass_time(mock_clock, LOOK_AGAIN_S)
        house.door.batch_done()
        await house.until(lambda: house.peer("srv-1").conn is None)
        assert house.peer("eyes").conn is not None, "nobody else noticed"
        nursery.cancel_scope.cancel()


def test_a_bearer_is_checked_with_its_role(file):
    known = Credentials(file)
    assert known.known_bearer("boss:four", "director") is not None
    assert known.known_bearer("boss:guess", "director") is None
    assert known.known_bearer("eyes:three", "director") is None
    assert known.known_bearer("nobody:four", "director") is None
    assert known.known_bearer("", "director") is None


GOOD = str(HashedToken.of("x", iterations=1))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nonsense",
        "credential = 1",
        "[[credential]]",
        f'[[credential]]\nidentity = "a"\nroles = ["king"]\ntoken = "{GOOD}"',
        f'[[credential]]\nidentity = "a"\nroles = []\ntoken = "{GOOD}"',
        f'[[credential]]\nidentity = ""\nroles = ["table"]\ntoken = "{GOOD}"',
        f'[[credential]]\nidentity = "a"\nroles = ["table"]\ntoken = "{GOOD}"\nrealm = "a:b"',
        f'[[credential]]\nidentity = "a"\nroles = ["table"]\ntoken = "{GOOD}"\nmay_seed = 1',
        f'[[credential]]\nidentity = "a"\nroles = ["table"]\ntoken = "{GOOD}"\nother = 1',
        '[[credential]]\nidentity = "a"\nroles = ["table"]\ntoken = "hunter2"',
        f'[[credential]]\nidentity = "a"\nroles = ["table"]\ntoken = "{GOOD}"\n' * 2,
    ],
)
def test_a_file_with_a_mistake_is_refused_and_its_secrets_are_not_repeated(tmp_path, text):
    file = tmp_path / "credentials.toml"
    file.write_text(text)
    with pytest.raises(CredentialsRefused) as caught:
        Credentials(file)
    assert "hunter2" not in str(caught.value)
    assert "SCRAM-SHA-256$1" not in str(caught.value)


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(CredentialsRefused):
        Credentials(tmp_path / "nothing.toml")


async def test_no_secret_is_ever_logged(file, caplog, capsys):
    """Neither tokens nor what is stored of them, whatever goes wrong."""
    caplog.set_level(logging.DEBUG)
    hashed = [entry.hashes[0] for entry in Credentials(file)]
    async with guarded(file) as (_, url):
        with pytest.raises(LinkRefused) as caught:
            await Spectator(url, "eyes", token="a-wrong-token").run()
        async with trio.open_nursery() as nursery:
            await nursery.start(Spectator(url, "eyes", token="three").run)
            nursery.cancel_scope.cancel()
    told = caplog.text + "".join(capsys.readouterr()) + str(caught.value)
    assert "token refused" in told
    for secret in ["a-wrong-token", "three", *map(str, hashed), *[each.stored_key.hex() for each in hashed]]:
        assert secret not in told


def test_the_file_and_the_token_are_made_for_their_owner_alone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = CliRunner().invoke(
        cli, ["credentials", "make", "srv-1", "--role", "table", "--token-file", "srv-1.token"], standalone_mode=False
    )
    assert made.exception is None
    assert made.output == ""
    token = (tmp_path / "srv-1.token").read_text().strip()
    [entry] = Credentials(tmp_path / "credentials.toml")
    assert entry.hashes[0].knows(token)
    assert token not in (tmp_path / "credentials.toml").read_text()
    for name in ("srv-1.token", "credentials.toml"):
        assert os.stat(tmp_path / name).st_mode & 0o077 == 0
    shown = CliRunner().invoke(cli, ["credentials", "check"], standalone_mode=False)
    assert shown.output == "srv-1\ttable\n"
    again = CliRunner().invoke(cli, ["credentials", "make", "srv-1", "--role", "table"], standalone_mode=False)
    assert isinstance(again.exception, CredentialsRefused)
    assert "'srv-1' is in it already" in str(again.exception)
