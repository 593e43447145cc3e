"""Deals can be verified by anybody, and nobody sees one before its hand."""

import json

import attrs
import pytest
from click.testing import CliRunner

from coordinator.cli import cli
from coordinator.engine.definition import Interruption
from coordinator.errors import ExportRefused, SecretKept
from coordinator.journal.dealt import dealt, wrong_deals
from coordinator.journal.sqlite import MemoryStore, SqliteStore
from protocol import messages as m
from protocol.deal import commitment, deal_of
from tests.engine.stages import KNOCKOUT, match_of
from tests.shell.premises import premises
from tests.shell.programs import open_match, report


async def play(house, lobby, server, match_id: str, hands: int) -> list[m.StartHand]:
    """Play hands of a match of one table, each reported as soon as it was started."""
    seat = await server.next(m.Seat)
    starts = []
    for _ in range(hands):
        start = await server.next(m.StartHand)
        starts.append(start)
        assert (await server.ask(report(seat, start))).verdict == "scored"
    return starts


async def test_the_hash_comes_first_and_the_secret_last(tmp_path):
    url = f"sqlite:///{tmp_path}/journal.db"
    with SqliteStore(f"{tmp_path}/journal.db") as store:
        async with premises(store=store) as house:
            lobby, server = await house.lobby(), await house.table_server()
            opened = await lobby.ask(m.OpenMatch("cup", "three", ref=1))
            before = house.picture.match("cup")
            assert before is not None
            assert (before["deal_commitment"], before["secret"]) == (opened.deal_commitment, None)
            for number in (1, 2, 3):
                await lobby.ask(m.Register("cup", f"p{number}", f"P{number}", ref=1))
            starts = await play(house, lobby, server, "cup", 2)
            assert "secret" not in str([message for message in lobby.heard if not isinstance(message, m.MatchOver)])
            with pytest.raises(SecretKept):
                verify("cup", "--journal", url, "--export", f"{tmp_path}/early.json")
            assert not (tmp_path / "early.json").exists()
            start = await server.next(m.StartHand)
            starts.append(start)
            seat = next(message for message in server.heard if isinstance(message, m.Seat))
            await server.ask(report(seat, start))
            over = await lobby.next(m.MatchOver)
        assert commitment(over.deal_secret) == opened.deal_commitment
        for start in starts:
            assert start.deal == deal_of(over.deal_secret, "cup", f"t{start.table_id}", start.hand_no)
        found = dealt(store, "cup")
        assert [deal for _, _, deal in found.deals] == [start.deal for start in starts]
        assert wrong_deals(found) == []
    assert verify("--journal", url) == "cup: 3 deals, all as the published hash demands\n"
    verify("cup", "--journal", url, "--export", f"{tmp_path}/cup.json")
    assert verify("--file", f"{tmp_path}/cup.json") == "cup: 3 deals, all as the published hash demands\n"
    with pytest.raises(ExportRefused, match="cannot be written"):
        verify("cup", "--journal", url, "--export", f"{tmp_path}/nowhere/cup.json")


def verify(*words: str) -> str:
    done = CliRunner().invoke(cli, ["verify-deals", *words], standalone_mode=False)
    if done.exception is not None:
        raise done.exception
    return done.output


async def test_a_deal_is_never_sent_before_its_hand():
    """Of all that anybody is told, only a table server's own start_hand bears a deal, and only of the hand in play."""
    async with premises() as house:
        lobby, server = await house.lobby(), await house.table_server(capacity=1)
        eyes = house.program("eyes", "spectator")
        await eyes.hello()
        idle = await house.table_server("idle")
        await open_match(lobby, "cup", "three", 3)
        await eyes.ask(m.Subscribe("cup", ref=1))
        secret = house.desk("cup").state.secret
        deals = {deal_of(secret, "cup", "t1", hand_no): hand_no for hand_no in range(1, 10)}
        seat = await server.next(m.Seat)
        told: list[int] = []
        for hand_no in (1, 2):
            start = await server.next(m.StartHand)
            told.append(deals[start.deal])
            assert told == list(range(1, hand_no + 1))
            await server.ask(report(seat, start))
        others = str(lobby.heard + eyes.heard + idle.heard + [house.picture.match("cup"), house.picture.status()])
        assert not any(deal in others for deal in deals)
        assert secret not in others


async def test_a_repeated_hand_has_the_same_deal():
    async with premises() as house:
        lobby, server = await house.lobby(), await house.table_server()
        await open_match(lobby, "cup", "one", 3)
        first = await server.next(m.StartHand)
        await server.restart("life-2")
        again = await server.next(m.StartHand)
        assert (again.attempt_no, again.deal) == (2, first.deal)


async def test_a_hand_dealt_afresh_is_verified_as_such():
    store = MemoryStore()
    afresh = attrs.evolve(match_of(attrs.evolve(KNOCKOUT, interruption=Interruption("redeal")), players=3), id="afresh")
    async with premises({"afresh": afresh}, store=store) as house:
        lobby, server = await house.lobby(), await house.table_server()
        await open_match(lobby, "cup", "afresh", 3)
        first = await server.next(m.StartHand)
        await server.restart("life-2")
        again = await server.next(m.StartHand)
        assert again.deal != first.deal
    found = dealt(store, "cup")
    assert found.deals == (("t1", 1, first.deal), ("t1r1", 1, again.deal))
    assert wrong_deals(found) == []


def a_match():
    secret = "s"
    deals = [["t1", 1, deal_of(secret, "cup", "t1", 1)], ["b/b2", 2, deal_of(secret, "cup", "b/b2", 2)]]
    return {"match_id": "cup", "deal_commitment": commitment(secret), "secret": secret, "deals": deals}


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"secret": "another"}, "the secret is not the one whose hash was published"),
        ({"deal_commitment": "00" * 32}, "the secret is not the one whose hash was published"),
        ({"deals": [["t1", 1, "ab" * 32]]}, "t1, hand 1: the deal does not follow from the secret"),
        ({"match_id": "other"}, "t1, hand 1: the deal does not follow from the secret"),
    ],
)
def test_a_chosen_deal_is_found(tmp_path, change, complaint):
    file = tmp_path / "cup.json"
    file.write_text(json.dumps(a_match() | change))
    done = CliRunner().invoke(cli, ["verify-deals", "--file", str(file)])
    assert done.exit_code == 1
    assert complaint in done.stderr


@pytest.mark.parametrize("text", ["", "[]", "{}", json.dumps(a_match() | {"deals": [1]}), "[" * 100_000])
def test_what_is_no_export_is_refused(tmp_path, text):
    file = tmp_path / "cup.json"
    file.write_text(text)
    with pytest.raises(ExportRefused):
        verify("--file", str(file))
