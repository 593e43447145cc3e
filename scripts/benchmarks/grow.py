"""The daemon's CPU per hand at 30, 300 and 3,000 tables and the same hands a second: it must not grow with the field.

Three daemons, each with its own journal and its own number of tables on 4 sessions; they are driven in turn, in
alternating order, at one fixed rate. CPU is read from the system's account of the daemon's process.
"""

import time
from contextlib import ExitStack
from pathlib import Path

from scripts.benchmarks._lean import Loop, cpu_seconds, daemon
from scripts.benchmarks._report import finish, options, say, spread
from scripts.benchmarks.hands import SESSIONS, Dealer, open_tables

SIZES = (30, 300, 3000)
BAR = 1.2
STEP_S = 0.01


def cpu_per_hand(loop: Loop, dealers: list[Dealer], process: int, rate: int, seconds: float) -> float:
    """Drive at a fixed rate for so long; CPU microseconds of the daemon per hand."""
    start, used = time.perf_counter(), cpu_seconds(process)
    before, dealt = sum(dealer.scored for dealer in dealers), 0
    while (elapsed := time.perf_counter() - start) < seconds:
        wanted = int(elapsed * rate) - dealt
        share = -(-wanted // len(dealers))
        for dealer in dealers:
            dealt += dealer.deal(share)
        for owner in loop.ready(STEP_S):
            assert isinstance(owner, Dealer)
            owner.hear()
            owner.peer.flush()
        time.sleep(max(0.0, STEP_S - (time.perf_counter() - start) % STEP_S))
    used = cpu_seconds(process) - used
    return used / (sum(dealer.scored for dealer in dealers) - before) * 1e6


def main() -> None:
    """Run the benchmark."""
    args = options(__doc__ or "", seconds=4.0, rate=600)
    definition = Path(__file__).parent / "tables.toml"
    figures: dict[int, list[float]] = {size: [] for size in SIZES}
    loop = Loop()  # one for all: the daemons whose turn it is not still want their pings answered
    with ExitStack() as stack:
        driven: dict[int, tuple[list[Dealer], int]] = {}
        for size in SIZES:
            port, process = stack.enter_context(daemon(definition))
            dealers = open_tables(port, min(SESSIONS, size), size, "bench")
            for dealer in dealers:
                loop.add(dealer.peer.link, dealer)
            while sum(len(dealer.due) for dealer in dealers) < size // len(dealers) * len(dealers):
                for owner in loop.ready(0.1):
                    assert isinstance(owner, Dealer)
                    owner.hear()
            driven[size] = (dealers, process)
        for size in SIZES:
            cpu_per_hand(loop, *driven[size], rate=args.rate, seconds=1.0)
        for number in range(args.rounds):
            for size in SIZES if number % 2 else reversed(SIZES):
                figures[size].append(cpu_per_hand(loop, *driven[size], rate=args.rate, seconds=args.seconds))
            told = ", ".join(f"{size} tables {figures[size][-1]:.0f}" for size in SIZES)
            say(f"round {number + 1}: CPU us per hand: {told}")
    ratios = [most / least for least, most in zip(figures[SIZES[0]], figures[SIZES[-1]], strict=True)]
    result = spread(ratios)
    finish(
        "grow",
        ok=result["median"] <= BAR,
        ratio=result["median"],
        bar=f"at most {BAR}",
        parts={
            "spread": result,
            "hands_per_second": args.rate,
            "cpu_us_per_hand": {str(size): spread(values) for size, values in figures.items()},
        },
        file=args.json,
    )


if __name__ == "__main__":
    main()
