"""A daemon with credentials and a certificate: as an operator starts it."""

import json
import ssl
from functools import partial
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
import trio
import trustme

from protocol.client import LinkRefused, Spectator
from tests.e2e.processes import GUARD_S, Process, coordinator

pytestmark = pytest.mark.process


def serve_words(tmp_path: Path, *more: str, listen: str = "127.0.0.1:0") -> list[str]:
    journal = f"sqlite:///{tmp_path}/journal.db"
    return ["serve", "--listen", listen, "--http", "127.0.0.1:0", "--journal", journal, *more]


@pytest.mark.parametrize("where", ["0.0.0.0:0", "[::]:0", "example.org:0", "192.0.2.1:0"])
def test_off_the_loopback_nothing_starts_without_credentials(tmp_path, where):
    ended = coordinator(*serve_words(tmp_path, listen=where), cwd=tmp_path)
    assert ended.returncode == 3
    assert "[credentials_missing]" in ended.stderr
    assert not (tmp_path / "journal.db").exists()


def test_credentials_that_cannot_be_read_stop_the_start(tmp_path):
    (tmp_path / "credentials.toml").write_text('[[credential]]\ntoken = "hunter2"\n')
    ended = coordinator(*serve_words(tmp_path, "--credentials", "credentials.toml"), cwd=tmp_path)
    assert ended.returncode == 3
    assert "[credentials_refused]" in ended.stderr
    assert "hunter2" not in ended.stderr


def test_a_key_without_a_certificate_stops_the_start(tmp_path):
    (tmp_path / "c.toml").write_text('[tls]\nkey = "key.pem"\n')
    ended = coordinator(*serve_words(tmp_path, "--config", "c.toml"), cwd=tmp_path)
    assert ended.returncode == 3
    assert "[tls_refused]" in ended.stderr


async def test_a_daemon_with_credentials_and_a_certificate(tmp_path):
    authority = trustme.CA(key_type=trustme.KeyType.ECDSA)
    authority.issue_cert("127.0.0.1").private_key_and_cert_chain_pem.write_to_path(tmp_path / "ours.pem")
    trusting = ssl.create_default_context()
    authority.configure_trust(trusting)
    for identity, role in (("eyes", "spectator"), ("ada", "director")):
        words = ["credentials", "make", identity, "--role", role, "--token-file", f"{identity}.token"]
        assert coordinator(*words, cwd=tmp_path).returncode == 0
    eyes, ada = ((tmp_path / f"{name}.token").read_text().strip() for name in ("eyes", "ada"))
    (tmp_path / "c.toml").write_text('credentials = "credentials.toml"\n[tls]\ncertificate = "ours.pem"\n')
    ready = tmp_path / "ready.json"
    words = serve_words(tmp_path, "--config", "c.toml", "--ready-file", str(ready))
    daemon = Process("daemon", ["-m", "coordinator"], words, tmp_path)
    try:
        with trio.fail_after(GUARD_S):
            while not ready.exists():
                assert daemon.popen.poll() is None, daemon.err.read_text()
                await trio.lowlevel.checkpoint()
            where = json.loads(ready.read_text())
            assert where["http"].startswith("https://127.0.0.1:")
            url = f"wss://{where['listen']}/"
            async with trio.open_nursery() as nursery:
                await nursery.start(Spectator(url, "eyes", token=eyes, tls=trusting).run)
                nursery.cancel_scope.cancel()
            with pytest.raises(LinkRefused):
                await Spectator(url, "eyes", token=ada, tls=trusting).run()
            ask = partial(urlopen, timeout=GUARD_S, context=trusting)
            with await trio.to_thread.run_sync(ask, f"{where['http']}/healthz") as answer:
                assert answer.status == 200
            for bearer, status in ((f"eyes:{eyes}", 401), (f"ada:{ada}", 405)):
                asked = Request(f"{where['http']}/api/v1/status", method="POST", data=b"{}")
                asked.add_header("Authorization", f"Bearer {bearer}")
                with pytest.raises(HTTPError) as caught:
                    await trio.to_thread.run_sync(ask, asked)
                with caught.value as refused:
                    assert refused.code == status
    finally:
        daemon.popen.terminate()
        daemon.popen.wait(GUARD_S)
    said = daemon.err.read_text()
    assert eyes not in said
    assert ada not in said
