"""The command line: streams, exit codes, and every way of failing ends in a sentence."""

import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import EntryPoint
from pathlib import Path
from threading import Thread

import click
import pytest
from click.testing import CliRunner, Result

from coordinator import cli as front
from coordinator.cli import cli
from coordinator.definition_file import shipped
from coordinator.engine.commands import OpenMatch, RegisterPlayer
from coordinator.engine.definition import GameState, Grouping, MatchDefinition, Phase, PlayerState, Round, Stage, Start
from coordinator.engine.match import new_state, step
from coordinator.engine.refusal import Refused
from coordinator.errors import AddressInUse, CoordinatorError
from coordinator.journal.records import Chain
from coordinator.journal.store import open_store
from tests.journal.small_match import write

BROKEN = 'id = "x"\ngame = "dou_dizhu"\nstart = { mode = "manualy" }\n[[stages]]\nid = "s"\nformat = "swis_shift"\n'


@pytest.fixture(autouse=True)
def _empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("COORDINATOR_CONFIG", "COORDINATOR_JOURNAL", "COORDINATOR_URL", "COORDINATOR_LISTEN"):
        monkeypatch.delenv(name, raising=False)


def run(*words: str) -> Result:
    return CliRunner().invoke(cli, list(words))


def written(text: str, name: str) -> str:
    Path(name).write_text(text, encoding="utf-8")
    return name


# ------------------------------------------------------------------------------------------- the front door


@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_help_names_every_verb(flag: str) -> None:
    result = run(flag)
    assert result.exit_code == 0
    for verb in front.VERBS:
        assert verb in result.stdout
    assert "..." not in result.stdout.partition("Commands:")[2]


def test_help_imports_neither_the_database_nor_the_servers() -> None:
    code = (
        "import sys\n"
        "from coordinator.cli import cli\n"
        "try:\n    cli.main(['--help'])\n"
        "except SystemExit as end:\n    assert end.code == 0\n"
        "slow = {'sqlalchemy', 'starlette', 'trio', 'hypercorn', 'structlog', 'rich', 'numpy'}\n"
        "print(sorted(slow & set(sys.modules)))\n"
    )
    root = Path(__file__).parents[1]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_version() -> None:
    result = run("--version")
    assert result.exit_code == 0
    assert result.stdout.startswith("coordinator ")


def test_a_misspelt_verb_is_a_usage_error_with_a_suggestion() -> None:
    result = run("chek")
    assert result.exit_code == 2
    assert "Did you mean 'check'?" in result.stderr
    assert result.stdout == ""


def test_a_misspelt_flag_is_a_usage_error_with_a_suggestion() -> None:
    result = run("check", "--playrs", "5", "cup")
    assert result.exit_code == 2
    assert "--players" in result.stderr


@click.command()
def hello() -> None:
    """Greet."""
    click.echo("hello")


@click.command()
@click.argument("kind")
def failing(kind: str) -> None:
    """Fail."""
    raise {
        "ours": AddressInUse("127.0.0.1:7420"),
        "group": ExceptionGroup("", [AddressInUse("127.0.0.1:7420")]),
        "mixed": ExceptionGroup("", [AddressInUse("127.0.0.1:7420"), KeyError("x")]),
        "bug": ZeroDivisionError("one by nothing\nand more"),
        "interrupt": KeyboardInterrupt(),
    }[kind]


@pytest.fixture
def _plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    places = {"hello": "hello", "failing": "failing", "nothere": "missing", "nocommand": "BROKEN"}
    found = {name: EntryPoint(name, f"{__name__}:{place}", front.PLUGINS) for name, place in places.items()}
    found["noimport"] = EntryPoint("noimport", "no.such.package:verb", front.PLUGINS)
    monkeypatch.setattr(front, "_plugins", lambda: found)
    monkeypatch.setattr(cli, "_broken", {})


@pytest.mark.usefixtures("_plugins")
def test_verbs_join_and_broken_ones_are_one_line_each() -> None:
    assert run("hello").stdout == "hello\n"
    result = run("--help")
    assert result.exit_code == 0
    assert "Greet." in result.stdout
    warnings = result.stderr.splitlines()
    assert len(warnings) == 3
    assert all(line.startswith("warning: the verb 'no") for line in warnings)


@pytest.mark.usefixtures("_plugins")
def test_a_broken_verb_says_why_it_cannot_be_used() -> None:
    result = run("noimport")
    assert result.exit_code == 2
    assert "No module named 'no'" in result.stderr


@pytest.mark.usefixtures("_plugins")
@pytest.mark.parametrize("kind", ["ours", "group"])
def test_our_errors_are_a_sentence_a_code_and_their_exit_code(kind: str) -> None:
    result = run("failing", kind)
    assert result.exit_code == 5
    assert result.stderr.startswith("error: 127.0.0.1:7420 is in use")
    assert result.stderr.endswith("[address_in_use]\n")


@pytest.mark.usefixtures("_plugins")
@pytest.mark.parametrize("kind", ["bug", "mixed"])
def test_a_bug_is_one_line_unless_asked(kind: str) -> None:
    result = run("failing", kind)
    assert result.exit_code == 1
    assert "this is our bug" in result.stderr
    assert "Traceback" not in result.stderr
    assert len(result.stderr.splitlines()) == 2
    assert "Traceback" in run("--log-level", "debug", "failing", kind).stderr


@pytest.mark.usefixtures("_plugins")
def test_an_interrupt_ends_with_130() -> None:
    assert run("failing", "interrupt").exit_code == 130


def test_every_error_has_a_code_of_its_own_and_a_documented_exit_code() -> None:
    family = list(walk(CoordinatorError))
    codes = [error.code for error in family if "code" in vars(error)]
    assert len(codes) == len(set(codes))
    assert {error.exit_code for error in family} <= {1, 2, 3, 4, 5, 6}


def walk(error: type[CoordinatorError]) -> Iterator[type[CoordinatorError]]:
    for inner in error.__subclasses__():
        yield inner
        yield from walk(inner)


# ------------------------------------------------------------------------------------------------- check


def test_check_shows_how_the_field_shrinks() -> None:
    result = run("check", "cup")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "cup: 'cup' is in order, 4 stages",
        "90 players:",
        "stage\tenter\tgo on",
        "melee\t90\t43 to 45",
        "swiss\t43 to 45\t27",
        "knockout\t27\t3",
        "final\t3\t3",
    ]
    assert result.stderr == ""


def test_check_takes_files_and_names() -> None:
    assert run("check", str(shipped()["cup"]), "half-knockout", "half_knockout").exit_code == 0


def test_check_refuses_a_field_that_cannot_play() -> None:
    result = run("check", "cup", "--players", "26")
    assert result.exit_code == 3
    assert "stage 'final' seats exactly 3 and 'knockout' would send 4 (R-DF-01)" in result.stdout
    assert "[definition_refused]" in result.stderr


def test_check_reports_all_mistakes_of_all_files() -> None:
    broken = written(BROKEN, "broken.toml")
    result = run("check", broken, "cup", "missing.toml")
    assert result.exit_code == 3
    out = result.stdout
    assert "broken.toml:3: start.mode" in out
    assert 'did you mean "swiss_shift"?' in out
    assert out.count("the required mechanism") == 6
    assert "cup: 'cup' is in order" in out
    assert "missing.toml: cannot be read" in out
    assert "refused: broken.toml, missing.toml" in result.stderr


def test_check_warns_without_refusing() -> None:
    text = shipped()["half_knockout"].read_text(encoding="utf-8").replace("hands = 2", "hands = 5")
    result = run("check", written(text, "long.toml"))
    assert result.exit_code == 0
    assert "warning: long.toml:" in result.stdout
    assert "[R-RF-01]" in result.stdout


def test_check_in_json() -> None:
    result = run("check", "cup", written(BROKEN, "broken.toml"), "--json")
    assert result.exit_code == 3
    cup, broken = json.loads(result.stdout)["files"]
    assert cup["ok"] is True
    assert cup["flow"][0] == {"stage_id": "melee", "entrants": [90, 90], "leaves": [43, 45]}
    assert broken["ok"] is False
    assert {"path", "message", "expected", "suggestion", "rule", "file", "line", "code"} == set(broken["problems"][0])


@pytest.mark.parametrize("words", [["check"], ["check", "cup", "--players", "0"], ["check", "cup", "--players", "x"]])
def test_check_used_wrongly(words: list[str]) -> None:
    assert run(*words).exit_code == 2


# ------------------------------------------------------------------------------------------------ config


def test_config_init_prints_or_writes_and_never_overwrites_unasked() -> None:
    assert '#listen = "127.0.0.1:7420"' in run("config", "init").stdout
    assert run("config", "init", "own.toml").exit_code == 0
    assert run("config", "check", "own.toml").exit_code == 0
    result = run("config", "init", "own.toml")
    assert result.exit_code == 2
    assert "--yes" in result.stderr
    assert run("config", "init", "own.toml", "--yes").exit_code == 0


def test_config_show_says_where_each_value_came_from(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COORDINATOR_JOURNAL", "postgresql://me:geheim@db/cups")
    file = written('http = "127.0.0.1:9"\n', "own.toml")
    result = run("config", "show", "--config", file)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert 'http\t"127.0.0.1:9"\town.toml:1' in lines
    assert 'journal\t"postgresql://me:***@db/cups"\tCOORDINATOR_JOURNAL' in lines
    assert 'log_level\t"info"\tdefault' in lines
    rows = json.loads(run("config", "show", "--config", file, "--json").stdout)
    assert {"setting": "http", "value": '"127.0.0.1:9"', "from": "own.toml:1"} in rows


def test_config_check_reports_everything() -> None:
    result = run("config", "check", written('listen = 5\nhttp = ""\nfoo = 1\n', "own.toml"))
    assert result.exit_code == 3
    assert [line.partition(": ")[0] for line in result.stderr.splitlines()] == [
        "own.toml:3",
        "own.toml:1",
        "own.toml:2",
        "error",
    ]
    assert result.stderr.endswith("[config_refused]\n")


# ----------------------------------------------------------------------------------------- a running daemon


@contextmanager
def answering(pages: dict[str, tuple[int, str]]) -> Iterator[str]:
    """A server that answers these pages and nothing else."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, body = pages.get(self.path, (404, json.dumps({"title": "Not Found", "detail": "no such match"})))
            self.send_response(status)
            self.send_header("Content-Length", str(len(body.encode())))
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


MATCHES = {
    "matches": [{"id": "cup-1", "status": "running", "players": 90}, {"id": "cup-2", "status": "open", "players": 3}]
}


def test_match_list_and_show() -> None:
    one = {"id": "a/b", "title": None, "stages": [{"id": "melee", "left": 60}], "clock": {"next": 5}}
    pages = {
        "/api/v1/matches": (200, json.dumps(MATCHES)),
        "/api/v1/matches?before=cup-1": (200, json.dumps([{"id": "cup-0", "status": "over", "players": 7}])),
        "/api/v1/matches/a%2Fb": (200, json.dumps(one)),
    }
    with answering(pages) as url:
        assert run("match", "list", "--url", url).stdout.splitlines() == [
            "id\tstatus\tplayers",
            "cup-1\trunning\t90",
            "cup-2\topen\t3",
        ]
        assert json.loads(run("match", "list", "--url", url, "--json").stdout) == MATCHES
        assert run("match", "list", "--before", "cup-1", "--url", url).stdout.splitlines()[1:] == ["cup-0\tover\t7"]
        shown = run("match", "show", "a/b", "--url", url)
        assert shown.exit_code == 0
        assert "title\t-" in shown.stdout
        assert "melee\t60" in shown.stdout
        missing = run("match", "show", "nope", "--url", url)
        assert missing.exit_code == 1
        assert "no such match [daemon_refused]" in missing.stderr


def test_status() -> None:
    with answering({"/api/v1/status": (200, json.dumps({"ready": True, "sessions": 4}))}) as url:
        assert "ready\tyes" in run("status", "--url", url).stdout
        assert json.loads(run("status", "--url", url, "--json").stdout)["sessions"] == 4


@pytest.mark.parametrize("words", [["status"], ["match", "list"], ["match", "show", "cup"]])
def test_a_daemon_that_is_not_there_is_one_sentence(words: list[str]) -> None:
    with answering({}) as url:
        pass
    result = run(*words, "--url", url)
    assert result.exit_code == 1
    assert len(result.stderr.splitlines()) == 1
    assert result.stderr.startswith(f"error: no coordinator answers at {url}")


def test_somebody_else_answers() -> None:
    with answering({"/api/v1/status": (200, "<html>")}) as url:
        result = run("status", "--url", url)
    assert result.exit_code == 1
    assert "no coordinator" in result.stderr
    assert run("status", "--url", "ftp://x").exit_code == 2


# ------------------------------------------------------------------------------------------------- serve


def test_serve_refuses_settings_before_it_starts_anything() -> None:
    result = run("serve", "--listen", "nowhere", "--journal", "x", "--log-level", "loud")
    assert result.exit_code == 3
    assert len(result.stderr.splitlines()) == 4
    assert "--listen: listen: got 'nowhere'" in result.stderr
    assert "[config_refused]" in result.stderr
    assert list(Path().iterdir()) == []


# ------------------------------------------------------------------------------------------------ replay


def a_journal(name: str, *, altered: bool = False) -> str:
    """A journal of one short match, its last record decided otherwise if ``altered``; returns its URL."""
    url = f"sqlite:///{name}"
    chain, state = Chain.start("m"), new_state()
    duel = Stage(
        id="duel",
        format="default",
        table_size=2,
        round=Round(),
        grouping=Grouping(),
        leave="forbidden",
        score_processing="none",
        initial_player_state=PlayerState(),
        initial_game_state=GameState(),
    )
    definition = MatchDefinition("duel", "gin", (Phase("p", (duel,)),), start=Start(full_count=2))
    with open_store(url) as store:
        for command in (
            OpenMatch(0, "m", definition, "seed", "secret"),
            RegisterPlayer(1, "p1", "One"),
            RegisterPlayer(2, "p2", "Two"),
        ):
            outcome = step(state, command)
            assert not isinstance(outcome, Refused)
            if altered and isinstance(command, RegisterPlayer) and command.player_id == "p2":
                command = RegisterPlayer(2, "p2", "Somebody else")
            store.append([chain.seal(command, outcome.events, outcome.effects, 0)])
    return url


def test_replay_says_that_a_journal_comes_out_the_same() -> None:
    url = a_journal("j.db")
    result = run("replay", "--journal", url)
    assert result.exit_code == 0
    assert len(result.stdout.splitlines()) == 1
    assert result.stdout.startswith("m: ")
    checked = run("replay", "m", "--journal", url, "--check", "--json")
    assert checked.exit_code == 0
    report = json.loads(checked.stdout)
    assert (report["match_id"], report["records"], report["same_decisions"]) == ("m", 3, True)
    assert report["sentence"]
    assert bytes.fromhex(report["state_hash"])


def test_replay_that_decides_otherwise_ends_with_4() -> None:
    url = a_journal("j.db", altered=True)
    result = run("replay", "--journal", url, "--check", "--json")
    assert result.exit_code == 4
    (report,) = json.loads(result.stdout)
    assert report["same_decisions"] is False
    assert report["first_difference"]


def test_replay_goes_on_behind_a_match_that_is_damaged() -> None:
    url = "sqlite:///j.db"
    with open_store(url) as store:
        for name in ("a", "b", "c"):
            write(store, name)
    with sqlite3.connect("j.db") as connection:
        connection.execute("UPDATE records SET body = zeroblob(9) WHERE match_id = 'b' AND seq = 3")
    connection.close()
    result = run("replay", "--journal", url)
    assert result.exit_code == 4
    first, damaged, last = result.stdout.splitlines()
    assert (first[:3], last[:3]) == ("a: ", "c: ")
    assert damaged.startswith("Match 'b', record 3: its bytes do not match its hash.")
    told = json.loads(run("replay", "--journal", url, "--json").stdout)
    assert [(report["match_id"], report["whole"]) for report in told] == [("a", True), ("b", False), ("c", True)]
    assert told[1]["record"] == 3
    alone = run("replay", "b", "--journal", url)
    assert (alone.exit_code, "[journal_damaged]" in alone.stderr) == (4, True)


def test_replay_takes_the_journal_of_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COORDINATOR_JOURNAL", a_journal("j.db"))
    assert run("replay", "m").exit_code == 0
    missing = run("replay", "nope")
    assert missing.exit_code == 1
    assert "holds no match 'nope'" in missing.stderr


def test_replay_without_a_journal_says_so() -> None:
    result = run("replay", "--journal", "sqlite:///nothing.db")
    assert result.exit_code == 6
    assert result.stderr.endswith("[database_unreachable]\n")
    assert not Path("nothing.db").exists()
    Path("other.db").write_text("no database at all, far from it", encoding="utf-8")
    assert run("replay", "--journal", "sqlite:///other.db").exit_code == 4
