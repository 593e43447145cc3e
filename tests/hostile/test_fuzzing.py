"""What reads the bytes of others refuses them cleanly: the short form of `scripts/prove input`."""

from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.hostile.fuzzing import TARGETS, Tally, WrongCode, spoilt, starts


@pytest.mark.parametrize("name", TARGETS)
@given(st.data())
@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
def test_spoilt_input_is_refused_cleanly(name, data):
    start = data.draw(st.sampled_from(starts(name)) | st.binary(max_size=200))
    TARGETS[name](spoilt(Random(data.draw(st.integers(0, 2**32))), start))


@pytest.mark.parametrize("name", TARGETS)
def test_good_input_is_read(name):
    tally = Tally()
    for start in starts(name):
        tally.take(name, start)
    assert not tally.crashes
    assert not tally.wrong_codes


def test_the_tally_notices_a_crash_and_a_wrong_code(monkeypatch):
    def broken(data):
        raise WrongCode("nonsense") if data else KeyError("oops")

    monkeypatch.setitem(TARGETS, "codec", broken)
    tally = Tally()
    tally.take("codec", b"")
    tally.take("codec", b"x")
    assert (len(tally.crashes), len(tally.wrong_codes), tally.tried) == (1, 1, 2)
