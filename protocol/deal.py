"""From a published secret to the cards: formulas anybody can follow with SHA-256 alone, in any language.

Three steps, all texts in UTF-8, all numbers in decimal:

1. *Commitment.* When a match opens the coordinator draws a secret and publishes
   ``hex(SHA-256("commitment" 0x1F secret))``. After the match it publishes the secret.
2. *Deal.* The deal of a hand is ``hex(SHA-256("deal" 0x1F secret 0x1F match_id 0x1F board 0x1F hand_no))``,
   64 characters. ``board`` is ``t`` and the number of the table, such as ``t7`` (``t7r1`` when the
   hand was interrupted and dealt afresh once, where the stage says so), or the name of the board
   where all tables play the same deal, such as ``boards/b13`` in the stage ``boards``. The byte 0x1F cannot
   stand in any of the parts, so no two different hands share their words.
3. *Deck.* The 32 bytes of the deal are the key of an endless row of 32-bit numbers: block ``i`` (counted from 0) is
   ``SHA-256(key || i as 8 bytes, big end first)``, and each block is eight numbers of 4 bytes, big end first.

   ``below(n)`` takes the next number ``w`` until ``w < 2**32 - 2**32 mod n`` and gives ``w mod n``: every
   value is exactly as likely as any other. A deck of ``size`` cards is 0, 1, ... ``size - 1`` shuffled by
   Fisher and Yates: for ``i`` from ``size - 1`` down to 1, swap the cards at ``i`` and at ``below(i + 1)``.
"""

import hashlib
import re
import struct
from typing import Final

_WORDS: Final = 1 << 32
_SEPARATOR: Final = "\x1f"
_DEAL: Final = re.compile(r"[0-9a-f]{64}")


def commitment(secret: str) -> str:
    """What is published about ``secret`` before the first deal: 64 hex characters."""
    return hashlib.sha256(_SEPARATOR.join(("commitment", secret)).encode()).hexdigest()


def deal_of(secret: str, match_id: str, board: str, hand_no: int) -> str:
    """The deal of one hand, 64 hex characters. Raises ValueError when a part holds the separator."""
    parts = ("deal", secret, match_id, board, str(hand_no))
    if any(_SEPARATOR in part for part in parts):
        raise ValueError("no part of a deal may hold the character U+001F")
    return hashlib.sha256(_SEPARATOR.join(parts).encode()).hexdigest()


class DealStream:
    """The chance of one hand, for games that draw it step by step. Raises ValueError for what is no deal."""

    __slots__ = ("_block_no", "_key", "_words")

    def __init__(self, deal: str) -> None:
        if not _DEAL.fullmatch(deal):
            raise ValueError("a deal is 64 hex characters in lower case")
        self._key = bytes.fromhex(deal)
        self._block_no = 0
        self._words: list[int] = []

    def below(self, n: int) -> int:
        """The next number of 0 .. ``n - 1``; ``n`` from 1 to 2**32."""
        if not 1 <= n <= _WORDS:
            raise ValueError("the bound must be 1 to 2**32")
        fair = _WORDS - _WORDS % n
        while True:
            word = self._word()
            if word < fair:
                return word % n

    def _word(self) -> int:
        if not self._words:
            block = hashlib.sha256(self._key + self._block_no.to_bytes(8, "big")).digest()
            self._block_no += 1
            self._words = list(struct.unpack(">8I", block))[::-1]
        return self._words.pop()


def expand(deal: str, size: int) -> list[int]:
    """The shuffled deck of this deal: the numbers 0 .. ``size - 1``, top card first."""
    if size < 0:
        raise ValueError("a deck has no negative size")
    stream = DealStream(deal)
    deck = list(range(size))
    for i in range(size - 1, 0, -1):
        j = stream.below(i + 1)
        deck[i], deck[j] = deck[j], deck[i]
    return deck
