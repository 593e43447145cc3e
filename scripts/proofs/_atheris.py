"""One target of the fuzzing under atheris: ``python -m scripts.proofs._atheris TARGET -runs=N``."""

import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["coordinator", "protocol"]):
    from tests.hostile.fuzzing import TARGETS, starts


def main() -> None:
    """Start from the good inputs of the target; what it raises ends the process."""
    name, *options = sys.argv[1:]
    target = TARGETS[name]
    with tempfile.TemporaryDirectory() as corpus:
        for number, data in enumerate(starts(name)):
            (Path(corpus) / str(number)).write_bytes(data)
        where = [f"-artifact_prefix={corpus}/", "-verbosity=0", "-max_len=4096"]
        atheris.Setup([sys.argv[0], *options, *where, corpus], lambda data: target(data))
        atheris.Fuzz()


if __name__ == "__main__":
    main()
