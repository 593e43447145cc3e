"""Afterwards: the diaries of the programs against the journal, and both against what the daemon shows."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from coordinator.engine import events
from coordinator.journal.records import Chain
from coordinator.journal.replay import replay
from coordinator.journal.store import open_store
from scripts.proofs.crashing.diary import lines

Hand = tuple[str, int, int]


@attrs.define
class Audit:
    """What was found. ``faults`` are sentences; with none of them the books agree."""

    matches: int = 0
    hands: int = 0
    acknowledged: int = 0
    lost: int = 0
    doubled: int = 0
    faults: list[str] = attrs.field(factory=list)


@attrs.define
class _Journal:
    counted: dict[Hand, list[tuple[int, dict[str, int]]]] = attrs.field(factory=dict)
    entered: dict[tuple[str, str], int] = attrs.field(factory=dict)
    places: dict[str, tuple[str, ...]] = attrs.field(factory=dict)
    awards: dict[str, tuple[str, dict[str, int]]] = attrs.field(factory=dict)


def audit(journal: str, servers: Sequence[Path], lobby: Path, shown: Mapping[str, Sequence[str]]) -> Audit:
    """Compare. ``shown`` are the final standings by match, as the daemon's page has them."""
    found = Audit()
    book = _read(journal, found)
    _look_at_hands(book, servers, found)
    _look_at_the_lobby(book, lobby, shown, found)
    _look_at_awards(book, lobby, found)
    return found


def _read(journal: str, found: Audit) -> _Journal:
    book = _Journal()
    with open_store(journal, read_only=True) as store:
        store.verify_all()
        for entry in store.matches():
            match_id = entry.match_id
            found.matches += 1
            seats: dict[int, tuple[str, ...]] = {}
            for record in store.follow(Chain.start(match_id)):
                for event in record.events:
                    _note(book, match_id, seats, event)
            report = replay(store, match_id, check=True)
            if not (report.same_effects and report.same_decisions and report.same_state is not False):
                found.faults.append(f"{match_id}: {report.first_difference}")
    found.hands = len(book.counted)
    for hand, counts in book.counted.items():
        if len(counts) > 1:
            found.doubled += 1
            found.faults.append(f"{hand} counts {len(counts)} times")
    return book


def _note(book: _Journal, match_id: str, seats: dict[int, tuple[str, ...]], event: Any) -> None:
    match event:
        case events.TablesSeated():
            seats.update(enumerate(event.tables, start=event.first_table_id))
        case events.HandScored():
            scores = dict(zip(seats[event.table_id], event.reported, strict=True))
            hand = match_id, event.table_id, event.hand_no
            book.counted.setdefault(hand, []).append((event.attempt_no, scores))
        case events.PlayerRegistered() | events.LateEntered():
            book.entered[match_id, event.player_id] = event.reg_seq
        case events.MatchEnded():
            book.places[match_id] = event.ranking
            book.awards |= {due.key: (due.player_id, due.items) for due in event.awards}


def _look_at_hands(book: _Journal, servers: Sequence[Path], found: Audit) -> None:
    reported: dict[tuple[Hand, int], list[dict[str, int]]] = {}
    acknowledged: Counter[Hand] = Counter()
    for path in servers:
        for line in lines(path):
            if line["what"] not in ("reports", "verdict"):
                continue
            match_id, table_id, _, hand_no, attempt_no = line["at"]
            hand = match_id, table_id, hand_no
            if line["what"] == "reports":
                reported.setdefault((hand, attempt_no), []).append(line["scores"])
            elif line["verdict"] in ("scored", "duplicate"):
                acknowledged[hand] += line["verdict"] == "scored"
                found.acknowledged += 1
                if hand not in book.counted:
                    found.lost += 1
                    found.faults.append(f"{hand} was acknowledged and is not in the journal")
            elif line["verdict"] in ("conflict", "invalid"):
                found.faults.append(f"{hand}: an honest report was found to be {line['verdict']}")
    for hand, times in acknowledged.items():
        if times > 1:
            found.doubled += 1
            found.faults.append(f"{hand} was acknowledged as scored {times} times")
    for hand, counts in book.counted.items():
        for attempt_no, scores in counts:
            if scores not in reported.get((hand, attempt_no), []):
                found.faults.append(f"{hand} counts as {scores}, which nobody reported")


def _look_at_the_lobby(book: _Journal, lobby: Path, shown: Mapping[str, Sequence[str]], found: Audit) -> None:
    heard: dict[str, list[str]] = {}
    for line in lines(lobby):
        if line["what"] == "entered" and book.entered.get((line["match"], line["player"])) != line["number"]:
            found.lost += 1
            found.faults.append(f"{line['player']} was entered as {line['number']}, and is not in the journal as that")
        elif line["what"] == "over":
            heard[line["match"]] = line["places"]
    for match_id, places in book.places.items():
        if heard.get(match_id) != list(places):
            found.faults.append(f"{match_id}: the lobby heard {heard.get(match_id)}, the journal says {places}")
        if list(shown.get(match_id, ())) != list(places):
            found.faults.append(f"{match_id}: the page shows {shown.get(match_id)}, the journal says {places}")
    found.faults += [f"{match_id} has not ended" for match_id in heard if match_id not in book.places]


def _look_at_awards(book: _Journal, lobby: Path, found: Audit) -> None:
    """R-HI-03: every award was paid, once, to whom and as the journal says."""
    paid: dict[str, list[tuple[str, dict[str, int]]]] = {}
    for line in lines(lobby):
        if line["what"] == "paid":
            paid.setdefault(line["key"], []).append((line["player"], line["items"]))
    for key in {**book.awards, **paid}:
        due = [book.awards[key]] if key in book.awards else []
        if paid.get(key, []) != due:
            found.faults.append(f"{key}: due is {due}, paid was {paid.get(key, [])}")
