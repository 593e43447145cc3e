"""The process may have as many sockets as the system lets it have."""

import resource
from collections.abc import Iterator

import pytest

from coordinator.shell.descriptors import open_files


@pytest.fixture
def limits() -> Iterator[tuple[int, int]]:
    """What the process may open, which is as before when the test is over."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    yield before
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_the_soft_limit_is_raised_to_the_hard_one(limits: tuple[int, int]) -> None:
    _, hard = limits
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard - 1, hard))
    assert open_files() == hard
    assert resource.getrlimit(resource.RLIMIT_NOFILE) == (hard, hard)
    assert open_files() == hard


def test_where_it_cannot_be_raised_it_is_what_it_is(limits: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    _, hard = limits
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard - 1, hard))
    with monkeypatch.context() as patched:

        def refuse(*_: object) -> None:
            raise ValueError("not here")

        patched.setattr("resource.setrlimit", refuse)
        assert open_files() == hard - 1
