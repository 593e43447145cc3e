"""Planted faults: bugs of the kind people make, put into the running product; the simulator must notice each."""

import argparse
import time

from scripts.proofs._report import begin, finish, say
from tests.sim.plan import draw_plan
from tests.sim.planted import PLANTED
from tests.sim.world import play


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=100, help="runs within which each must be noticed (%(default)s)")
    parser.add_argument("--first", type=int, default=0, help="the first seed (%(default)s)")
    parser.add_argument("--only", action="append", choices=list(PLANTED), help="this fault; may be given again")
    options = parser.parse_args()
    begin("faults", seed=options.first, seeds=options.seeds)
    began, noticed, by = time.perf_counter(), {}, {}
    names = options.only or list(PLANTED)
    for name in names:
        for seed in range(options.first, options.first + options.seeds):
            with PLANTED[name]():
                verdict = play(draw_plan(seed))
            if verdict.violation is not None:
                noticed[name], by[name] = seed, verdict.violation.invariant
                break
        say(f"{name}: " + (f"seed {noticed[name]}, {by[name]}" if name in noticed else "not noticed"))
    finish(
        "faults",
        ok=len(noticed) == len(names),
        planted=len(names),
        noticed=len(noticed),
        missed=[name for name in names if name not in noticed],
        most_seeds=max(noticed.values(), default=0) - options.first + 1,
        wall_s=round(time.perf_counter() - began, 1),
    )


if __name__ == "__main__":
    main()
