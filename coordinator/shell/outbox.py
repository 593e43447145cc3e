"""Frames that the kernel did not take yet: bounded, in order, with replaceable ticks."""

from collections import deque
from collections.abc import Callable, Sequence

import attrs

FRAMES_PER_WRITE = 64
"""Waiting frames handed to the kernel in one call; well below IOV_MAX everywhere."""

Buffers = Sequence[bytes | memoryview]


@attrs.define(slots=True, eq=False)
class _Waiting:
    frame: bytes
    slot: str | None


class Outbox:
    """A queue of whole frames, of which the oldest may be partly sent.

    The budget counts bytes and frames that still wait. The partly sent frame is never dropped or
    replaced: whatever follows it on the socket must start at a frame boundary.
    """

    __slots__ = ("_frames", "_max_bytes", "_max_frames", "_sent", "_slots", "waiting_bytes")

    def __init__(self, max_bytes: int, max_frames: int) -> None:
        self._max_bytes = max_bytes
        self._max_frames = max_frames
        self._frames: deque[_Waiting] = deque()
        self._slots: dict[str, _Waiting] = {}
        self._sent = 0
        """Bytes of the oldest frame that the kernel has taken."""
        self.waiting_bytes = 0
        """Bytes that still have to be taken."""

    def __len__(self) -> int:
        return len(self._frames)

    def fits(self, size: int) -> bool:
        """Whether one more frame of `size` bytes is within the budget."""
        return self.waiting_bytes + size <= self._max_bytes and len(self._frames) < self._max_frames

    def append(self, frame: bytes, *, sent: int = 0, slot: str | None = None) -> None:
        """Let `frame` wait behind all others; ask `fits` first.

        `sent` bytes of it are already with the kernel, which is possible only when nothing waits.
        """
        entry = _Waiting(frame, slot)
        if not self._frames:
            self._sent = sent
        self._frames.append(entry)
        self.waiting_bytes += len(frame) - sent
        if slot is not None:
            self._slots[slot] = entry

    def replace(self, slot: str, frame: bytes) -> bool:
        """Put `frame` in the place of the waiting frame of the same slot.

        False, and nothing changed, when there is none, when it has partly left already, or when the
        new frame would break the budget.
        """
        entry = self._slots.get(slot)
        if entry is None or (self._sent and entry is self._frames[0]):
            return False
        growth = len(frame) - len(entry.frame)
        if self.waiting_bytes + growth > self._max_bytes:
            return False
        entry.frame = frame
        self.waiting_bytes += growth
        return True

    def drain(self, write: Callable[[Buffers], int]) -> bool:
        """Hand waiting bytes to `write` once and drop what it took; whether it took any.

        `write` takes buffers, oldest first, and returns how many bytes of them it took. What it
        raises passes through, with nothing dropped.
        """
        frames = self._frames
        buffers: list[bytes | memoryview] = [frames[index].frame for index in range(min(len(frames), FRAMES_PER_WRITE))]
        if self._sent:
            buffers[0] = memoryview(buffers[0])[self._sent :]
        taken = write(buffers)
        self.waiting_bytes -= taken
        taken_of_frame = taken + self._sent
        while frames and taken_of_frame >= len(frames[0].frame):
            taken_of_frame -= len(frames[0].frame)
            self._forget(frames.popleft())
        self._sent = taken_of_frame
        return taken > 0

    def drop_unsent(self) -> None:
        """Forget every frame of which no byte has left, and keep the one that has begun."""
        begun = self._frames[0] if self._sent else None
        self._frames.clear()
        self._slots.clear()
        self.waiting_bytes = 0
        if begun is not None:
            begun.slot = None
            self._frames.append(begun)
            self.waiting_bytes = len(begun.frame) - self._sent

    def _forget(self, entry: _Waiting) -> None:
        if entry.slot is not None and self._slots.get(entry.slot) is entry:
            del self._slots[entry.slot]
