"""How every benchmark reports: a line per round on standard error, one line of JSON last on standard output."""

import argparse
import json
import sys
from pathlib import Path
from statistics import median, quantiles
from typing import Any


def options(description: str, **more: Any) -> argparse.Namespace:
    """The common options, and ``--rounds``."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--json", type=Path, help="also write the last line to this file")
    parser.add_argument(
        "--rounds", type=int, default=more.pop("rounds", 5), help="alternating rounds (default %(default)s)"
    )
    for name, default in more.items():
        parser.add_argument(
            f"--{name.replace('_', '-')}", type=type(default), default=default, help="default %(default)s"
        )
    return parser.parse_args()


def spread(values: list[float]) -> dict[str, float]:
    """Median and middle half."""
    low, _, high = quantiles(values, n=4, method="inclusive") if len(values) > 1 else (values[0],) * 3
    return {"median": round(median(values), 4), "q1": round(low, 4), "q3": round(high, 4)}


def say(text: str) -> None:
    """Progress."""
    print(text, file=sys.stderr, flush=True)


def finish(name: str, *, ok: bool, ratio: float, bar: str, parts: dict[str, Any], file: Path | None) -> None:
    """The last line; exits 1 when the bar is missed."""
    line = json.dumps({"bench": name, "ok": ok, "ratio": round(ratio, 3), "bar": bar, **parts})
    print(line, flush=True)
    if file is not None:
        file.write_text(line + "\n")
    sys.exit(0 if ok else 1)
