"""Why something became of a player, asked of the journal for a page: in a process of its own, one at a time.

The answer needs the whole journal of a match folded and decided again. Done here it would hold up every hand for as
long, in a thread as well as in a task, since both would take turns with this one. So ``coordinator why`` does it, whose
process reads the journal from the disk and can be ended. Long journals are left to the command line.
"""

import os
import subprocess
import sys
from typing import cast

import msgspec
import structlog
import trio

from coordinator.journal.store import is_in_memory
from coordinator.shell.view import NotAnswered, WhyView

AT_MOST_S = 20.0
"""After so long a question is given up."""

WAITING_MOST = 4
"""Questions that may wait for the one being answered."""

RECORDS_MOST = 50_000
"""Longer journals are not read for a page."""

ANSWERED = (0, 4)
"""Exit codes of the verb that come with an answer: the same again, or another one now."""

_log = structlog.get_logger(__name__)


class Inquiries:
    """Asks the journal at a URL. One per daemon."""

    def __init__(self, journal_url: str) -> None:
        self._journal_url = journal_url
        self._turn = trio.Lock()
        self._open = 0

    async def why(self, match_id: str, player_id: str, records: int) -> WhyView:
        """All answers about a player. ``records`` is how long the journals are that have to be read.

        Raises NotAnswered ``journal_in_memory``, ``journal_too_long``, ``too_many_questions``, ``took_too_long`` or
        ``not_answered``.
        """
        if is_in_memory(self._journal_url):
            raise NotAnswered("journal_in_memory", "The journal is in memory, where no other process can read it.")
        by_hand = f"Ask on the machine of the daemon: coordinator why {match_id} {player_id}."
        if records > RECORDS_MOST:
            raise NotAnswered("journal_too_long", f"{records:,} records are too many for a page. {by_hand}")
        if self._open > WAITING_MOST:
            raise NotAnswered("too_many_questions", "Others are asking too. Ask again in a moment.")
        self._open += 1
        try:
            async with self._turn:
                return await self._ask(match_id, player_id, by_hand)
        finally:
            self._open -= 1

    async def _ask(self, match_id: str, player_id: str, by_hand: str) -> WhyView:
        # The URL may hold a password, and arguments can be seen by everybody on the machine.
        surroundings = {**os.environ, "COORDINATOR_JOURNAL": self._journal_url, "COORDINATOR_CONFIG": os.devnull}
        command = [sys.executable, "-m", "coordinator", "why", "--json", "--", match_id, player_id]
        with trio.move_on_after(AT_MOST_S):
            done = await trio.run_process(
                command,
                stdin=subprocess.DEVNULL,
                capture_stdout=True,
                capture_stderr=True,
                check=False,
                env=surroundings,
            )
            if done.returncode in ANSWERED:
                return cast("WhyView", msgspec.json.decode(done.stdout))
            said = done.stderr.decode(errors="replace").strip()[-500:]
            _log.error("a question was not answered", match=match_id, player=player_id, code=done.returncode, said=said)
            raise NotAnswered("not_answered", f"The journal could not be asked; the log says why. {by_hand}")
        raise NotAnswered("took_too_long", f"There was no answer within {AT_MOST_S:g} seconds. {by_hand}")
