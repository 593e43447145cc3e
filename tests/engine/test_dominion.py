"""R-DM-05 to R-DM-07: the columns that rank a field are the fractions of the rules, written out."""

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from coordinator.engine.definition import MainPoints
from coordinator.engine.dominion import GameRecord, main_of, sub_of, table

PLAYERS = list("ABCDEFG")
STATUSES = ["played", "played", "played", "drop_a", "drop_b", "drop_both", "void", "bye"]


@st.composite
def records(draw: st.DrawFn) -> GameRecord:
    a, b = draw(st.permutations(PLAYERS))[:2]
    status = draw(st.sampled_from(STATUSES))
    vp = st.integers(-40, 40)
    return GameRecord(1, a, None if status == "bye" else b, status, draw(vp), draw(vp))  # type: ignore[arg-type]


def mean(values: list[Fraction]) -> Fraction:
    return sum(values, Fraction(0)) / len(values) if values else Fraction(0)


@settings(max_examples=200, deadline=None)
@given(st.lists(records(), max_size=25), st.integers(0, 3))
def test_every_number_is_that_of_the_rule(games: list[GameRecord], missed: int) -> None:
    worth = MainPoints(absent=-1)
    own = {p: [g for g in games if p in (g.a, g.b)] for p in PLAYERS}
    counted = {p: [g for g in own[p] if g.status == "played"] for p in PLAYERS}

    def main(game: GameRecord, player: str) -> Fraction:
        return Fraction(main_of(game, worth)[game.b == player])

    def sub(game: GameRecord, player: str) -> Fraction:
        return Fraction((sub_of(game) or (0, 0))[game.b == player])

    def opponents(player: str) -> list[str]:
        return [str(g.b if g.a == player else g.a) for g in counted[player]]

    main_mean = {p: mean([main(g, p) for g in counted[p]]) for p in PLAYERS}
    sub_mean = {p: mean([sub(g, p) for g in counted[p]]) for p in PLAYERS}
    # Asked about some, the answer is that about all: opponents count whether or not they were asked about.
    for asked in (PLAYERS, PLAYERS[:3]):
        found = table(asked, games, worth, {"A": missed}).means()
        assert list(found) == asked
        for p, told in found.items():
            assert told.main_sum == sum(main(g, p) for g in own[p]) - (missed if p == "A" else 0)
            assert (told.main_mean, told.sub_mean) == (main_mean[p], sub_mean[p])
            assert told.opp_main_mean == mean([main_mean[other] for other in opponents(p)])
            assert told.opp_sub_mean == mean([sub_mean[other] for other in opponents(p)])
