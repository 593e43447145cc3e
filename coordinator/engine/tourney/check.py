"""What is wrong with a tourney: every check that needs neither state nor calendar."""

import re
from collections.abc import Iterator

import attrs

from coordinator.engine.checks.carry import carry_out_mistakes
from coordinator.engine.checks.limits import MOST_ID, MOST_MS, MOST_PLAYERS, MOST_SCORE
from coordinator.engine.checks.match import definition_mistakes
from coordinator.engine.checks.mistake import Mistake
from coordinator.engine.checks.parts import bad_id, bad_text, not_here, outside, outside_time, repeated
from coordinator.engine.checks.rewards import reward_mistakes
from coordinator.engine.definition import MatchDefinition, Start
from coordinator.engine.field_flow import why_not
from coordinator.engine.tourney.definition import Entry, Link, StartPoint, TourneyDefinition
from coordinator.engine.tourney.naming import longest_name

MOST_MATCHES = 100
MOST_MEMBERS = 100_000
WALL_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")


def tourney_mistakes(definition: TourneyDefinition, *, matches_too: bool = True) -> list[Mistake]:
    """All mistakes of a tourney. ``matches_too``: also those inside the definitions of its matches."""
    found = [*_named(definition), *_matches(definition), *_start_points(definition), *_links(definition)]
    if matches_too:
        for number, match in enumerate(definition.matches):
            path = f"matches[{number}].definition"
            found += [
                attrs.evolve(mistake, path=f"{path}.{mistake.path}")
                for mistake in definition_mistakes(by_word(match.definition))
            ]
    if not found:
        found += _playable(definition)
    return found


def by_word(definition: MatchDefinition) -> MatchDefinition:
    """A match as a tourney opens it: its start point is what starts it (R-HI-03)."""
    return attrs.evolve(definition, start=Start(mode="manual", min_players=definition.start.min_players))


def _plain_id(path: str, name: str, rule: str) -> Iterator[Mistake]:
    """A name that others are made of, with dots between them."""
    wrong = list(bad_id(path, name))
    yield from wrong
    if not wrong and "." in name:
        suggestion = f'"{name.replace(".", "_")}"'
        yield Mistake(path, f"{name!r} has a dot in it", "a name without dots", suggestion, rule)


def _named(definition: TourneyDefinition) -> Iterator[Mistake]:
    yield from _plain_id("id", definition.id, "R-HI-01")
    yield from bad_text("title", definition.title)
    yield from bad_text("description", definition.description)
    if not definition.matches:
        yield Mistake("matches", "a tourney needs at least one match", "one [[matches]]", rule="R-HI-01")
    if not definition.start_points:
        yield Mistake(
            "start_points", "nothing opens the matches of this tourney", "one [[start_points]]", rule="R-HI-02"
        )
    for key, parts in (("matches", definition.matches), ("start_points", definition.start_points)):
        if len(parts) > MOST_MATCHES:
            yield Mistake(key, f"there are {len(parts)} of them", f"at most {MOST_MATCHES}", rule="R-HI-01")
    if longest_name(definition) > MOST_ID:
        message = f"names such as that of a match of this tourney grow to {longest_name(definition)} characters"
        yield Mistake("id", message, f"at most {MOST_ID}", "shorter ids", "R-HI-01")


def _matches(definition: TourneyDefinition) -> Iterator[Mistake]:
    seen: dict[str, str] = {}
    reached = definition.reached(tuple(name for point in definition.start_points for name in point.opens))
    for number, match in enumerate(definition.matches):
        path = f"matches[{number}]"
        yield from _plain_id(f"{path}.id", match.id, "R-HI-01")
        yield from repeated(f"{path}.id", match.id, seen)
        yield from _entry(match.entry, f"{path}.entry")
        yield from reward_mistakes(match.rewards, f"{path}.rewards")
        if definition.start_points and match.id not in reached:
            message = f"no start point opens {match.id!r}, and no link leads to it"
            yield Mistake(f"{path}.id", message, "a start point that opens it", rule="R-HI-02")
        if definition.feeding(match.id) and match.entry != Entry():
            yield not_here(f"{path}.entry", "players come here through links alone", "R-HI-01")


def _entry(entry: Entry, path: str) -> Iterator[Mistake]:
    """R-HI-03: who may enter."""
    rule = "R-HI-03"
    yield from outside(f"{path}.fee", entry.fee, 0, MOST_SCORE, rule)
    if entry.fee_kind == "item" and entry.item_id is None:
        yield Mistake(f"{path}.item_id", "a fee in items does not say in which", "the name of an item", rule=rule)
    if entry.fee_kind == "coin" and entry.item_id is not None:
        yield not_here(f"{path}.item_id", "the fee is in coins", rule)
    if entry.item_id is not None:
        yield from bad_id(f"{path}.item_id", entry.item_id)
    if entry.places is not None:
        yield from outside(f"{path}.places", entry.places, 1, MOST_PLAYERS, rule)
    for word, rating in (("rating_from", entry.rating_from), ("rating_to", entry.rating_to)):
        if rating is not None:
            yield from outside(f"{path}.{word}", rating, -MOST_SCORE, MOST_SCORE, rule)
    if entry.rating_from is not None and entry.rating_to is not None and entry.rating_from > entry.rating_to:
        message = f"the band ends at {entry.rating_to}, before it begins"
        yield Mistake(f"{path}.rating_to", message, f"at least {entry.rating_from}", rule=rule)
    if len(entry.members) > MOST_MEMBERS:
        yield Mistake(f"{path}.members", f"{len(entry.members)} members", f"at most {MOST_MEMBERS}", rule=rule)


def _start_points(definition: TourneyDefinition) -> Iterator[Mistake]:
    seen: dict[str, str] = {}
    opened_once: dict[str, str] = {}
    known = [match.id for match in definition.matches]
    for number, point in enumerate(definition.start_points):
        path = f"start_points[{number}]"
        yield from _plain_id(f"{path}.id", point.id, "R-HI-02")
        yield from repeated(f"{path}.id", point.id, seen)
        yield from _opens(definition, point, path, known)
        yield from _at_time(point, path) if point.mode == "at_time" else _when_full(point, path)
        yield from outside(f"{path}.min_players", point.min_players, 2, MOST_PLAYERS, "R-HI-02")
        yield from outside_time(f"{path}.late_ms", point.late_ms, "R-HI-02")
        if point.full_count is not None:
            yield from outside(f"{path}.full_count", point.full_count, 2, MOST_PLAYERS, "R-HI-02")
            if point.full_count < point.min_players:
                message = f"{point.min_players} is more than full_count, {point.full_count}"
                yield Mistake(f"{path}.min_players", message, f"at most {point.full_count}", rule="R-HI-02")
        if point.once:
            for place, name in enumerate(point.opens):
                if name in opened_once:
                    message = f"{name!r} is opened by {opened_once[name]} already, and neither comes again"
                    yield Mistake(f"{path}.opens[{place}]", message, "one start point", rule="R-HI-02")
                opened_once.setdefault(name, path)


def _opens(definition: TourneyDefinition, point: StartPoint, path: str, known: list[str]) -> Iterator[Mistake]:
    rule = "R-HI-02"
    if not point.opens:
        yield Mistake(f"{path}.opens", "the start point opens nothing", "names of matches", rule=rule)
    seen: dict[str, str] = {}
    for place, name in enumerate(point.opens):
        at = f"{path}.opens[{place}]"
        if name not in known:
            yield Mistake(at, f"there is no match {name!r}", f"one of: {', '.join(known)}", rule=rule)
        yield from repeated(at, name, seen)
    fed = [name for name in point.opens if definition.feeding(name)]
    if fed and not point.once:
        message = f"{fed[0]!r} gets its players through links and opens when they have come"
        yield Mistake(f"{path}.opens", message, 'repeat = "none" with a time, or leave it out here', rule="R-HI-01")
    if fed and len(fed) < len(point.opens):
        message = f"players come to {fed[0]!r} through links, and register for the others"
        yield Mistake(f"{path}.opens", message, "a start point for each kind", rule="R-HI-01")


def _at_time(point: StartPoint, path: str) -> Iterator[Mistake]:
    rule = "R-HI-02"
    if point.start_at is None:
        example = "start_at = 2026-03-01T20:00:00"
        yield Mistake(f"{path}.start_at", "it does not say when it starts", "a date and a time", example, rule)
    elif not WALL_TIME.fullmatch(point.start_at):
        yield Mistake(f"{path}.start_at", f"{point.start_at!r} is no wall time", "2026-03-01T20:00:00", rule=rule)
    if point.wait_ms is not None:
        yield not_here(f"{path}.wait_ms", "the start has its time already", rule)
    if point.register_from_ms is not None:
        yield from outside_time(f"{path}.register_from_ms", point.register_from_ms, rule)
    windows = (("register_until_ms", point.register_until_ms), ("withdraw_until_ms", point.withdraw_until_ms))
    for word, value in windows:
        if value is not None and not 0 <= value <= MOST_MS:
            expected = f"from 0 to {MOST_MS // 1000} seconds"
            yield Mistake(f"{path}.{word}", "the window ends outside of what is possible", expected, rule=rule)
    if point.register_until_ms >= point.window_ms:
        message = "registration would end before it begins"
        expected = f"less than the {point.window_ms // 1000} seconds of register_from_s"
        yield Mistake(f"{path}.register_until_ms", message, expected, rule=rule)


def _when_full(point: StartPoint, path: str) -> Iterator[Mistake]:
    rule = "R-HI-02"
    if point.full_count is None:
        message = "a start point that fires when full does not say how many are enough"
        yield Mistake(f"{path}.full_count", message, "a number of players", "full_count = 90", rule)
    if point.wait_ms is not None:
        yield from outside_time(f"{path}.wait_ms", point.wait_ms, rule)
    plain = StartPoint(point.id, point.opens)
    for word in ("start_at", "repeat", "register_from_ms", "register_until_ms", "withdraw_until_ms"):
        if getattr(point, word) != getattr(plain, word):
            yield not_here(f"{path}.{word}", "it starts when it is full", rule)


def _links(definition: TourneyDefinition) -> Iterator[Mistake]:
    """R-HI-01: which match feeds which."""
    rule = "R-HI-01"
    known = [match.id for match in definition.matches]
    seen: dict[tuple[str, str], int] = {}
    for number, link in enumerate(definition.links):
        path = f"links[{number}]"
        for word, name in (("from_match", link.from_match), ("to_match", link.to_match)):
            if name not in known:
                yield Mistake(f"{path}.{word}", f"there is no match {name!r}", f"one of: {', '.join(known)}", rule=rule)
        if (link.from_match, link.to_match) in seen:
            first = seen[link.from_match, link.to_match]
            yield Mistake(path, f"links[{first}] leads the same way", "one link between two matches", rule=rule)
        seen.setdefault((link.from_match, link.to_match), number)
        yield from outside(f"{path}.n", link.n, 1, MOST_PLAYERS, rule)
        yield from carry_out_mistakes(link.carry, f"{path}.carry")
        if link.from_match in definition.reached((link.to_match,)):
            message = f"{link.to_match!r} would wait for itself"
            yield Mistake(f"{path}.to_match", message, "a match that comes later", rule=rule)
        elif not _same_series(definition, link):
            message = f"{link.to_match!r} is reached from a start point that comes once and from one that comes again"
            yield Mistake(f"{path}.to_match", message, "start points of one kind", rule=rule)


def _same_series(definition: TourneyDefinition, link: Link) -> bool:
    """Whether all start points that lead to the target of a link come once, or all come again."""
    kinds = [point.once for point in definition.start_points if link.to_match in definition.reached(point.opens)]
    return all(kinds) or not any(kinds)


def _playable(definition: TourneyDefinition) -> Iterator[Mistake]:
    """Counts that are known before anybody registers and cannot be played."""
    for number, point in enumerate(definition.start_points):
        matches = [definition.match(name) for name in point.opens]
        alike = all(match.entry == matches[0].entry for match in matches)
        fed = any(definition.feeding(name) for name in point.opens)
        if point.full_count is None or point.mode != "when_full" or not alike or fed:
            continue
        for turn, match in enumerate(matches):
            players = (point.full_count - turn + len(matches) - 1) // len(matches)
            stuck = why_not(by_word(match.definition), players)
            if stuck is not None:
                path = f"start_points[{number}].full_count"
                yield Mistake(path, f"match {match.id!r}: {stuck.message}", rule=stuck.rule)
    for number, match in enumerate(definition.matches):
        links = definition.feeding(match.id)
        if not links:
            continue
        players = sum(link.n for link in links)
        stuck = why_not(by_word(match.definition), players)
        if stuck is not None:
            message = f"{players} players come through its links: {stuck.message}"
            yield Mistake(f"matches[{number}].id", message, rule=stuck.rule)
