"""The acceptance vectors of the rule catalogue: what goes in and what must come out."""

import json
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

VECTORS = Path(__file__).with_name("vectors.jsonl")


@cache
def _vectors() -> dict[str, dict[str, Any]]:
    lines = VECTORS.read_text(encoding="utf-8").splitlines()
    # Decimals are read exactly: a Fraction, never a float.
    return {vector["id"]: vector for vector in (json.loads(line, parse_float=Fraction) for line in lines)}


def vector(name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """What a vector gives, and what it expects."""
    found = _vectors()[name]
    return found["in"], found["out"]
