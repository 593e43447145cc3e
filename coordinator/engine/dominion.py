"""Dominion Swiss: what a game is worth, and the ranking that everything is paired and cut by (R-DM-02 to R-DM-07).

A bout leaves one record for each game and each bye. Sums, means and opponents are read from these records, and nothing
of them is stored beside.

Implements R-DM-02, R-DM-03, R-DM-04, R-DM-05, R-DM-06, R-DM-07, R-DM-08.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import lcm
from operator import mul
from typing import Literal

import attrs

from coordinator.engine.definition import MainPoints
from coordinator.engine.frozen import frozen

Status = Literal["played", "bye", "drop_a", "drop_b", "drop_both", "void"]

CHAIN = ("main_sum", "opp_main_mean", "sub_mean", "opp_sub_mean", "entry_order")
"""R-DM-05: what decides, the most important first."""


@frozen
class GameRecord:
    """One game of a bout: players and their victory points; a bye has no ``b``.

    ``void`` is a game that nobody reported (R-HI-06): for both a bout without a game.
    """

    bout_no: int
    a: str
    b: str | None
    status: Status
    vp_a: int = 0
    vp_b: int = 0


@attrs.frozen
class Means:
    """What ranks a player, exactly: own means (R-DM-06) and opponents' means (R-DM-07); a mean of nothing is 0."""

    main_sum: int
    opp_main_mean: Fraction
    sub_mean: Fraction
    opp_sub_mean: Fraction
    main_mean: Fraction


def bouts_for(players: int) -> int:
    """R-DM-02: how many bouts a field plays when the organiser names none: the binary logarithm, rounded up.

    Below five, where the rule says nothing certain, everybody meets everybody.
    """
    if players < 5:
        return max(1, possible_bouts(players))
    return (players - 1).bit_length()


def possible_bouts(players: int) -> int:
    """R-DM-10: how many bouts a field can play without a rematch."""
    return players if players % 2 else players - 1


def status_of(seats: tuple[str, str], dropped: Sequence[str], *, played: bool) -> Status:
    """How a game between two ended: who left it decides before any score does (R-DM-03)."""
    a_left, b_left = (player in dropped for player in seats)
    if a_left and b_left:
        return "drop_both"
    if a_left:
        return "drop_a"
    if b_left:
        return "drop_b"
    return "played" if played else "void"


def main_of(game: GameRecord, worth: MainPoints) -> tuple[int, int]:
    """R-DM-03: the main points of both players of a game; the second number of a bye means nothing."""
    match game.status:
        case "bye":
            return worth.default_win, 0
        case "drop_a":
            return worth.drop, worth.opp_drop
        case "drop_b":
            return worth.opp_drop, worth.drop
        case "drop_both":
            return worth.drop, worth.drop
        case "void":
            return worth.absent, worth.absent
    if game.vp_a == game.vp_b:
        return worth.draw, worth.draw
    return (worth.win, worth.loss) if game.vp_a > game.vp_b else (worth.loss, worth.win)


def sub_of(game: GameRecord) -> tuple[int, int] | None:
    """R-DM-04: own minus the opponent's victory points; None where no game was played to its end."""
    if game.status != "played":
        return None
    return game.vp_a - game.vp_b, game.vp_b - game.vp_a


@attrs.frozen
class Table:
    """The numbers of all players of a stage as columns over one common denominator, so that whole numbers compare
    exactly what fractions would."""

    players: tuple[str, ...]
    columns: Mapping[str, Sequence[int]]
    scale: Mapping[str, int]

    def chosen(self, chain: Sequence[str]) -> list[Sequence[int]]:
        """The columns a chain names; the order of entry is no column, it ends every order."""
        return [self.columns[element] for element in chain if element != "entry_order"]

    def means(self) -> dict[str, Means]:
        """Every player's numbers for people."""
        names = ("opp_main_mean", "sub_mean", "opp_sub_mean", "main_mean")
        return {
            player: Means(
                self.columns["main_sum"][row],
                *(Fraction(self.columns[name][row], self.scale[name]) for name in names),
            )
            for row, player in enumerate(self.players)
        }


def table(
    players: Sequence[str],
    games: Sequence[GameRecord],
    worth: MainPoints,
    missed: Mapping[str, int] | None = None,
    penalties: Mapping[str, int] | None = None,
) -> Table:
    """R-DM-05 to R-DM-07, as in the example of R-DM-08: all numbers of these players. Games of others count where they
    are opponents.

    missed: bouts missed before joining, for those who came late (R-DM-11). penalties: main points beside the games,
    which touch sums and no means.
    """
    row: dict[str, int] = {player: number for number, player in enumerate(players)}
    named: set[str | None] = {game.b for game in games}
    named.update([game.a for game in games])
    for opponent in sorted(filter(None, named.difference(row))):  # sorted: the order of a set means nothing
        row[opponent] = len(row)
    count = len(row)
    main_sum, main, sub = [0] * count, [0] * count, [0] * count
    opponents: list[list[int]] = [[] for _ in range(count)]
    for player, bouts in (missed or {}).items():
        if player in row:
            main_sum[row[player]] += worth.absent * bouts
    for player, points in (penalties or {}).items():
        if player in row:
            main_sum[row[player]] += points
    win, draw, loss = worth.win, worth.draw, worth.loss
    for game in games:
        a = row[game.a]
        if game.b is None or game.status != "played":
            main_a, main_b = main_of(game, worth)
            main_sum[a] += main_a
            if game.b is not None:
                main_sum[row[game.b]] += main_b
            continue
        # What counts for means (R-DM-05): main_of and sub_of written out, for this is most of ranking a large field.
        b, margin = row[game.b], game.vp_a - game.vp_b
        main_a, main_b = (win, loss) if margin > 0 else (loss, win) if margin else (draw, draw)
        main[a] += main_a
        main[b] += main_b
        sub[a] += margin
        sub[b] -= margin
        opponents[a].append(b)
        opponents[b].append(a)
    return _columns(tuple(players), [x + y for x, y in zip(main_sum, main, strict=True)], main, sub, opponents)


def opponents_met(games: Sequence[GameRecord]) -> dict[str, dict[str, None]]:
    """Whom each player sat down with, whatever became of the game; one that nobody played is no meeting."""
    met: dict[str, dict[str, None]] = defaultdict(dict)
    for game in games:
        a, b = game.a, game.b
        if b is not None and game.status != "void":
            met[a][b] = None
            met[b][a] = None
    return dict(met)


def _columns(
    players: tuple[str, ...], main_sum: list[int], main: list[int], sub: list[int], opponents: list[list[int]]
) -> Table:
    """The means of all rows over one denominator; the first rows are those of the players asked for."""
    sizes = dict.fromkeys(map(len, opponents))
    scale = lcm(*[size for size in sizes if size])
    shares = {size: scale // size if size else 0 for size in sizes}  # no game that counts: a mean of 0
    share = [shares[len(others)] for others in opponents]
    own_main = list(map(mul, main, share))
    own_sub = list(map(mul, sub, share))
    asked = range(len(players))
    return Table(
        players,
        {
            "main_sum": main_sum[: len(players)],
            "opp_main_mean": [sum(map(own_main.__getitem__, opponents[row])) * share[row] for row in asked],
            "sub_mean": own_sub[: len(players)],
            "opp_sub_mean": [sum(map(own_sub.__getitem__, opponents[row])) * share[row] for row in asked],
            "main_mean": own_main[: len(players)],
        },
        {"opp_main_mean": scale**2, "sub_mean": scale, "opp_sub_mean": scale**2, "main_mean": scale},
    )
