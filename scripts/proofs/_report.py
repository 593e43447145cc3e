"""How every proof reports: its seed first, progress on standard error, one line of JSON last, exit 1 when short."""

import json
import sys
from typing import Any, NoReturn


def begin(proof: str, **words: Any) -> None:
    """The first line: what is proven, from which seed."""
    print(f"{proof}: {' '.join(f'{name} {value}' for name, value in words.items())}", flush=True)


def say(text: str) -> None:
    """Progress and failures."""
    print(text, file=sys.stderr, flush=True)


def finish(proof: str, *, ok: bool, **figures: Any) -> NoReturn:
    """The last line; exits 1 when the proof falls short."""
    print(json.dumps({"proof": proof, "ok": ok, **figures}), flush=True)
    sys.exit(0 if ok else 1)
