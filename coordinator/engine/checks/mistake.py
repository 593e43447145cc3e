"""What is wrong with a definition, said so that an organiser can mend it."""

import attrs


@attrs.frozen
class Mistake:
    """One breach of a rule in a definition.

    ``path`` names the place in the words of :mod:`coordinator.engine.definition`, for instance
    ``phases[0].stages[1].cut.mode``; it is empty where the whole match is meant. ``rule`` is the rule's ID,
    None where only plain sense is broken. ``expected`` and ``suggestion`` are empty where there is nothing to
    add.
    """

    path: str
    message: str
    expected: str = ""
    suggestion: str = ""
    rule: str | None = None
