"""The two ends of the wire agree: whoever redials as the SDK does is back before its tables move."""

from coordinator.config.settings import Settings
from protocol.client.link import BACKOFF_MAX_S


def test_a_redial_comes_before_the_grace_is_over():
    assert Settings().server_grace_s - 1 >= BACKOFF_MAX_S, "a second is left for the dial, the hello and the resume"
