"""The listener against the cases of the Autobahn suite: no case fails, every connection ends cleanly."""

import collections
import json
import sys
from pathlib import Path

import pytest
import trio

from tests.shell.peers import GUARD_S

kosoku = Path(sys.executable).with_name("kosoku")

pytestmark = [
    pytest.mark.trio,
    pytest.mark.process,
    pytest.mark.skipif(not kosoku.exists(), reason="the conformance runner kosoku is not installed"),
]

SKIPPED = ("9.*", "12.*", "13.*")
"""Large messages, which our limits refuse on purpose, and compression, which we do not have."""


async def test_conformance(tmp_path):
    server = [sys.executable, str(Path(__file__).with_name("autobahn_echo.py"))]
    with trio.fail_after(5 * GUARD_S):
        async with trio.open_nursery() as nursery:
            start = await trio.lowlevel.open_process(
                server, stdout=-1, stderr=-1, env={"PYTHONPATH": str(Path(__file__).parents[2])}
            )
            assert start.stdout is not None
            assert start.stderr is not None
            async with start.stdout, start.stderr:
                port = int(await start.stdout.receive_some())
                command = [str(kosoku), "-m", "fuzzingclient", "-p", "4", "-o", str(tmp_path)]
                for cases in SKIPPED:
                    command += ["-x", cases]
                command.append(f"127.0.0.1:{port}")
                await trio.run_process(command, capture_stdout=True, capture_stderr=True, check=False)
                start.terminate()
                await start.wait()
                complaints = b"".join([chunk async for chunk in start.stderr])
            nursery.cancel_scope.cancel()
    [report] = json.loads((tmp_path / "index.json").read_text()).values()
    assert len(report) == 247
    good = {"OK", "NON-STRICT", "INFORMATIONAL"}
    bad = {
        case: (verdict["behavior"], verdict["behaviorClose"])
        for case, verdict in report.items()
        if verdict["behavior"] not in good or verdict["behaviorClose"] not in good - {"NON-STRICT"}
    }
    assert bad == {}
    assert collections.Counter(verdict["behavior"] for verdict in report.values())["OK"] >= 230
    assert complaints == b""
