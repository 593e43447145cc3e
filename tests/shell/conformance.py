"""The conformance cases of the Autobahn suite, run against an echo server on our listener."""

import collections
import json
import sys
from pathlib import Path
from typing import Final

import attrs
import trio

LIMIT_S: Final = 100
CASES: Final = 247
SKIPPED: Final = {
    "9.*": "large messages, which our limits refuse on purpose",
    "12.*": "compression, which we do not have",
    "13.*": "compression, which we do not have",
}
GOOD: Final = {"OK", "NON-STRICT", "INFORMATIONAL"}

kosoku: Final = Path(sys.executable).with_name("kosoku")
"""The runner of the cases."""


@attrs.frozen
class Conformance:
    """What the cases found. ``failed`` and ``unclean``: verdicts that are not good, by case."""

    cases: int
    verdicts: collections.Counter[str]
    failed: dict[str, str]
    unclean: dict[str, str]
    complaints: str


async def conform(folder: Path) -> Conformance:
    """Run all cases but the skipped ones; reports go to `folder`."""
    server = [sys.executable, str(Path(__file__).with_name("autobahn_echo.py"))]
    with trio.fail_after(LIMIT_S):
        async with trio.open_nursery() as nursery:
            start = await trio.lowlevel.open_process(
                server, stdout=-1, stderr=-1, env={"PYTHONPATH": str(Path(__file__).parents[2])}
            )
            assert start.stdout is not None
            assert start.stderr is not None
            async with start.stdout, start.stderr:
                port = int(await start.stdout.receive_some())
                command = [str(kosoku), "-m", "fuzzingclient", "-p", "4", "-o", str(folder)]
                for cases in SKIPPED:
                    command += ["-x", cases]
                command.append(f"127.0.0.1:{port}")
                await trio.run_process(command, capture_stdout=True, capture_stderr=True, check=False)
                start.terminate()
                await start.wait()
                complaints = b"".join([chunk async for chunk in start.stderr])
            nursery.cancel_scope.cancel()
    [report] = json.loads((folder / "index.json").read_text()).values()
    return Conformance(
        len(report),
        collections.Counter(verdict["behavior"] for verdict in report.values()),
        {case: verdict["behavior"] for case, verdict in report.items() if verdict["behavior"] not in GOOD},
        {
            case: f"close {verdict['behaviorClose']}"
            for case, verdict in report.items()
            if verdict["behaviorClose"] not in GOOD - {"NON-STRICT"}
        },
        complaints.decode(errors="replace"),
    )
