"""The one source of chance: a seeded generator small enough to be part of a match's state.

The whole state is `(key, counter)`. The algorithm is written out here so that a program in any language draws
alike and anybody can check a draw afterwards:

* Block `c` is the 64-byte BLAKE2b digest of `c` as 8 little-endian bytes, keyed with the bytes of `key`. It
  is read as eight unsigned 64-bit little-endian words.
* Every call starts at the first word of block `counter` and takes words in order. Afterwards `counter` is the
  number of the first block the call did not open; words left over in an opened block are never used.
* A number below `n` is `word % n`. A word at or above the largest multiple of `n` within 2**64 is skipped and
  the next one taken, so that no number is likelier than another.
* `shuffle` walks from the last position down to 1 and swaps position `i` with a number below `i + 1`.
  `choose` walks positions `i` = 0 .. k-1 and swaps position `i` with `i` + a number below `len(items) - i`.
* `derive` makes the key of another stream: the 32-byte BLAKE2b digest of the UTF-8 label under the same key.
  BLAKE2b binds the digest length, so a derived key shares nothing with a block.
"""

import struct
from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import Any, TypeVar

import attrs

T = TypeVar("T")

_WORD_SPAN = 2**64
_BLOCK_BYTES = 64
_KEY_BYTES = 32
_WORDS = struct.Struct("<8Q")


def _check_key(_draw: object, _field: "attrs.Attribute[Any]", key: str) -> None:
    try:
        length = len(bytes.fromhex(key))
    except ValueError:
        raise ValueError(f"key: expected hexadecimal digits, got {key!r}") from None
    if not 1 <= length <= _BLOCK_BYTES:
        raise ValueError(f"key: expected 1 to {_BLOCK_BYTES} bytes, got {length}")


def _check_counter(_draw: object, _field: "attrs.Attribute[Any]", counter: int) -> None:
    if not 0 <= counter < _WORD_SPAN:
        raise ValueError(f"counter: expected 0 to 2**64 - 1, got {counter}")


@attrs.define(slots=True)
class Draw:
    """A stream of fair draws; equal `(key, counter)` always continues alike.

    key: the seed as hexadecimal digits, 1 to 64 bytes; 32 are advised.
    counter: the next block of the stream, raised by every draw.

    Raises ValueError for a key or counter outside these limits.
    """

    key: str = attrs.field(validator=_check_key)
    counter: int = attrs.field(default=0, validator=_check_counter)

    @staticmethod
    def derive(key: str, label: str) -> "Draw":
        """Return the stream that belongs to `label` under `key`; other labels give independent streams."""
        digest = blake2b(label.encode(), key=bytes.fromhex(key), digest_size=_KEY_BYTES)
        return Draw(digest.hexdigest())

    def below(self, n: int) -> int:
        """Return a fair number from 0 to `n - 1`.

        Raises ValueError unless 1 <= n <= 2**64.
        """
        if not 1 <= n <= _WORD_SPAN:
            raise ValueError(f"n: expected 1 to 2**64, got {n}")
        words = self._words()
        return _fair(next(words), n, words)

    def shuffle(self, items: Sequence[T]) -> list[T]:
        """Return the items in a fair random order; `items` itself is left alone."""
        shuffled = list(items)
        words = self._words()
        always_fair = _WORD_SPAN - len(shuffled)
        for last, word in zip(range(len(shuffled) - 1, 0, -1), words, strict=False):
            n = last + 1
            # Almost every word lies below every possible limit; only the others need the exact one.
            other = word % n if word < always_fair else _fair(word, n, words)
            shuffled[last], shuffled[other] = shuffled[other], shuffled[last]
        return shuffled

    def choose(self, items: Sequence[T], k: int) -> list[T]:
        """Return `k` different positions' items, in the order drawn.

        Raises ValueError unless 0 <= k <= len(items).
        """
        if not 0 <= k <= len(items):
            raise ValueError(f"k: expected 0 to {len(items)}, got {k}")
        pool = list(items)
        words = self._words()
        for first, word in zip(range(k), words, strict=False):
            other = first + _fair(word, len(pool) - first, words)
            pool[first], pool[other] = pool[other], pool[first]
        return pool[:k]

    def _words(self) -> Iterator[int]:
        keyed = blake2b(key=bytes.fromhex(self.key), digest_size=_BLOCK_BYTES)
        while True:
            block = keyed.copy()
            block.update(self.counter.to_bytes(8, "little"))
            self.counter += 1
            yield from _WORDS.unpack(block.digest())


def _fair(word: int, n: int, words: Iterator[int]) -> int:
    limit = _WORD_SPAN - _WORD_SPAN % n
    while word >= limit:
        word = next(words)
    return word % n
