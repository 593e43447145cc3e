"""Crashes of real processes: ``kill -9``, stops and cuts under load; afterwards the books must agree."""

import argparse
import json
import random
import signal
import tempfile
import time
from collections import Counter
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import trio

from scripts.proofs._report import begin, finish, say
from scripts.proofs.crashing.audit import Audit, audit
from scripts.proofs.crashing.proxy import Proxy
from tests.e2e.processes import Process, fetch, free_port

SERVERS = ("ts-1", "ts-2", "ts-3")
CALM_S = 120.0
"""So long the matches that run may take to end once nothing happens to anybody any more."""

ARMED_SHARE = 0.5
"""How many of the daemon's deaths wait for a piece of bytes to pass: a report on its way up, an answer on its way."""

MISTAKES = ("Traceback", "handler failed", "stands still")


class Campaign:
    """The processes, what is done to them, and what was done so far."""

    def __init__(self, folder: Path, seed: int, kills: int) -> None:
        self.folder = folder
        self.kills = kills
        self.done: Counter[str] = Counter()
        self.faults: list[str] = []
        self.luck = random.Random(seed)
        self.port = free_port()
        self.proxy = Proxy(self.port, random.Random(seed + 1))
        self.journal = f"sqlite:///{folder}/journal.db"
        self.stop = folder / "stop"
        self.http = ""
        self.url = ""
        self._processes: dict[str, Process] = {}
        self._starts: Counter[str] = Counter()
        self._ready = trio.Event()
        self._token: Any = None

    # --- starting and ending ----------------------------------------------------------------------------------------

    def diary(self, name: str) -> Path:
        """Where a program writes down what it saw."""
        return self.folder / f"{name}.diary"

    def _start(self, name: str) -> None:
        self._starts[name] += 1
        label = f"{name}-{self._starts[name]}"
        if name == "daemon":
            self._ready = trio.Event()
            arguments = ["serve", "--listen", f"127.0.0.1:{self.port}", "--http", "127.0.0.1:0"]
            arguments += ["--journal", self.journal, "--log-format", "json"]
            words = {"COORDINATOR_SERVER_GRACE_S": "1", "COORDINATOR_SNAPSHOT_EVERY": "200"}
            hears = partial(self._hears, self._ready)
            process = Process(label, ["-m", "coordinator"], arguments, self.folder, hears=hears, **words)
        elif name == "lobby":
            arguments = [self.url, str(self.diary(name)), str(self.stop)]
            process = Process(label, ["-m", "scripts.proofs.crashing.lobby"], arguments, self.folder)
        else:
            arguments = [self.url, name, str(self.diary(name))]
            process = Process(label, ["-m", "scripts.proofs.crashing.table_server"], arguments, self.folder)
        self._processes[name] = process

    def _hears(self, ready: trio.Event, line: bytes) -> None:
        """On the thread that reads the daemon's log."""
        if b'"event": "ready"' in line:
            with suppress(trio.RunFinishedError):
                trio.from_thread.run_sync(self._is_ready, ready, json.loads(line)["http"], trio_token=self._token)

    def _is_ready(self, ready: trio.Event, http: str) -> None:
        self.http = http
        ready.set()

    async def _kill(self, name: str) -> None:
        process = self._processes[name]
        if process.popen.poll() is not None:
            code = process.popen.returncode
            if not (name == "lobby" and code == 0 and self.stop.exists()):
                self.faults.append(f"{process.name} ended by itself with {code}: {process.said[-400:]}")
        await process.kill()
        self.done[f"kills of {'table servers' if name in SERVERS else 'the ' + name}"] += 1
        self._start(name)

    def end_all(self) -> None:
        """Leave nothing running."""
        for process in self._processes.values():
            process.popen.send_signal(signal.SIGCONT)
            process.end()

    # --- the campaign -----------------------------------------------------------------------------------------------

    async def run(self) -> Audit:
        """From the first start to the audit."""
        self._token = trio.lowlevel.current_trio_token()
        async with trio.open_nursery() as nursery:
            proxy_port: int = await nursery.start(self.proxy.serve)
            self.url = f"ws://127.0.0.1:{proxy_port}"
            for name in ("daemon", *SERVERS, "lobby"):
                self._start(name)
            await self._ready.wait()
            await self._torment()
            found = await self._calm()
            nursery.cancel_scope.cancel()
        return found

    async def _torment(self) -> None:
        luck, killed = self.luck, 0
        while killed < self.kills:
            await trio.sleep(luck.uniform(0.0, 0.4))
            choice = luck.random()
            if choice < 0.35:
                await self._kill_the_daemon()
                killed += 1
            elif choice < 0.6:
                await self._kill(luck.choice(SERVERS))
                killed += 1
            elif choice < 0.7:
                await self._kill("lobby")
                killed += 1
            elif choice < 0.85:
                await self._freeze(luck.choice(["daemon", *SERVERS, "lobby"]))
            else:
                await self.proxy.strike()
            if killed and killed % 25 == 0 and self.done["told"] < killed:
                self.done["told"] = killed
                say(f"{killed} kills, {self.proxy.cuts} cuts")

    async def _kill_the_daemon(self) -> None:
        luck = self.luck
        if luck.random() < 0.15:
            # In its start, perhaps in the replay; the next one lets it come up.
            await trio.sleep(luck.uniform(0.0, 0.6))
        else:
            with trio.move_on_after(30):
                await self._ready.wait()
            if luck.random() < ARMED_SHARE:
                self.done["armed"] += 1
                await self._until_passed(luck.choice(["up", "down"]), luck.randint(1, 40))
            else:
                await trio.sleep(luck.uniform(0.0, 0.5))
        await self._kill("daemon")

    async def _until_passed(self, way: str, times: int) -> None:
        """Wait for so many pieces to pass the proxy this way, and not long."""
        struck, left = trio.Event(), times

        def passed(went: str) -> None:
            nonlocal left
            left -= went == way
            if left == 0:
                self._processes["daemon"].popen.kill()
                struck.set()

        self.proxy.passed = passed
        with trio.move_on_after(3):
            await struck.wait()
        self.proxy.passed = lambda _: None

    async def _freeze(self, name: str) -> None:
        popen = self._processes[name].popen
        if popen.poll() is None:
            popen.send_signal(signal.SIGSTOP)
            await trio.sleep(self.luck.choice([0.05, 0.3, 1.5]))
            popen.send_signal(signal.SIGCONT)
            self.done["stops"] += 1

    async def _calm(self) -> Audit:
        """Nothing happens any more: everything comes to its end, and the books are compared."""
        for pair in list(self.proxy.pairs):
            if pair.silent:
                await pair.drop()
        self.stop.touch()
        with trio.move_on_after(CALM_S):
            await self._ready.wait()
            code = await self._processes["lobby"].ended()
            if code != 0:
                self.faults.append(f"the lobby ended with {code}: {self._processes['lobby'].said[-400:]}")
            shown = await trio.to_thread.run_sync(self._shown)
            await self._stop_daemon()
            diaries = [self.diary(name) for name in SERVERS]
            found = await trio.to_thread.run_sync(partial(audit, self.journal, diaries, self.diary("lobby"), shown))
            found.faults += self.faults + self._mistakes()
            return found
        told = await trio.to_thread.run_sync(fetch, f"{self.http}/api/v1/matches")
        return Audit(faults=[*self.faults, f"not everything has ended within {CALM_S:g} s: {told}"[:2000]])

    async def _stop_daemon(self) -> None:
        process = self._processes["daemon"]
        process.popen.send_signal(signal.SIGTERM)
        code = await process.ended()
        if code != 0:
            self.faults.append(f"asked to stop the daemon ends with {code}")

    def _shown(self) -> dict[str, list[str]]:
        """The standings of every match as the page has them."""
        shown = {}
        for match in fetch(f"{self.http}/api/v1/matches"):
            picture = fetch(f"{self.http}/api/v1/matches/{match['match_id']}?rows=1000")
            shown[match["match_id"]] = [line["player_id"] for line in picture["standings"]]
        return shown

    def _mistakes(self) -> list[str]:
        said = [(file.name, file.read_text(errors="replace")) for file in sorted(self.folder.glob("*.err"))]
        return [f"{name} says {word!r}" for name, text in said for word in MISTAKES if word in text]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200, help="how many processes are killed (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="what is done to whom (%(default)s)")
    parser.add_argument("--keep", type=Path, help="leave journal, diaries and logs in this folder")
    options = parser.parse_args()
    begin("crash", seed=options.seed, kills=options.kills)
    with tempfile.TemporaryDirectory(prefix="crash-proof-") as made:
        folder = made if options.keep is None else options.keep
        campaign = Campaign(Path(folder), options.seed, options.kills)
        Path(folder).mkdir(exist_ok=True)
        began = time.perf_counter()
        try:
            found = trio.run(campaign.run)
        finally:
            campaign.end_all()
    for fault in found.faults:
        say(fault)
    done = {what: number for what, number in campaign.done.items() if what != "told"}
    finish(
        "crash",
        ok=not found.faults and not found.lost and not found.doubled and found.acknowledged > 0,
        kills=sum(number for what, number in done.items() if what.startswith("kills")),
        **{what.replace(" ", "_"): number for what, number in sorted(done.items())},
        cuts=campaign.proxy.cuts,
        matches=found.matches,
        hands=found.hands,
        acknowledged=found.acknowledged,
        lost=found.lost,
        doubled=found.doubled,
        faults=len(found.faults),
        wall_s=round(time.perf_counter() - began, 1),
    )


if __name__ == "__main__":
    main()
