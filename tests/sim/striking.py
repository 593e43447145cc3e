"""How each kind of step is carried out on the world."""

import random
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from protocol import messages as m
from protocol.codec import build_frame, encode_message
from tests.shell.peers import BINARY, CONT, TEXT, frame
from tests.sim.directing import Staff
from tests.sim.plan import Step
from tests.sim.programs import Program, TableServerProgram

if TYPE_CHECKING:
    from tests.sim.world import World


class Striker:
    """Carries out steps. What a step hits is drawn from its own stream, so that leaving others out moves nothing."""

    def __init__(self, world: "World") -> None:
        self._world = world
        self._staff = Staff(world)
        self._do: dict[str, Callable[[random.Random], None]] = {
            "cut": self._cut,
            "half open": self._half_open,
            "stall": self._stall,
            "slow reader": self._slow_reader,
            "say again": self._say_again,
            "lost frame": self._lost_frame,
            "take over": self._take_over,
            "server crash": self._server_crash,
            "server gone": self._server_gone,
            "lobby crash": self._lobby_crash,
            "unreachable": self._unreachable,
            "kill": self._kill,
            "stop": lambda _: self._world.stop(),
            "slow disk": self._slow_disk,
            "failing disk": self._failing_disk,
            "clock jump": self._clock_jump,
            "nonsense": self._nonsense,
            "bad message": self._bad_message,
            "forged report": self._forged_report,
            "older attempt": self._older_attempt,
            "contradiction": self._contradiction,
            "give back": self._give_back,
            "drain": self._drain,
            "snapshot damage": self._snapshot_damage,
            "ask": self._ask,
            "rule": self._staff.rule,
            "empty house": self._staff.empty_house,
        }

    def strike(self, step: Step) -> None:
        """Now."""
        self._world.note("strikes", step)
        self._world.count(step.kind)
        self._do[step.kind](self._world.chance.stream("step", step.no))

    # --- the network ------------------------------------------------------------------------------------------------

    def _somebody(self, luck: random.Random) -> Program:
        return luck.choice(self._world.programs)

    def _cut(self, luck: random.Random) -> None:
        channel = self._somebody(luck).channel
        if channel is not None:
            channel.link.cut(luck.choice(["reset", "eof"]))

    def _half_open(self, luck: random.Random) -> None:
        channel = self._somebody(luck).channel
        if channel is not None:
            for pipe in luck.choice([(channel.link.up,), (channel.link.down,), (channel.link.up, channel.link.down)]):
                pipe.hold()

    def _stall(self, luck: random.Random) -> None:
        """Bytes come late; if the program has given the socket up meanwhile, they come on an old one."""
        channel = self._somebody(luck).channel
        if channel is not None:
            for pipe in luck.choice([(channel.link.up,), (channel.link.up, channel.link.down)]):
                pipe.hold()
                self._world.agenda.after(luck.choice([0.5, 3.0, 11.0, 18.0]), pipe.release)

    def _slow_reader(self, luck: random.Random) -> None:
        channel = self._somebody(luck).channel
        if channel is not None:
            channel.stop_reading()
            self._world.agenda.after(luck.choice([2.0, 9.0, 40.0]), channel.go_on_reading)

    def _say_again(self, luck: random.Random) -> None:
        """The newest frames of a program are sent again, at once or later, on the socket that is there then.

        As long as it is their session: whoever numbers its own frames anew from 1 says the old ones in a new one.
        """
        program = self._somebody(luck)
        frames = list(self._world.newest_frames.get(program.identity, ()))
        for delay_s in luck.choice([(0.0,), (0.0, 0.4), (5.0,)]):
            self._world.agenda.after(delay_s, lambda: self._resend(program, frames))

    def _resend(self, program: Program, frames: list[tuple[str | None, bytes]]) -> None:
        for spoken_in, payload in frames:
            if program.channel is not None and program.session is not None and program.session.session == spoken_in:
                program.channel.say(payload)

    def _lost_frame(self, luck: random.Random) -> None:
        """A program skips a frame: the next one comes with a number too high."""
        channel = self._somebody(luck).channel
        if channel is not None:
            channel.swallows = 1

    def _unreachable(self, luck: random.Random) -> None:
        program = self._somebody(luck)
        self._world.cut_off(program.identity, luck.choice([3.0, 12.0, 40.0]))
        if program.channel is not None:
            program.channel.link.up.hold()
            program.channel.link.down.hold()

    # --- processes --------------------------------------------------------------------------------------------------

    def _table_server(self, luck: random.Random) -> TableServerProgram:
        return luck.choice(self._world.table_servers)

    def _server_crash(self, luck: random.Random) -> None:
        self._table_server(luck).crash(luck.choice([0.1, 3.0, 30.0]))

    def _server_gone(self, luck: random.Random) -> None:
        """A table server that never comes back, unless it is the last one."""
        living = [program for program in self._world.table_servers if not program.finished]
        if len(living) > 1:
            gone = luck.choice(living)
            gone.finished = True
            gone.crash(0.0)
            self._world.count("a server that stays away")

    def _lobby_crash(self, luck: random.Random) -> None:
        self._world.lobby.crash(luck.choice([0.1, 3.0, 20.0]))

    def _take_over(self, luck: random.Random) -> None:
        self._world.take_over(self._table_server(luck))

    def _kill(self, luck: random.Random) -> None:
        """Now and then a bit of the newest snapshot turns while nobody looks."""
        if luck.random() < 0.3:
            self._snapshot_damage(luck)
        self._world.kill()

    def _give_back(self, luck: random.Random) -> None:
        program = self._table_server(luck)
        tables = list(program.server.tables.values()) if program.server is not None else []
        if tables and program.server is not None and not program.server._ended:
            table = luck.choice(tables)
            program.server._link.send(m.RoundAborted(table.match_id, table.table_id, table.epoch, "tired", ref=900_001))

    def _drain(self, luck: random.Random) -> None:
        program = self._table_server(luck)
        if program.server is not None and not program.server._ended:
            program.server._link.send(m.Capacity(program.capacity, drain=True))
            server = program.server
            self._world.agenda.after(
                20.0, lambda: None if server._ended else server._link.send(m.Capacity(program.capacity))
            )

    # --- the disk and the clock -------------------------------------------------------------------------------------

    def _slow_disk(self, luck: random.Random) -> None:
        self._world.slow_disk(luck.choice([1.0, 6.0]))

    def _failing_disk(self, luck: random.Random) -> None:
        self._world.disk.fails = luck.choice(["no space left on device", "input/output error"])

    def _snapshot_damage(self, luck: random.Random) -> None:
        if self._world.disk.damage_snapshot():
            self._world.count("a damaged snapshot")

    def _clock_jump(self, luck: random.Random) -> None:
        if any(recipe.teams for recipe in self._world.recipes.values()):
            self._world.clock_off_s += 5.0  # a ladder goes by this clock: set back by an hour, it waits for an hour
            return
        self._world.clock_off_s += luck.choice([-3600.0, -5.0, 5.0, 3600.0, 86_400.0])

    # --- what should not be said ------------------------------------------------------------------------------------

    def _nonsense(self, luck: random.Random) -> None:
        """Bytes that are no frame, on a socket of good standing."""
        channel = self._somebody(luck).channel
        if channel is None:
            return
        payload = luck.choice(
            [
                b"",
                b"\xc1",
                b"\x93\x00\x00",
                b"\x90",
                luck.randbytes(luck.randint(1, 60)),
                build_frame(0, 0, [encode_message(m.Hello("ts-1", ["table"], "x"))]),
                build_frame(10**6, 0, []),
                build_frame(0, 10**6, []),
                b"\x91" * 600,
                b"\x93\x00\x00\xdd\xff\xff\xff\xff",
            ]
        )
        how = luck.random()
        if how < 0.7:
            self._world.nonsense[payload] = None
            channel.say(payload)
        else:
            raw = luck.choice(
                [
                    frame(BINARY, payload, masked=False),
                    frame(TEXT, b"hello"),
                    frame(3, b"x"),
                    frame(CONT, b"x"),
                    frame(BINARY, b"", claim=1 << 40),
                    b"\xff" * 9,
                ]
            )
            channel.write(raw)

    def _bad_message(self, luck: random.Random) -> None:
        """A message that cannot be read, in a frame that can."""
        program = self._somebody(luck)
        session = self._session(program)
        if session is not None:
            session.queue(
                luck.choice(
                    [
                        b"\x81\xa4type\xa5crook",
                        b"\x81\xa4type\xaahand_ended",
                        b"\x82\xa4type\xa5leave\xa3ref\xcb\x3f\xf0\x00\x00\x00\x00\x00\x00",
                        b"\x80",
                        b"\xc0",
                    ]
                )
            )
            self._wake(program)

    def _session(self, program: Program) -> Any:
        peer = program.server if isinstance(program, TableServerProgram) else self._world.lobby.lobby
        return None if peer is None or peer._ended else peer._link._session

    def _wake(self, program: Program) -> None:
        peer = program.server if isinstance(program, TableServerProgram) else self._world.lobby.lobby
        if peer is not None:
            peer._link.wake()

    def _forged_report(self, luck: random.Random) -> None:
        """A report that is well formed and wrong: of somebody else's table, an older attempt, a sum that is off."""
        world, program = self._world, self._table_server(luck)
        server = program.server
        owned = [
            (owner, table)
            for owner in world.table_servers
            if owner.server is not None
            for table in owner.server.tables.values()
            if table.hand is not None
        ]
        if server is None or server._ended or not owned:
            return
        owner, table = luck.choice(owned)
        hand = table.hand
        assert hand is not None
        players = table.players
        scores = dict.fromkeys(players, 0)
        scores[players[0]], scores[players[-1]] = 7, -7
        at: dict[str, Any] = {"epoch": hand.epoch, "hand_no": hand.hand_no, "attempt_no": hand.attempt_no}
        lie = luck.choice("server epoch attempt attempt hand sum sum players players match table stale".split())
        if lie == "stale":
            self._told_again(luck, program)
            return
        if lie == "server":
            if owner is program:
                return
        elif owner.server is not None:
            server = owner.server
        if lie == "epoch":
            at["epoch"] += luck.choice([-1, 1])
        elif lie == "attempt":
            at["attempt_no"] += luck.choice([-1, 1])
        elif lie == "hand":
            at["hand_no"] += luck.choice([1, 5])
        elif lie == "sum":
            scores[players[0]] = 8
        elif lie == "players":
            scores = {**dict.fromkeys(players[1:], 0), "nobody": 0}
        match_id = "no-such-match" if lie == "match" else table.match_id
        table_id = 10**6 if lie == "table" else table.table_id
        if min(at.values()) < 1:
            return
        if server._ended:
            return
        server._link.send(m.HandEnded(match_id, table_id, scores=scores, ref=900_002, **at))

    def _older_attempt(self, luck: random.Random) -> None:
        """What was played of a hand before it was interrupted is reported after all, while it is played once more."""
        repeated = [
            (program.server, table.hand)
            for program in self._world.table_servers
            if program.server is not None and not program.server._ended
            for table in program.server.tables.values()
            if table.hand is not None and table.hand.attempt_no > 1 and table.hand.reported is None
        ]
        if repeated:
            server, hand = luck.choice(repeated)
            table, players = hand.table, hand.table.players
            scores = {**dict.fromkeys(players, 0), players[0]: 7, players[-1]: -7}
            at = (table.match_id, table.table_id, hand.epoch, hand.hand_no, hand.attempt_no - 1)
            server._link.send(m.HandEnded(*at, scores=scores, ref=900_005))

    def _told_again(self, luck: random.Random, program: TableServerProgram) -> None:
        """An old report, word for word, under another number."""
        if program.told and program.server is not None:
            told = luck.choice(program.told)
            hand, table = told.hand, told.hand.table
            at = (table.match_id, table.table_id, hand.epoch, hand.hand_no, hand.attempt_no)
            program.server._link.send(m.HandEnded(*at, scores=dict(told.scores), ref=900_003))

    def _contradiction(self, luck: random.Random) -> None:
        """Other scores for a hand that was reported."""
        program = self._table_server(luck)
        done = [told for told in program.told if told.report.verdict is not None]
        if done and program.server is not None and not program.server._ended:
            told = luck.choice(done)
            hand, table = told.hand, told.hand.table
            scores = {player: -score for player, score in told.scores.items()}
            if not any(scores.values()):
                players = table.players
                scores[players[0]], scores[players[-1]] = 3, -3
            at = (table.match_id, table.table_id, hand.epoch, hand.hand_no, hand.attempt_no)
            program.server._link.send(m.HandEnded(*at, scores=scores, ref=900_004))

    # --- what players ask -------------------------------------------------------------------------------------------

    def _ask(self, luck: random.Random) -> None:
        match_id = luck.choice(list(self._world.recipes))
        recipe = self._world.recipes[match_id]
        if recipe.asks:
            word = luck.choice(recipe.asks)
            number = luck.randint(1, recipe.players)
            known, new = f"{match_id}-p{number}", f"{match_id}-late{number}"
            player_id = new if word in ("late", "join") else luck.choice([known, known, new])
            self._world.asks(word, match_id, player_id)
