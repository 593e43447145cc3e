"""Bad input: the catalogue over real sockets, then spoilt input for everything that reads what others wrote."""

import argparse
import secrets
import subprocess
import sys
from importlib.util import find_spec
from random import Random

import structlog
import trio

from scripts.proofs._report import begin, finish, say
from tests.hostile.catalogue import ROWS, play
from tests.hostile.fuzzing import TARGETS, Tally, spoilt, starts
from tests.hostile.scene import a_scene


async def catalogue() -> list[str]:
    """Every row of the catalogue; what was wrong."""
    async with a_scene() as scene:
        return [fault for each in ROWS if (fault := await play(scene, each)) is not None]


def coverage_guided(runs: int, seed: int) -> tuple[int, list[str]]:
    """Each target under atheris, in a process of its own: inputs tried, and the targets that failed."""
    tried, failed = 0, list[str]()
    for name in TARGETS:
        command = [sys.executable, "-m", "scripts.proofs._atheris", name, f"-runs={runs}", f"-seed={seed}"]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        tried += runs
        say(f"atheris {name}: {'ok' if done.returncode == 0 else done.stderr[-2000:]}")
        if done.returncode != 0:
            failed.append(name)
    return tried, failed


def main() -> None:
    """Prove it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=secrets.randbits(31))
    parser.add_argument("--inputs", type=int, default=200_000, help="spoilt inputs in all (default %(default)s)")
    parser.add_argument("--guided", type=int, default=20_000, help="runs of atheris for each target, if installed")
    chosen = parser.parse_args()
    begin("input", seed=chosen.seed)
    structlog.configure(processors=[], logger_factory=structlog.ReturnLoggerFactory())

    faults = trio.run(catalogue)
    for fault in faults:
        say(fault)
    say(f"catalogue: {len(ROWS) - len(faults)} of {len(ROWS)} rows answered as they should be")

    tally, chance, names = Tally(), Random(chosen.seed), list(TARGETS)
    for number in range(chosen.inputs):
        name = names[number % len(names)]
        data = chance.choice(starts(name)) if chance.random() < 0.95 else chance.randbytes(chance.randint(0, 200))
        tally.take(name, spoilt(chance, data))
    for fault in tally.crashes[:20] + tally.wrong_codes[:20]:
        say(fault)
    for word, count in sorted(tally.outcomes.items()):
        say(f"{count:8} {word}")

    guided, failed = 0, list[str]()
    if chosen.guided and find_spec("atheris") is not None:
        guided, failed = coverage_guided(chosen.guided, chosen.seed % 2**31 or 1)
    else:
        say("atheris is not installed or not wanted: no coverage-guided runs")
    crashes, wrong = len(tally.crashes) + len(failed), len(tally.wrong_codes) + len(faults)
    finish(
        "input",
        ok=not crashes and not wrong,
        seed=chosen.seed,
        rows=len(ROWS),
        inputs=len(ROWS) + tally.tried + guided,
        guided=guided,
        kinds_of_outcome=len(tally.outcomes),
        crashes=crashes,
        wrong_codes=wrong,
    )


if __name__ == "__main__":
    main()
