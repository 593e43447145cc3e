"""The listener against the cases of the Autobahn suite: no case fails, every connection ends cleanly."""

import pytest

from tests.shell.conformance import CASES, conform, kosoku

pytestmark = [
    pytest.mark.trio,
    pytest.mark.process,
    pytest.mark.skipif(not kosoku.exists(), reason="the conformance runner kosoku is not installed"),
]


async def test_conformance(tmp_path):
    found = await conform(tmp_path)
    assert found.cases == CASES
    assert found.failed == {}
    assert found.unclean == {}
    assert found.verdicts["OK"] >= 230
    assert found.complaints == ""
