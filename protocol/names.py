"""Names that people read: one rule that makes a display name safe to show, or refuses it."""

import unicodedata
from typing import Final

from protocol.errors import WireError

NAME_LENGTH_MAX: Final = 64
"""Longest name, in code points after normalisation."""

MARKS_MAX: Final = 8
"""Most marks on one letter, which is more than any script puts there. A pile of them covers the lines around."""

_MARKS: Final = frozenset({"Mn", "Mc", "Me"})
_HIDDEN_CATEGORIES: Final = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})
# Letters and marks that Unicode calls visible but that draw nothing, so two names could look the same.
_BLANK: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0")


def clean_name(name: str, longest: int = NAME_LENGTH_MAX) -> str:
    """The name as it is kept and shown: NFKC, trimmed, inner spaces single.

    Raises :class:`WireError` ``name_refused`` for a name that is empty, longer than ``longest`` characters, or holds
    control, directional, invisible, private or unassigned characters, or piles of marks. The identity of a player is
    never the name.
    """
    # Normalising may lengthen a text eighteen times: look at the length before and after.
    if len(name) > 4 * NAME_LENGTH_MAX:
        raise _refused("the name is too long", longest)
    normal = unicodedata.normalize("NFKC", name)
    for character in normal:
        if (
            unicodedata.category(character) in _HIDDEN_CATEGORIES
            or character in _BLANK
            or "\ufe00" <= character <= "\ufe0f"
            or "\U000e0100" <= character <= "\U000e01ef"
        ):
            raise _refused(f"the name holds U+{ord(character):04X}, which cannot be shown", longest)
    cleaned = " ".join(normal.split())
    if not cleaned:
        raise _refused("the name is empty", longest)
    if len(cleaned) > longest:
        raise _refused("the name is too long", longest)
    piled = MARKS_MAX  # before the first character there is nothing that could carry a mark
    for character in cleaned:
        piled = piled + 1 if unicodedata.category(character) in _MARKS else 0
        if piled > MARKS_MAX:
            raise _refused("the name has marks that no letter carries", longest)
    return cleaned


def _refused(why: str, longest: int) -> WireError:
    return WireError("name_refused", why, field="name", expected=f"1 to {longest} visible characters")
