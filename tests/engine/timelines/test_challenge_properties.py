"""Random ladders, commands that are legal and commands that are not: what must hold whatever anybody does."""

import copy
import random
from typing import Any, get_args

import attrs
import pytest

from coordinator.engine import commands
from coordinator.engine.events import Event
from coordinator.engine.ladder import asking
from coordinator.engine.ladder import ladder_commands as ask
from coordinator.engine.ladder import ladder_events as ev
from coordinator.engine.ladder.records import HowEnded
from coordinator.engine.ladder.slots import Slot
from coordinator.engine.match import evolve, new_state, step
from coordinator.engine.refusal import Refused
from tests.engine.ladder_play import LadderGame, ladder_match, roster

TEAMS = ("A", "B", "C", "D", "E", "F")
HOUR = 3600_000
CHOICES: tuple = ("redo", "reschedule", "claim_win", "continue")


@attrs.define
class Tossing:
    """Throws one command after the other at a ladder."""

    game: LadderGame
    chance: random.Random

    def go(self, commands_: int) -> None:
        for _ in range(commands_):
            if self.chance.random() < 0.06:
                self.game.until(self.game.t + int(self.chance.expovariate(1 / (4 * HOUR))))
            make = self.chance.choice(
                (
                    self.issue,
                    self.issue,
                    self.accept,
                    self.accept,
                    self.accept,
                    self.propose,
                    self.cancel,
                    self.lineup,
                    self.lineup,
                    self.ready,
                    self.ready,
                    self.to_the_hour,
                    self.to_the_hour,
                    self.check_in,
                    self.choose,
                    self.choose,
                    self.incident,
                    self.incident,
                    self.incident,
                    self.play,
                    self.play,
                    self.play,
                    self.report,
                    self.report,
                    self.appeal,
                    self.dispute,
                    self.rule,
                    self.come_or_go,
                )
            )
            make()
            self.check()
            if self.game.state.status != "running":
                return

    def check(self) -> None:
        """The ranks are an order of the teams, and the locks are those of the open challenges."""
        state, ladder = self.game.state, self.game.state.ladder
        assert ladder is not None
        assert sorted((*ladder.ranks, *ladder.left)) == sorted(ladder.teams) == sorted(state.entrants)
        for team, record in ladder.teams.items():
            out = [c.challenge_no for c in ladder.challenges.values() if c.challenger == team]
            into = [c.challenge_no for c in ladder.challenges.values() if c.defender == team]
            assert out == ([] if record.out_challenge is None else [record.out_challenge])
            assert into == ([] if record.in_challenge is None else [record.in_challenge])
        seated = [player for table in state.tables.values() for player in table.seats]
        assert len(seated) == len(dict.fromkeys(seated)), "nobody sits at two tables"
        playing = {n for c in ladder.challenges.values() if c.state == "playing" for n in c.tables}
        assert set(state.tables) <= playing
        for challenge in ladder.challenges.values():
            assert challenge.state not in ("cancelled", "forfeit_challenger", "forfeit_defender", "final")
        for timer in state.timers:
            kind, _, number = timer.partition("/")
            assert kind in ("end", "table") or int(number) in ladder.challenges, timer

    def some(self) -> tuple[int, str]:
        """A challenge, mostly an open one, and mostly one of its teams."""
        ladder = self.game.state.ladder
        assert ladder is not None
        open_ = list(ladder.challenges.values())
        if not open_ or self.chance.random() < 0.05:
            return self.chance.randint(1, 9), self.chance.choice(TEAMS)
        challenge = self.chance.choice(open_)
        sides = (challenge.challenger, challenge.defender)
        return challenge.challenge_no, self.chance.choice(sides if self.chance.random() < 0.95 else TEAMS)

    def slots(self) -> tuple[Slot, ...]:
        first = self.game.t + self.chance.randint(-HOUR // 8, 4 * HOUR)
        count = 4 if self.chance.random() < 0.9 else self.chance.randint(0, 5)
        return tuple(Slot(first + n * 3 * HOUR, mutual=self.chance.random() < 0.9) for n in range(count))

    def issue(self) -> None:
        team, other = self.chance.choice(TEAMS), self.chance.choice(TEAMS)
        targets = asking.targets(self.game.state, team, self.game.t) if team in self.game.ranks else ()
        if targets and self.chance.random() < 0.7:
            other = self.chance.choice(targets)
        self.game.do(ask.IssueChallenge(self.game.t, team, other, self.slots()))

    def come_or_go(self) -> None:
        left = [team for team in TEAMS if team not in self.game.ranks]
        if left:
            back = self.chance.choice(left)
            self.game.do(commands.RegisterPlayer(self.game.t, back, f"Team {back}", roster=roster(back)))
        elif self.chance.random() < 0.1:
            self.game.do(commands.WithdrawPlayer(self.game.t, self.chance.choice(TEAMS)))

    def accept(self) -> None:
        self.game.do(ask.AcceptTime(self.game.t, *self.some(), self.chance.randint(1, 4)))

    def propose(self) -> None:
        self.game.do(ask.ProposeTimes(self.game.t, *self.some(), self.slots()))

    def cancel(self) -> None:
        if self.chance.random() < 0.1:
            self.game.do(ask.CancelChallenge(self.game.t, *self.some()))

    def lineup(self) -> None:
        number, team = self.some()
        guests = self.chance.choice((0, 0, 0, 1, 2))
        named = roster(team)[: 4 - guests] + tuple(f"guest of {team} {n}" for n in range(guests))
        self.game.do(ask.GiveLineUp(self.game.t, number, team, named))

    def ready(self) -> None:
        self.game.do(ask.SayReady(self.game.t, *self.some()))

    def to_the_hour(self) -> None:
        """Both teams meet as they should."""
        number, _ = self.some()
        ladder = self.game.state.ladder
        assert ladder is not None
        challenge = ladder.challenges.get(number)
        if challenge is None or challenge.at is None or challenge.state != "fixed":
            return
        for side in (challenge.challenger, challenge.defender):
            self.game.do(ask.GiveLineUp(self.game.t, number, side, roster(side)[:4]))
            self.game.do(ask.SayReady(self.game.t, number, side))
        self.game.until(max(self.game.t, challenge.at))

    def check_in(self) -> None:
        self.game.do(ask.CheckIn(self.game.t, *self.some()))

    def choose(self) -> None:
        number, team = self.some()
        ladder = self.game.state.ladder
        assert ladder is not None
        right = ladder.challenges[number].rights.get(team) if number in ladder.challenges else None
        right_no = self.chance.randint(1, 4) if right is None else right.right_no
        self.game.do(ask.ChooseRight(self.game.t, number, team, right_no, self.chance.choice(CHOICES)))

    def incident(self) -> None:
        tables = list(self.game.state.tables.values())
        if tables:
            table = self.chance.choice(tables)
            kind: Any = self.chance.choice(("drop", "drop", "drop", "deviation", "seamless", "acted"))
            player = self.chance.choice(table.seats)
            count = len(self.game.events) if self.chance.random() < 0.9 else 1
            self.game.do(ask.NoteIncident(self.game.t, "ts", table.table_id, table.epoch, count, kind, player))

    def play(self) -> None:
        for table_id in list(self.game.state.tables)[:2]:
            if table_id in self.game.state.tables and self.game.state.tables[table_id].in_hand:
                self.game.score(table_id, self.chance.choice((-420, -50, 0, 50, 620)))

    def report(self) -> None:
        number, team = self.some()
        ladder = self.game.state.ladder
        assert ladder is not None
        challenge = ladder.challenges.get(number)
        if challenge is None:
            return
        played = [event.imps for event in self.game.of(ev.MatchPlayed) if event.challenge_no == number]
        imps = played[-1] if played and self.chance.random() < 0.8 else (3, 1)
        failed = team if self.chance.random() < 0.05 else None
        named = dict(zip((challenge.challenger, challenge.defender), imps, strict=True))
        self.game.do(ask.ReportResult(self.game.t, number, team, {} if failed else named, failed))

    def appeal(self) -> None:
        self.game.do(ask.AppealResult(self.game.t, *self.some(), "no"))

    def dispute(self) -> None:
        number, team = self.some()
        self.game.do(ask.RaiseDispute(self.game.t, number, team, (self.chance.randint(1, 2),), "a revoke"))
        self.game.do(ask.ConfirmDispute(self.game.t, *self.some(), 1))

    def rule(self) -> None:
        number, team = self.some()
        t, mood = self.game.t, self.chance.random()
        if mood < 0.3:
            self.game.do(ask.RuleBoard(t, number, self.chance.randint(1, 2), self.chance.choice((None, -3, 5)), ""))
        elif mood < 0.4:
            self.game.do(ask.RuleOutcome(t, number, self.chance.choice((team, team, None)), ""))
        elif mood < 0.7:
            self.game.do(ask.RuleFalseReport(t, team, ""))
        elif mood < 0.8:
            self.game.do(ask.PlaceTeam(t, team, self.chance.randint(0, 7), ""))
        elif mood < 0.9:
            self.game.do(ask.ExtendDeadline(t, number, HOUR, ""))
        else:
            self.game.do(ask.ChangeRoster(t, team, (f"{team}5",), (f"{team}{self.chance.randint(4, 9)}",)))


def tossed(seed: int, commands_: int = 250, **words: Any) -> Tossing:
    """A ladder after so many random commands."""
    game = LadderGame(ladder_match(boards=2, **words)).begin(*TEAMS)
    toss = Tossing(game, random.Random(seed))
    toss.go(commands_)
    return toss


@pytest.mark.parametrize("seed", range(20))
def test_ranks_and_locks_hold_and_every_challenge_ends(seed: int) -> None:
    """R-BL-04 to R-BL-13: with the deadlines alone, and a referee for what is in dispute."""
    toss = tossed(seed)
    game = toss.game
    game.do(ask.CloseLadder(game.t))
    for _ in range(40):
        if game.state.status != "running":
            break
        game.until(game.t + 24 * HOUR)
        ladder = game.state.ladder
        assert ladder is not None
        for challenge in list(ladder.challenges.values()):
            if challenge.state == "disputed":
                game.do(ask.RuleOutcome(game.t, challenge.challenge_no, challenge.defender, "so be it"))
            for dispute in challenge.disputes:
                for board in dispute.open_boards:
                    game.do(ask.RuleBoard(game.t, challenge.challenge_no, board, None, "it stands"))
        toss.check()
    assert game.state.status == "over"
    issued = [event.challenge_no for event in game.of(ev.ChallengeIssued)]
    ended = [event.challenge_no for event in game.of(ev.ChallengeEnded)]
    assert sorted(ended) == issued, "each once"
    assert sorted(game.state.ranking) == sorted(TEAMS)
    assert game.state.timers == {}


@pytest.mark.parametrize("seed", range(20, 26))
def test_the_same_commands_lead_to_the_same_ladder(seed: int) -> None:
    """Deciding again gives the same events, and folding the events the same state."""
    game = tossed(seed).game
    again, folded = new_state(), new_state()
    events: list[Event] = []
    for command in game.given:
        outcome = step(again, command)
        assert not isinstance(outcome, Refused)
        events += outcome.events
    assert events == game.events
    for event in game.events:
        evolve(folded, event)
    assert again == folded == game.state


@pytest.mark.parametrize("seed", range(26, 32))
def test_a_refusal_changes_nothing(seed: int) -> None:
    toss = tossed(seed, 60)
    game = toss.game
    before = copy.deepcopy(game.state)
    wrong: list[commands.Command] = [
        ask.AcceptTime(game.t, 999, "A", 1),
        ask.IssueChallenge(game.t, "A", "A", ()),
        ask.IssueChallenge(game.t, "nobody", "A", ()),
        ask.ReportResult(game.t, 998, "A", {}),
        ask.PlaceTeam(game.t, "A", 99, ""),
        ask.RuleBoard(game.t, 999, 1, 0, ""),
    ]
    for command in wrong:
        assert isinstance(step(game.state, command), Refused)
    assert game.state == before


@pytest.mark.parametrize("seed", range(32, 38))
def test_elo_alone_is_zero_sum(seed: int) -> None:
    """R-RA-02, R-RA-03: what one team wins the other loses, forfeits move nothing."""
    from coordinator.engine.definition import Rating

    game = tossed(seed, rating=Rating(provisional_model="elo_only")).game
    assert sum(game.rating(team)[0] for team in TEAMS) == 1600 * len(TEAMS)
    rated = [event for event in game.of(ev.ChallengeEnded) if event.ratings]
    assert sum(game.rating(team)[1] for team in TEAMS) == 2 * len(rated)


def test_the_tossing_reaches_every_corner() -> None:
    """What the tests above hold for has really happened."""
    seen: dict[str, None] = {}
    for seed in range(80):
        for event in tossed(seed).game.events:
            seen[type(event).__name__] = None
            if isinstance(event, ev.ChallengeEnded):
                seen[event.how] = None
    wanted = {kind.__name__ for kind in get_args(ev.LadderEvent)} - {"LatenessPutOff"}
    ends = set(get_args(HowEnded)) - {"no_reply", "not_done"}  # which come when everybody falls silent
    assert wanted | ends <= set(seen)
