"""What the SDK raises."""


class LinkEnded(Exception):
    """The link to the coordinator is over for good: :meth:`run` has ended, or was never going to succeed."""


class Replaced(LinkEnded):
    """Another process said hello under this identity. The newest one wins; this one must not dial again."""


class DialRefused(LinkEnded):
    """What answers at this address is no coordinator's port for programs, or the address is none."""


class LinkRefused(LinkEnded):
    """The coordinator will not have this peer. ``code`` is a key of :data:`protocol.errors.CODES`."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message


class RequestRefused(Exception):
    """The coordinator said no to one request; nothing was changed.

    ``code`` is a key of :data:`protocol.errors.CODES`, ``field`` and ``expected`` tell how to mend the
    request.
    """

    def __init__(self, code: str, field: str | None, expected: str | None, message: str) -> None:
        mend = "" if expected is None else f"; expected {expected}"
        super().__init__(f"{code}: {message}{mend}")
        self.code = code
        self.field = field
        self.expected = expected
        self.message = message
