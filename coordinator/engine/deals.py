"""Where deals come from: one secret per match, hashed at the start and revealed at the end.

The deal of a hand depends on the secret, the match, the table or board and the hand's number, and not on the attempt,
so that an interrupted hand is repeated with the same cards (R-RC-02). The formulas are those that ``protocol.deal``
publishes for anybody who wants to verify; they are written out here because the rules know nothing of the wire.
"""

from hashlib import sha256

_SEPARATOR = b"\x1f"


def commitment(secret: str) -> str:
    """The hash of a match's secret, published before the first deal. 64 hexadecimal digits."""
    return sha256(b"commitment" + _SEPARATOR + secret.encode()).hexdigest()


def deal_of(secret: str, match_id: str, board: str, hand_no: int) -> str:
    """The deal of one hand as 64 hexadecimal digits: the seed its deck is shuffled by."""
    return sha256(f"deal\x1f{secret}\x1f{match_id}\x1f{board}\x1f{hand_no}".encode()).hexdigest()


def table_name(table_id: int, redeals: int = 0) -> str:
    """What a deal depends on where tables deal for themselves: the table, and which fresh deal of the hand it is."""
    return f"t{table_id}r{redeals}" if redeals else f"t{table_id}"


def draw_key(seed: str) -> str:
    """The key of a match's generator (:class:`coordinator.engine.draw.Draw`) from the seed a person may choose."""
    return sha256(b"draw" + _SEPARATOR + seed.encode()).hexdigest()
