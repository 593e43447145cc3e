"""Frozen classes of which some are made for every hand.

``attrs.frozen`` guards against assignment at run time, which makes every ``__init__`` three times as dear as plain
slots do. Nothing assigns to a command, an event or an effect once it is made, and mypy proves it: to mypy this
decorator is ``attrs.frozen``.
"""

from typing import TYPE_CHECKING

import attrs

__all__ = ["frozen"]

if TYPE_CHECKING:
    from attrs import frozen
else:
    frozen = attrs.define(unsafe_hash=True)
