"""What is told to people when the coordinator refuses, or several tasks failed at once."""

from bots.demo_plan import REFUSED
from bots.errors import DemoFailed, Interrupted, leaves
from protocol.client import LinkEnded, RequestRefused

MATCH_REFUSALS = ("definition_refused", "unknown_definition", "field_too_small", "match_full", "config_error")
"""What the coordinator answers when this match cannot be played like this."""


def to_tell(error: BaseExceptionGroup) -> BaseException:
    """The one failure to tell when several tasks failed at once: the interruption if there was one."""
    causes = list(leaves(error))
    cause = next((cause for cause in causes if isinstance(cause, Interrupted)), causes[0])
    match cause:
        case RequestRefused():
            exit_code = REFUSED if cause.code in MATCH_REFUSALS else 1
            return DemoFailed(_sentence(cause), exit_code, code=cause.code)
        case LinkEnded():
            return DemoFailed(f"the lobby's link to the coordinator ended: {cause}")
        case _:
            return cause


def _sentence(refused: RequestRefused) -> str:
    """A refusal as one sentence: the field and what was expected."""
    details = [f"{refused.field}: " if refused.field else "", refused.message]
    details.append(f" (expected {refused.expected})" if refused.expected else "")
    return f"the coordinator refused: {''.join(details)}"
