"""Why a command was not accepted. A refusal changes nothing."""

import attrs


@attrs.frozen
class Refused:
    """A stable ``code`` (one of the wire's error codes or hand verdicts), the offending field and what was expected."""

    code: str
    message: str
    field: str | None = None
    expected: str | None = None
