"""What a demo makes of its options before anything runs."""

import os

import attrs
import pytest

from bots.demo_plan import Definition, DemoPlan, example
from bots.errors import DemoFailed


def plan(**options):
    return attrs.evolve(DemoPlan(players=90, servers=4, seed="s"), **options)


def written(directory, text):
    path = directory / "friday.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_speed_divides_think_time():
    assert plan(think=0.02, speed=4).think_s == 0.005
    assert plan(think=0.02, speed=1).think_s == 0.02


def test_speed_zero_is_no_think_time():
    assert plan(speed=0).think_s == 0


@pytest.mark.parametrize("players", [3, 90, 3000])
def test_one_server_alone_could_hold_every_table(players):
    """So that the demo goes on when all but one were killed; a table has two seats at least."""
    assert plan(players=players).capacity >= players // 2


def test_the_shipped_cup_is_known_by_its_name():
    assert plan().look() == Definition(id="cup", game="dou_dizhu", needs_word=False)


def test_a_definition_of_ones_own_says_its_id_game_and_start(tmp_path):
    text = 'id = "friday"\ngame = "dou_dizhu"\n[start]\nmode = "manual"\n'
    found = plan(definition=written(tmp_path, text)).look()
    assert found == Definition(id="friday", game="dou_dizhu", needs_word=True)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('game = "whist"', "game is 'whist'"),
        ("not toml", "not a TOML file"),
    ],
)
def test_a_definition_that_cannot_be_played_is_refused(tmp_path, text, said):
    with pytest.raises(DemoFailed, match=said) as refused:
        plan(definition=written(tmp_path, text)).look()
    assert refused.value.exit_code == 3


def test_a_definition_that_is_not_there_is_refused():
    with pytest.raises(DemoFailed, match=r"nowhere\.toml: No such file") as refused:
        plan(definition="nowhere.toml").look()
    assert refused.value.exit_code == 3


@pytest.mark.parametrize("what", ["a pipe", "a folder", "no end"])
def test_a_definition_that_is_no_file_is_refused(tmp_path, what):
    where = tmp_path / "friday.toml"
    if what == "a pipe":
        os.mkfifo(where)
    elif what == "a folder":
        where.mkdir()
    else:
        where = "/dev/zero"
    with pytest.raises(DemoFailed, match=f"{where}: it is no file"):
        plan(definition=str(where)).look()


@pytest.mark.parametrize("text", ["a = " + "[" * 50_000, "a = " + "9" * 5000], ids=["deep", "a long number"])
def test_a_definition_that_no_parser_reads_is_refused(tmp_path, text):
    with pytest.raises(DemoFailed, match="not a TOML file"):
        plan(definition=written(tmp_path, text)).look()


def test_the_daemon_is_asked_for_free_ports_and_a_ready_file(tmp_path):
    arguments = plan(definition="friday.toml").daemon_arguments(tmp_path)
    assert arguments[0] == "serve"
    options = dict(zip(arguments[1::2], arguments[2::2], strict=True))
    assert options == {
        "--listen": "127.0.0.1:0",
        "--http": "127.0.0.1:0",
        "--journal": f"sqlite:///{tmp_path}/journal.db",
        "--definition": "friday.toml",
        "--ready-file": str(tmp_path / "ready.json"),
    }


def test_a_table_server_is_told_where_to_dial_and_how_long_to_think():
    arguments = plan(think=0.01, speed=2).table_server_arguments(3, "127.0.0.1:8111", "dou_dizhu")
    options = dict(zip(arguments[::2], arguments[1::2], strict=True))
    assert options == {
        "--url": "ws://127.0.0.1:8111",
        "--id": "ts-3",
        "--games": "dou_dizhu",
        "--capacity": "64",
        "--think": "0.005",
    }


@pytest.mark.parametrize("name", ["continuous_swiss", "continuous-swiss"])
def test_an_example_is_known_by_its_name(name, tmp_path):
    asked = plan(players=None, definition=str(example(name)), shipped=True)
    found = asked.look()
    assert (found.id, found.game, found.by_the_clock) == ("continuous-swiss", "bridge", True)
    assert found.players == 20, "sixteen start it, four come late"
    assert "--definition" not in asked.daemon_arguments(tmp_path), "the daemon knows its examples"


def test_nobody_comes_late_to_the_cup():
    assert not plan(definition=str(example("cup"))).look().by_the_clock


def test_an_example_that_does_not_exist_is_refused():
    with pytest.raises(DemoFailed, match="the examples are continuous_swiss, cup, daily_cup, dominion") as refused:
        example("nothing")
    assert refused.value.exit_code == 3
