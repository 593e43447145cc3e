"""What lobbies ask of ladders."""

from typing import Any

from coordinator.engine.ladder.asking import targets
from coordinator.engine.ladder.ladder_events import ChallengeIssued
from coordinator.engine.ladder.looking import newest_between, running_with
from coordinator.engine.refusal import Refused
from coordinator.shell import ladder_requests
from coordinator.shell.office import Office
from coordinator.shell.peers import Peer
from coordinator.shell.requests.answers import Answers, Result
from coordinator.shell.requests.looking import Reader, desk_of
from protocol import messages
from protocol.errors import WireError


class OfLadders:
    """Reads what lobbies ask of ladders."""

    def __init__(self, office: Office, answers: Answers) -> None:
        self._office = office
        self._answers = answers
        self.readers: dict[type, Reader] = {
            messages.IssueChallenge: self._challenge,
            messages.ListTargets: self._list_targets,
            **dict.fromkeys(ladder_requests.PLAIN, self._of_ladder),
        }

    def _challenge(self, peer: Peer, message: messages.IssueChallenge) -> None:
        desk, session = desk_of(self._office, message), peer.session

        def answer(result: Result) -> None:
            if isinstance(result, Refused):
                self._answers.refuse(peer, session, message.ref, result)
                return
            issued = [event for event in result.events if isinstance(event, ChallengeIssued)]
            number = issued[0].challenge_no if issued else newest_between(desk.state, message.team, message.defender)
            self._answers.within(peer, session, messages.Challenged(message.ref, message.match_id, number))

        desk.submit(ladder_requests.command_of(message, desk.now_ms()), answer)

    def _list_targets(self, peer: Peer, message: messages.ListTargets) -> None:
        desk = desk_of(self._office, message)
        ladder = running_with(desk.state, message.team)
        if isinstance(ladder, Refused):
            raise WireError(ladder.code, ladder.message, field=ladder.field, expected=ladder.expected, ref=message.ref)
        found = list(targets(desk.state, message.team, desk.now_ms()))
        told = messages.Targets(message.ref, message.match_id, message.team, ladder.rank(message.team), found)
        self._answers.say(peer, told)

    def _of_ladder(self, peer: Peer, message: Any) -> None:
        desk = desk_of(self._office, message)
        desk.submit(ladder_requests.command_of(message, desk.now_ms()), self._answers.done(peer, message.ref))
