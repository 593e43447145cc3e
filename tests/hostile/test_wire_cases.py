"""Cases from real life about the wire's format and the checks of what comes in."""

import pytest
from msgspec import msgpack

from coordinator.shell.dispatch import match_over
from coordinator.shell.limits import Limits
from coordinator.shell.peers import FRAME_BYTES
from protocol import messages as m
from protocol.codec import build_frame, encode_message
from tests.engine.stages import KNOCKOUT, match_of
from tests.hostile.catalogue import hand_ended, packed, with_score
from tests.hostile.scene import a_scene, word
from tests.shell.peers import BINARY, TEXT, frame
from tests.shell.premises import premises

CUT = "malformed, close 4000"
QUIET = Limits(dead_after_s=3600, hello_timeout_s=3600, open_timeout_s=3600)


@pytest.mark.parametrize("role", ["table", "lobby", "spectator"])
async def test_case_127_whole_number_keys_in_a_map_are_a_protocol_error_and_the_task_lives_on(role):
    async with a_scene() as scene:
        assert await scene.message(packed({1: 2}), role) == "malformed"
        assert await scene.message(hand_ended(scores={1: 2, 2: -2}), "table") == "malformed scores"
        await scene.check_bystander()


async def test_case_127_what_goes_out_has_text_as_keys_everywhere():
    def keys(value):
        if isinstance(value, dict):
            for key, inner in value.items():
                yield key
                yield from keys(inner)
        elif isinstance(value, list):
            for inner in value:
                yield from keys(inner)

    async with a_scene() as scene, scene.table() as table:
        await table.verdict(1, 0, 0)
        for payload in table.server.frames + scene.lobby.frames:
            assert all(type(key) is str for key in keys(msgpack.decode(payload)))


@pytest.mark.parametrize(
    ("payload", "answer"),
    [
        (bytes.fromhex("82a178"), CUT),
        (bytes.fromhex("dfffffffff"), CUT),
        (bytes.fromhex("c6ffffffff"), CUT),
        (build_frame(1, 0, [encode_message(m.Subscribe("x", 1))]) + b"\0", CUT),
        (b"\x91" * 1200, CUT),
        (b"", CUT),
        (build_frame(1, 0, [with_score(packed(float("nan")))]), "malformed scores[...]"),
        (build_frame(1, 0, [with_score(packed(2**63))]), "malformed scores[...]"),
    ],
)
async def test_case_128_cut_padded_and_boastful_frames_are_refused_and_others_unaffected(payload, answer):
    async with a_scene() as scene:
        assert await scene.payload(payload, "table") == answer
        await scene.check_bystander()


async def test_case_128_a_text_frame_is_refused():
    async with a_scene() as scene:
        assert await scene.frames(frame(TEXT, b"{}")) == "close 1003"


async def test_case_128_the_sender_of_nonsense_is_cut_after_a_stated_number():
    async with premises(limits=QUIET) as house:
        program = house.program("babbler", "table")
        await program.hello()
        most = int(house.peer("babbler").paces.bad.most)
        for _ in range(most + 1):
            await program.say_raw(packed({1: 2}))
        assert await program.close_code() == 4029
        assert sum(isinstance(told, m.Error) for told in program.heard) <= most


@pytest.mark.parametrize("size", [5_000_000, 70_000])
async def test_case_132_a_very_large_message_closes_with_1009_and_nothing_is_stored(size):
    async with a_scene() as scene, scene.table() as table:
        records = scene.house.desk(f"row-{scene.number}").chain.seq
        assert table.server.raw is not None
        # The header alone is enough: nothing of the message is waited for.
        await table.server.raw.send(frame(BINARY, hand_ended(), claim=size, width=8 if size > 65_535 else 2))
        assert await table.server.close_code() == 1009
        assert scene.house.desk(f"row-{scene.number}").chain.seq == records
        await table.server.cut()
        await scene.house.gone(table.server.identity)


def test_case_132_what_is_large_goes_out_in_parts_below_the_documented_size():
    rows = [m.PlaceRow(number, f"p{number}" + "x" * 58, -(2**40), "s" * 64, "9" * 64) for number in range(1, 3001)]
    parts = match_over("m" * 64, rows, "s" * 256)
    assert [row.place for part in parts for row in part.places] == list(range(1, 3001))
    assert all(len(encode_message(part)) < FRAME_BYTES for part in parts)
    lines = [m.StandingRow(1, "p" * 64, "\U0001f0a1" * 64, -(2**53 - 1), "9" * 64, "registered", 2**53 - 1)] * 100
    standings = m.Standings("m" * 64, "s" * 64, 1, 3000, 3000, 1, 1, lines)
    assert len(encode_message(standings)) < FRAME_BYTES


async def test_case_134_names_that_look_the_same_are_cleaned_or_refused_and_never_an_identity():
    async with premises({"nine": match_of(KNOCKOUT, players=9)}, limits=QUIET) as house:
        lobby = await house.lobby()
        await lobby.ask(m.OpenMatch("cup", "nine", ref=1))
        found = {}
        for number, name in enumerate(["Ann", "Ann\u200e", "\u202eAnn", "\u0391nn", "ann", "Ann "], start=1):
            found[f"p{number}"] = word(await lobby.ask(m.Register("cup", f"p{number}", name, ref=1)))
        assert found == {
            "p1": "entered",
            "p2": "name_refused name",
            "p3": "name_refused name",
            "p4": "entered",
            "p5": "entered",
            "p6": "entered",
        }
        seen = house.picture.match("cup")
        assert seen is not None
        # Wherever a name is shown, the id that nobody else can have is beside it.
        assert {(line["player_id"], line["name"]) for line in seen["standings"]} == {
            ("p1", "Ann"),
            ("p4", "\u0391nn"),
            ("p5", "ann"),
            ("p6", "Ann"),
        }


@pytest.mark.parametrize("score", [-3.667, 10.0, 3.5])
async def test_case_136_a_fraction_is_no_score(score):
    async with a_scene() as scene:
        assert await scene.message(with_score(packed(score)), "table") == "malformed scores[...]"


async def test_case_136_scores_that_lose_points_on_the_way_are_refused():
    async with a_scene() as scene, scene.table() as table:
        assert await table.verdict(1000, -1000, -1000) == "invalid scores"
