"""Who stands before whom, and which value makes the difference.

The values are those that :mod:`coordinator.engine.stage_rules` ranks by, with their names. The order itself is never
computed here: it comes from the journal, and these values say why it is what it is.
"""

from collections.abc import Mapping, Sequence

import attrs

from coordinator.engine import dominion, duplicate
from coordinator.engine.formats import format_of
from coordinator.engine.numbers import Number, exact
from coordinator.engine.rounds import sides_of
from coordinator.engine.stage_rules import dominion_table, rank_columns, tie_chain
from coordinator.engine.state import Entrant, MatchState, Table
from coordinator.reasons.reason import Rival

LOWER_IS_BETTER = ("registration", "entered", "dropped", "away", "side_registration", "disqualified")

NEIGHBOURS = 2
"""With so many on either side a player is compared."""


@attrs.frozen
class Standing:
    """The values of players by name, the most important first; whatever the last one is, it separates everybody."""

    names: tuple[str, ...]
    values: Mapping[str, tuple[Number, ...]]

    def rival(self, state: MatchState, own: str, other: str, ahead: bool) -> Rival:
        """The comparison of two players, of whom the first is ranked ahead or not."""
        mine, theirs = self.values[own], self.values[other]
        differs = next((name for name, one, two in zip(self.names, mine, theirs, strict=True) if one != two), "")
        return Rival(
            other,
            state.entrants[other].name,
            ahead,
            differs,
            dict(zip(self.names, mine, strict=True)),
            dict(zip(self.names, theirs, strict=True)),
        )

    def neighbours(self, state: MatchState, ranking: Sequence[str], own: str) -> tuple[Rival, ...]:
        """Those right before and behind a player in a ranking of players who have values here."""
        at = ranking.index(own)
        near = range(max(0, at - NEIGHBOURS), min(len(ranking), at + NEIGHBOURS + 1))
        return tuple(
            self.rival(state, own, ranking[other], at < other)
            for other in near
            if other != at and ranking[other] in self.values and own in self.values
        )


def standing(state: MatchState, entrants: Sequence[Entrant]) -> Standing:
    """What the stage in play ranks these players by (R-SC-02, R-DU-04, R-DM-05, R-TB-03); the disqualified are last."""
    return _disqualified_last(state, _by_format(state, entrants))


def _disqualified_last(state: MatchState, found: Standing) -> Standing:
    if not any(player_id in state.disqualified for player_id in found.values):
        return found
    rows = {player_id: (int(player_id in state.disqualified), *row) for player_id, row in found.values.items()}
    return Standing(("disqualified", *found.names), rows)


def _by_format(state: MatchState, entrants: Sequence[Entrant]) -> Standing:
    definition, rules = state.rules, state.stage_rules
    chain = tie_chain(definition, rules)
    if chain[-1] == "swiss_rank":
        entered = {player_id: number for number, player_id in enumerate(state.current.active, start=1)}
        names = ("score", *chain[:-1], "entered")
        rows = {e.player_id: (e.score, *_ties(chain[:-1], e), entered.get(e.player_id, 0)) for e in entrants}
        return Standing(names, rows)
    if format_of(rules).duels:
        means = dominion_table(state).means()
        names = tuple("registration" if element == "entry_order" else element for element in chain)
        return Standing(names, {e.player_id: _by_chain(chain, means.get(e.player_id), e) for e in entrants})
    columns = rank_columns(definition, rules, entrants)
    if rules.scoring == "duplicate":
        names = ("average", "boards", "registration")
        # The columns hold the averages over a common denominator.
        columns = [[exact(average(e)) for e in entrants], *columns[1:]]
    else:
        points = ("points",) if rules.scoring == "placement" else ()
        names = (*points, "score", *[each for each in chain if each != "registration"], "registration")
    listed = zip(*columns, [e.reg_seq for e in entrants], strict=True)
    return Standing(names, {e.player_id: tuple(row) for e, row in zip(entrants, listed, strict=True)})


def seating(state: MatchState, entrants: Sequence[Entrant]) -> Standing:
    """What the order is by which the stage in play seats its next bout: that of entry before its first one."""
    return standing(state, entrants) if state.current.bout_no else by_entry(state, entrants)


def by_entry(state: MatchState, entrants: Sequence[Entrant]) -> Standing:
    """The order that the stage in play has so far, which one that does not rerank keeps."""
    entered = {player_id: number for number, player_id in enumerate(state.current.active, start=1)}
    return Standing(("entered",), {e.player_id: (entered[e.player_id],) for e in entrants})


def at_table(state: MatchState, table: Table, dropped: Sequence[str]) -> Standing:
    """What the players of a table are placed by when they part (R-HI-07, R-DM-12); the disqualified are last."""
    return _disqualified_last(state, _at_table(state, table, dropped))


def _at_table(state: MatchState, table: Table, dropped: Sequence[str]) -> Standing:
    definition, rules = state.rules, state.stage_rules
    seated = [state.entrants[player_id] for player_id in table.seats]
    chain = tie_chain(definition, rules)
    if format_of(rules).duels or chain[-1] == "swiss_rank":
        last = "registration" if format_of(rules).duels else "entered"
        entered = {player_id: number for number, player_id in enumerate(state.current.active, start=1)}
        rows: dict[str, tuple[Number, ...]] = {}
        for entrant, total in zip(seated, table.totals, strict=True):
            player_id = entrant.player_id
            end = entrant.reg_seq if last == "registration" else entered.get(player_id, len(entered) + 1)
            rows[player_id] = (int(player_id in dropped), total, end)
        return Standing(("dropped", "total", last), rows)
    if rules.round.sides:
        return _of_sides(state, table, chain)
    alone = rules.scoring != "total" or rules.round.type == "target"
    totals = table.totals if alone else [e.score for e in seated]
    names = ("total" if alone else "score", *[each for each in chain if each != "registration"], "registration")
    return Standing(
        names, {e.player_id: (total, *_ties(chain, e), e.reg_seq) for e, total in zip(seated, totals, strict=True)}
    )


def _of_sides(state: MatchState, table: Table, chain: Sequence[str]) -> Standing:
    """R-RT-01: the whole winning side first, then partners among themselves."""
    seated = [state.entrants[player_id] for player_id in table.seats]
    ties = tuple(each for each in chain if each != "registration")
    names = ("side_total", *[f"side_{each}" for each in ties], "side_registration", "total", *ties, "registration")
    rows: dict[str, tuple[Number, ...]] = {}
    for side in sides_of(state.stage_rules.round.sides, len(seated)):
        together: list[Number] = [sum(table.totals[seat] for seat in side)]
        together += [sum(seated[seat].last_hand for seat in side) for _ in ties]
        together.append(min(seated[seat].reg_seq for seat in side))
        for seat in side:
            own = seated[seat]
            rows[own.player_id] = (*together, table.totals[seat], *_ties(chain, own), own.reg_seq)
    return Standing(names, rows)


def who_is_away_last(state: MatchState, found: Standing) -> Standing:
    """R-RC-01: whoever is away at the end of the stage stands behind those who are there."""
    rows = {player_id: (int(player_id in state.away), *row) for player_id, row in found.values.items()}
    return Standing(("away", *found.names), rows)


def average(entrant: Entrant) -> Number:
    """R-DU-04: the mean over all boards played; 0 before the first."""
    return duplicate.mean(entrant.points, entrant.boards)


def _ties(chain: Sequence[str], entrant: Entrant) -> tuple[int, ...]:
    return tuple(entrant.last_hand for element in chain if element == "last_hand")


def _by_chain(chain: Sequence[str], means: dominion.Means | None, entrant: Entrant) -> tuple[Number, ...]:
    return tuple(
        entrant.reg_seq if element == "entry_order" else exact(getattr(means, element)) if means is not None else 0
        for element in chain
    )
