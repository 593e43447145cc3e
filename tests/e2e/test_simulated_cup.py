"""A cup that bots played over sockets, played again by the simulation with the hands that were reported then."""

from pathlib import Path
from typing import Any

import pytest

from coordinator.engine import commands, events
from coordinator.engine.announcements.orders import final_places
from coordinator.engine.match import Outcome, evolve, new_state
from coordinator.engine.state import MatchState
from coordinator.engine.tourney.events import TourneyEvent
from coordinator.journal.records import Chain
from coordinator.journal.store import open_store
from coordinator.simulation.course import Course
from coordinator.simulation.players import Recorded
from tests.e2e.processes import coordinator

CUP = """
id = "bouts"
game = "dou_dizhu"
start = { mode = "when_full", full_count = 29 }

[[stages]]
id = "swiss"
format = "swiss_shift"
table_size = 3
bouts = 3
round = { hands = 2 }
grouping = { kind = "random" }                  # drawn anew for each bout
leave = "forbidden"
score_processing = "per_round"
initial_player_state = { score = 500 }
initial_game_state = { base_score = 10 }
cuts = [{ mode = "percent", value = 20 }, { mode = "fixed", value = 3 }, { mode = "keep", value = 18 }]
round_carry_pct = 50
carry_out = { mode = "divide", divisor = 7, cap = 40 }

[[stages]]
id = "halves"
format = "knockout"
table_size = 3
bouts = 2
advance_per_table = "half"
round = { hands = 1 }
grouping = { }
leave = "forbidden"
score_processing = "per_round"
initial_player_state = { score = 100 }
initial_game_state = { base_score = 5 }
base_growth = { kind = "arith", by = "time", every_s = 1, add = 5 }
scoring = "placement"
carry_out = { mode = "sqrt", coef = 3 }

[[stages]]
id = "last"
format = "knockout"
table_size = 3
bouts = 1
round = { hands = 2 }
grouping = { kind = "snake" }
leave = "forbidden"
score_processing = "per_round"
initial_player_state = { score = 0 }
initial_game_state = { base_score = 20 }
"""


def story_of(happened: list[Any]) -> list[Any]:
    """Seats, standings after every bout, places, and the scores every stage began with."""
    kinds = (events.StageOpened, events.TablesSeated, events.BoutEnded, events.StageEnded, events.MatchEnded)
    # Times differ: hands last as long as they last.
    return [
        tuple(getattr(event, name) for name in type(event).__annotations__ if name != "t")
        for event in happened
        if isinstance(event, kinds)
    ]


@pytest.mark.process
def test_a_simulated_cup_fed_with_the_hands_of_a_played_one_ends_the_same(tmp_path: Path) -> None:
    (tmp_path / "bouts.toml").write_text(CUP, encoding="utf-8")
    words = ["demo", "--definition", "bouts.toml", "--players", "29", "--speed", "0", "--servers", "2", "--seed", "4"]
    ended = coordinator(*words, "--no-page", "--keep", cwd=tmp_path, TMPDIR=str(tmp_path))
    assert ended.returncode == 0, ended.stderr
    [journal] = tmp_path.glob("**/*.db")

    played, state = [], new_state()
    opened: commands.OpenMatch | None = None
    entries: list[tuple[str, str]] = []
    scores: dict[tuple[int, int], tuple[int, ...]] = {}
    with open_store(f"sqlite:///{journal}", read_only=True) as store:
        [match] = store.matches()
        for record in store.follow(Chain.start(match.match_id)):
            for event in record.events:
                assert not isinstance(event, TourneyEvent)
                evolve(state, event)
                played.append(event)
                if isinstance(event, events.HandScored):
                    scores[event.table_id, event.hand_no] = event.reported
            if isinstance(record.command, commands.OpenMatch):
                opened = record.command
            elif isinstance(record.command, commands.RegisterPlayer):
                entries.append((record.command.player_id, record.command.name))
    assert opened is not None
    assert state.status == "over"

    simulated: list[Any] = []

    def watch(t: int, state: MatchState, outcome: Outcome) -> None:
        simulated.extend(outcome.events)

    course = Course(opened.definition, entries, Recorded(scores), opened.seed, watch=watch)
    assert course.run() == "over"
    assert story_of(simulated) == story_of(played)
    assert final_places(course.state) == final_places(state)
    carried = [event.scores for event in played if isinstance(event, events.StageOpened)]
    assert [len(each) for each in carried] == [29, 18, 4]
    assert all(len(set(each)) > 1 for each in carried[1:]), "nothing was carried, so nothing was compared"
