"""Who meets whom in a Swiss of pairs: close in rank, and nobody twice while that can be (R-DM-09, R-DM-10).

Up to :data:`DEFINED` players the answer is that of a depth-first search: the highest unpaired meets the nearest lower
opponent not met yet, with backtracking. It is found without the search's bad cases: a complete pairing is kept at
hand, and a choice is taken when one augmenting path mends the rest. Larger fields are paired along the ranking, mended
by augmenting paths inside a window and smoothed by exchanges around short cycles.

Implements R-DM-09, R-DM-10.
"""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

import attrs

DEFINED = 64
"""Up to so many players the depth-first rule defines the answer."""
LOOK_AHEAD = 16
"""Up to so many players a pairing is chosen that leaves one for the next bout."""
LOOKED_AT = 20_000
"""Complete pairings looked at before the first is taken after all."""
WINDOW = 64
"""How many neighbours in rank a first repair may touch; it grows to WIDEST."""
WIDEST = 1024
BREADTH = (24, 12, 8, 5)
"""How far in rank the first, second, … step of a cycle may reach."""
PASSES = 50

Graph: TypeAlias = list[list[int]]
"""For each position in the ranking the positions that may be met, from the top."""


@attrs.frozen
class Pairing:
    """The pairs, the better ranked first in each. ``rematch``: no complete pairing without one was found."""

    pairs: tuple[tuple[str, str], ...]
    rematch: bool = False


def neighbours(players: Sequence[str]) -> tuple[list[tuple[str, str]], list[str]]:
    """R-DM-09: pair 1-2, 3-4, …; with an odd count the last is left over."""
    paired = len(players) - len(players) % 2
    return [(players[n], players[n + 1]) for n in range(0, paired, 2)], list(players[paired:])


def by_rank(
    ranked: Sequence[str],
    met: Mapping[str, Mapping[str, None]],
    *,
    resting: Sequence[str] = (),
    next_byes: Sequence[str] | None = None,
) -> Pairing:
    """R-DM-10: pair an even field that is in rank order.

    met: whom each player has met. resting: who sits this bout out and plays the next. next_byes: with another bout to
    come, those who may sit that one out, nobody where the field is even; a small field then looks ahead to it. None:
    no other bout.

    Raises ValueError for an odd number of players.
    """
    if len(ranked) % 2:
        raise ValueError(f"ranked: expected an even number of players, got {len(ranked)}")
    if len(ranked) > DEFINED:
        mates = _along_the_ranking(ranked, met)
    else:
        graph = _graph(ranked, met)
        mates = _first(graph)
        if mates is not None and next_byes is not None and len(ranked) <= LOOK_AHEAD:
            mates = _leaving_one(ranked, met, graph, mates, resting, next_byes)
    if mates is None:
        return Pairing(tuple(neighbours(ranked)[0]), rematch=True)
    return Pairing(tuple((ranked[one], ranked[other]) for one, other in enumerate(mates) if one < other))


def _graph(ranked: Sequence[str], met: Mapping[str, Mapping[str, None]]) -> Graph:
    nobody: Mapping[str, None] = {}
    graph: Graph = []
    for one in ranked:
        known = met.get(one, nobody)
        graph.append([n for n, other in enumerate(ranked) if other is not one and other not in known])
    return graph


# ---------------------------------------------------------------------------------------- the defined answer


def _first(graph: Graph) -> list[int] | None:
    """The complete pairing a depth-first search meets first, or None if there is none."""
    mates = _complete(graph)
    if mates is None:
        return None
    gone = [False] * len(graph)
    for one in range(len(graph)):
        if not gone[one]:
            _settle(graph, mates, gone, one)
    return mates


def _settle(graph: Graph, mates: list[int], gone: list[bool], one: int) -> None:
    """Give the highest unpaired the nearest opponent with whom the rest can still be paired."""
    gone[one] = True
    for other in graph[one]:
        if gone[other]:
            continue
        if mates[one] == other:
            gone[other] = True
            return
        left, right = mates[one], mates[other]
        gone[other] = True
        mates[left] = mates[right] = -1
        mates[one], mates[other] = other, one
        if _augment(graph, mates, gone, left):
            return
        gone[other] = False
        mates[one], mates[left] = left, one
        mates[other], mates[right] = right, other
    raise AssertionError("a complete pairing is at hand, so somebody can be met")


def _leaving_one(
    ranked: Sequence[str],
    met: Mapping[str, Mapping[str, None]],
    graph: Graph,
    first: list[int],
    resting: Sequence[str],
    next_byes: Sequence[str],
) -> list[int]:
    """The first complete pairing that leaves one for the next bout, whatever the results; if none does, the first."""
    for looked, mates in enumerate(_every(graph)):
        if looked == LOOKED_AT:
            break
        if _leaves_one(ranked, met, mates, resting, next_byes):
            return mates
    return first


def _leaves_one(
    ranked: Sequence[str],
    met: Mapping[str, Mapping[str, None]],
    mates: list[int],
    resting: Sequence[str],
    next_byes: Sequence[str],
) -> bool:
    after = {player: dict(met.get(player, {})) for player in (*ranked, *resting)}
    for one, other in enumerate(mates):
        after[ranked[one]][ranked[other]] = None
    everybody = tuple(after)
    if len(everybody) % 2 == 0:
        return _complete(_graph(everybody, after)) is not None
    return any(
        _complete(_graph([player for player in everybody if player != bye], after)) is not None for bye in next_byes
    )


def _every(graph: Graph) -> Iterator[list[int]]:
    """All complete pairings, in the order a depth-first search meets them."""
    mates = [-1] * len(graph)

    def deeper(one: int) -> Iterator[list[int]]:
        while one < len(graph) and mates[one] >= 0:
            one += 1
        if one == len(graph):
            yield list(mates)
            return
        for other in graph[one]:
            if mates[other] < 0:
                mates[one], mates[other] = other, one
                yield from deeper(one + 1)
                mates[one] = mates[other] = -1

    return deeper(0)


# ------------------------------------------------------------------------------------------ augmenting paths


def _complete(graph: Graph) -> list[int] | None:
    """Some complete pairing, or None if there is none."""
    mates = [-1] * len(graph)
    gone = [False] * len(graph)
    for one, others in enumerate(graph):
        if mates[one] < 0:
            for other in others:
                if mates[other] < 0:
                    mates[one], mates[other] = other, one
                    break
    return mates if all(_augment(graph, mates, gone, one) for one in range(len(graph))) else None


def _augment(graph: Graph, mates: list[int], gone: list[bool], root: int) -> bool:
    """Pair ``root`` by an alternating path through those who are not ``gone`` (Edmonds: odd cycles are shrunk).

    True if it is paired afterwards; else nothing has changed.
    """
    if mates[root] >= 0:
        return True
    count = len(graph)
    parent, base = [-1] * count, list(range(count))
    reached = [False] * count
    reached[root] = True
    queue = deque([root])
    while queue:
        one = queue.popleft()
        for other in graph[one]:
            if gone[other] or base[one] == base[other] or mates[one] == other:
                continue
            if other == root or (mates[other] >= 0 and parent[mates[other]] >= 0):
                _shrink(mates, parent, base, reached, queue, one, other)
            elif parent[other] < 0:
                parent[other] = one
                if mates[other] < 0:
                    _flip(mates, parent, other)
                    return True
                reached[mates[other]] = True
                queue.append(mates[other])
    return False


def _shrink(
    mates: list[int],
    parent: list[int],
    base: list[int],
    reached: list[bool],
    queue: deque[int],
    one: int,
    other: int,
) -> None:
    top = _common(mates, parent, base, one, other)
    inside = [False] * len(base)
    _mark(mates, parent, base, inside, one, top, other)
    _mark(mates, parent, base, inside, other, top, one)
    for number in range(len(base)):
        if inside[base[number]]:
            base[number] = top
            if not reached[number]:
                reached[number] = True
                queue.append(number)


def _common(mates: list[int], parent: list[int], base: list[int], one: int, other: int) -> int:
    above = [False] * len(base)
    while True:
        one = base[one]
        above[one] = True
        if mates[one] < 0:
            break
        one = parent[mates[one]]
    while not above[base[other]]:
        other = parent[mates[base[other]]]
    return base[other]


def _mark(
    mates: list[int], parent: list[int], base: list[int], inside: list[bool], one: int, top: int, child: int
) -> None:
    while base[one] != top:
        inside[base[one]] = inside[base[mates[one]]] = True
        parent[one] = child
        child = mates[one]
        one = parent[mates[one]]


def _flip(mates: list[int], parent: list[int], end: int) -> None:
    while end >= 0:
        before = parent[end]
        after = mates[before]
        mates[end], mates[before] = before, end
        end = after


# --------------------------------------------------------------------------------------------- large fields


@attrs.frozen
class _Field:
    """A large field in rank order: who it is, and whom each position has met."""

    ranked: Sequence[str]
    met: Sequence[Mapping[str, None]]

    def again(self, one: int, other: int) -> bool:
        """Whether these two positions have met."""
        return self.ranked[other] in self.met[one]


def _along_the_ranking(ranked: Sequence[str], met: Mapping[str, Mapping[str, None]]) -> list[int] | None:
    """Pair a large field from the top; None if no repair within reach completes it without a rematch."""
    nobody: Mapping[str, None] = {}
    field = _Field(ranked, [met.get(player, nobody) for player in ranked])
    mates = _downwards(field)
    left = [number for number, mate in enumerate(mates) if mate < 0]
    for one in left:
        if mates[one] < 0 and not _repair(field, mates, one):
            return None
    _smooth(field, mates)
    return mates


def _downwards(field: _Field) -> list[int]:
    """The highest unpaired meets the nearest lower one not met yet; some may find nobody."""
    count = len(field.ranked)
    mates = [-1] * count
    following = list(range(1, count + 1))  # the unpaired as a chain, so that no pass looks at a paired one twice
    one = 0
    while one < count:
        before, other = one, following[one]
        while other < count and field.again(one, other):
            before, other = other, following[other]
        if other < count:
            mates[one], mates[other] = other, one
            following[before] = following[other]
        one = following[one]
    return mates


def _repair(field: _Field, mates: list[int], one: int) -> bool:
    """Pair a player who is left over by moving as few neighbours in rank as it takes."""
    width, count = WINDOW, len(field.ranked)
    while True:
        first = max(0, min(one - width // 2, count - width))
        beyond = min(count, first + width)
        inside = [n for n in range(first, beyond) if mates[n] < 0 or first <= mates[n] < beyond]
        row = {number: at for at, number in enumerate(inside)}
        near = [
            [row[other] for other in _nearest(inside, at) if not field.again(inside[at], other)] for at in row.values()
        ]
        local = [row[mates[n]] if mates[n] >= 0 else -1 for n in inside]
        if _augment(near, local, [False] * len(inside), row[one]):
            for at, mate in enumerate(local):
                mates[inside[at]] = inside[mate] if mate >= 0 else -1
            return True
        if width >= min(count, WIDEST):
            return False
        width *= 2


def _nearest(inside: list[int], at: int) -> list[int]:
    """The others of a window, the nearest in rank first."""
    one = inside[at]
    return sorted([other for other in inside if other != one], key=lambda other: (abs(other - one), other))


def _smooth(field: _Field, mates: list[int]) -> None:
    """Exchange opponents around short cycles while the sum of squared distances in rank shrinks."""
    count = len(mates)
    look: Iterable[int] = range(count)
    for _ in range(PASSES):
        moved = bytearray(count)
        for one in look:
            if abs(one - mates[one]) > 1:
                cycle = _better_cycle(field, mates, [one, mates[one]], (one - mates[one]) ** 2)
                if cycle is not None:
                    for at in range(1, len(cycle), 2):
                        left, right = cycle[at], cycle[(at + 1) % len(cycle)]
                        mates[left], mates[right] = right, left
                    first, last = max(0, min(cycle) - BREADTH[1]), min(count, max(cycle) + BREADTH[1] + 1)
                    moved[first:last] = b"\x01" * (last - first)
        look = [one for one in range(count) if moved[one]]  # elsewhere nothing has changed since the last look
        if not look:
            return


def _better_cycle(field: _Field, mates: list[int], path: list[int], gain: int) -> list[int] | None:
    """A cycle of pairs that may be re-paired for less, or None: ``path`` holds the pairs so far, two by two.

    Each step joins the end of the path to somebody near and frees that one's opponent. ``gain`` is what the freed pairs
    cost less what the new ones do; it must stay above zero, so that good pairs cost no time.
    """
    start, end = path[0], path[-1]
    for near in _near(end, gain, len(mates), BREADTH[len(path) // 2 - 1]):
        if near in path or field.again(end, near):
            continue
        freed = mates[near]
        won = gain - (end - near) ** 2 + (near - freed) ** 2
        longer = [*path, near, freed]
        if not field.again(start, freed) and won > (start - freed) ** 2:
            return longer
        if len(longer) // 2 <= len(BREADTH):
            cycle = _better_cycle(field, mates, longer, won)
            if cycle is not None:
                return cycle
    return None


def _near(one: int, gain: int, count: int, most: int) -> Iterator[int]:
    """Up to ``most`` ranks on either side of one, the nearest first, while their squared distance is below ``gain``."""
    for away in range(1, most + 1):
        if away * away >= gain:
            return
        if one - away >= 0:
            yield one - away
        if one + away < count:
            yield one + away
