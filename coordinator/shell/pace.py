"""How often a peer may do something: a bucket that fills at a steady pace and is emptied by what the peer does."""

import attrs


@attrs.define
class Bucket:
    """Room for ``most`` at once, and ``per_s`` more each second. Full to begin with."""

    per_s: float
    most: float
    _left: float = attrs.field(init=False)
    _at: float = attrs.field(init=False, default=0.0)

    def __attrs_post_init__(self) -> None:
        self._left = self.most

    def take(self, now: float, amount: float = 1.0) -> bool:
        """Whether there was room for ``amount``; if not, nothing is taken. ``now`` in seconds, never falling."""
        left = self._left + (now - self._at) * self.per_s
        if left > self.most:
            left = self.most
        self._at = now
        if left < amount:
            self._left = left
            return False
        self._left = left - amount
        return True


def per_second(rate: float) -> Bucket:
    """A bucket for a steady ``rate`` a second, and twice as much in a burst."""
    return Bucket(rate, 2.0 * rate)


def per_minute(count: float) -> Bucket:
    """A bucket for ``count`` a minute, all of them at once if need be."""
    return Bucket(count / 60.0, count)
