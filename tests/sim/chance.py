"""All chance of a run, from one seed: named streams, so that what one part draws never moves what another draws."""

import random


class Chance:
    """Streams of chance by name. The same seed and name give the same stream on every machine."""

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def stream(self, *name: object) -> random.Random:
        """A fresh stream of this name, at its beginning."""
        return random.Random(f"{self.seed}/{'/'.join(map(str, name))}")
