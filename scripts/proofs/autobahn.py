"""The WebSocket conformance cases of the Autobahn suite against the listener: none fails, every end is clean."""

import argparse
import collections
import tempfile
from pathlib import Path

import trio

from scripts.proofs._report import begin, finish, say
from tests.shell.conformance import CASES, SKIPPED, conform, kosoku


def main() -> None:
    """Prove it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3, help="how often (default %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="named for the record: the cases draw nothing")
    chosen = parser.parse_args()
    begin("autobahn", seed=chosen.seed)
    for cases, reason in SKIPPED.items():
        say(f"{cases} is left out: {reason}")
    if not kosoku.exists():
        say("the runner kosoku is not installed")
        finish("autobahn", ok=False, runs=0)
    bad: list[str] = []
    verdicts: collections.Counter[str] = collections.Counter()
    unclean = cases_run = 0
    for number in range(chosen.runs):
        with tempfile.TemporaryDirectory() as folder:
            found = trio.run(conform, Path(folder))
        cases_run += found.cases
        unclean += len(found.unclean)
        verdicts.update(found.verdicts)
        bad += [f"run {number + 1}, case {case}: {verdict}" for case, verdict in (found.failed | found.unclean).items()]
        bad += [f"run {number + 1}: {found.complaints}"] * bool(found.complaints)
        say(f"run {number + 1}: {dict(found.verdicts)}")
    for each in bad:
        say(each)
    finish(
        "autobahn",
        ok=not bad and cases_run == CASES * chosen.runs,
        seed=chosen.seed,
        runs=chosen.runs,
        cases=cases_run,
        failed=len(bad),
        unclean=unclean,
        verdicts=dict(verdicts),
    )


if __name__ == "__main__":
    main()
