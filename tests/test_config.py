"""Settings: who wins, where each came from, every mistake of every source at once, secrets masked."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coordinator.config.example import example
from coordinator.config.loading import ConfigRefused, Loaded, load
from coordinator.config.settings import Settings
from coordinator.config.table import table
from coordinator.config.values import Address
from coordinator.files.problem import Problem


@pytest.fixture(autouse=True)
def _empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def written(text: str, name: str = "settings.toml") -> Path:
    path = Path(name)
    path.write_text(text, encoding="utf-8")
    return path


def refused(
    file: Path | None = None,
    environ: dict[str, str] | None = None,
    flags: dict[str, object] | None = None,
    removed: dict[str, str] | None = None,
) -> tuple[Problem, ...]:
    with pytest.raises(ConfigRefused) as caught:
        load(file, environ or {}, flags, removed or {})
    assert caught.value.exit_code == 3
    return caught.value.problems


def test_a_misspelt_table_is_recognised() -> None:
    (problem,) = refused(written("[limit]\nsessions = 3\n"))
    assert problem.suggestion == 'did you mean "limits"?'


@pytest.mark.parametrize(
    ("listen", "certificate", "urls"),
    [
        ("127.0.0.1:7420", "", ("http://cups.example:7431", "ws://127.0.0.1:7420")),
        ("0.0.0.0:7420", "here.pem", ("https://cups.example:7431", "wss://127.0.0.1:7420")),
        ("[::]:7420", "here.pem", ("https://cups.example:7431", "wss://[::1]:7420")),
    ],
)
def test_settings_say_where_the_daemon_is_found(listen: str, certificate: str, urls: tuple[str, str]) -> None:
    environ = {"COORDINATOR_LISTEN": listen, "COORDINATOR_HTTP": "cups.example:7431"}
    settings = load(None, environ | {"COORDINATOR_TLS_CERTIFICATE": certificate}).settings
    assert (settings.http_url, settings.programs_url) == urls


def test_defaults_need_nothing() -> None:
    loaded = load(None, {})
    assert loaded.settings == Settings()
    assert str(loaded.settings.listen) == "127.0.0.1:7420"
    assert str(loaded.settings.http) == "127.0.0.1:7421"
    assert loaded.settings.journal == "sqlite:///coordinator.db"
    assert set(loaded.origins.values()) == {"default"}


def test_flag_beats_environment_beats_file_beats_default() -> None:
    file = written('# comment\nlisten = "1.1.1.1:1"\nhttp = "1.1.1.1:2"\njournal = "sqlite:///file.db"\n')
    environ = {"COORDINATOR_LISTEN": "2.2.2.2:1", "COORDINATOR_HTTP": "2.2.2.2:2"}
    loaded = load(file, environ, {"listen": "3.3.3.3:1", "http": None})
    assert loaded.settings.listen == Address("3.3.3.3", 1)
    assert loaded.settings.http == Address("2.2.2.2", 2)
    assert loaded.settings.journal == "sqlite:///file.db"
    assert loaded.settings.snapshot_every == 50_000
    assert loaded.origins["listen"] == "--listen"
    assert loaded.origins["http"] == "COORDINATOR_HTTP"
    assert loaded.origins["journal"] == "settings.toml:4"
    assert loaded.origins["snapshot_every"] == "default"


def test_every_setting_can_be_set_by_its_variable() -> None:
    """One rule names them all: the prefix and the path in capitals."""
    values = {"listen": "[::1]:5", "http": "h:6", "journal": "sqlite:///x", "definitions": "a:b", "log_level": "debug"}
    values |= {
        "outage_share": "0.7",
        "limits.http_share": "0.7",
        "calendar_from": "2026-03-28T18:00:00Z",
        "log_format": "json",
        "limits.max_message": "2048",
        "limits.outbox_bytes": "5000",
        "on_damage": "refuse",
    }
    values |= dict.fromkeys(("limits.max_hello", "limits.list_length", "limits.unacknowledged"), "300")
    values |= dict.fromkeys(("limits.bytes_per_s", "limits.session_bytes"), "300000")
    environ = {
        f"COORDINATOR_{setting.path.upper().replace('.', '_')}": values.get(setting.path, "7") for setting in table()
    }
    loaded = load(None, environ)
    assert loaded.settings.listen == Address("::1", 5)
    assert str(loaded.settings.listen) == "[::1]:5"
    assert loaded.settings.definitions == (Path("a"), Path("b"))
    assert loaded.settings.limits.sessions == 7
    assert loaded.settings.server_grace_s == 7.0
    assert set(loaded.origins.values()) == set(environ)


def test_the_file_is_found_by_flag_variable_or_name() -> None:
    written("snapshot_every = 1\n", "coordinator.toml")
    written("snapshot_every = 2\n", "two.toml")
    three = written("snapshot_every = 3\n", "three.toml")
    assert load(None, {}).settings.snapshot_every == 1
    assert load(None, {"COORDINATOR_CONFIG": "two.toml"}).settings.snapshot_every == 2
    assert load(three, {"COORDINATOR_CONFIG": "two.toml"}).settings.snapshot_every == 3


def test_a_file_that_was_named_must_be_there() -> None:
    (problem,) = refused(Path("missing.toml"))
    assert (problem.code, problem.file) == ("unreadable", "missing.toml")


def test_definitions_in_a_file_lie_beside_it(tmp_path: Path) -> None:
    (tmp_path / "etc").mkdir()
    file = written('definitions = ["cups", "/srv/cups"]\n', "etc/settings.toml")
    assert load(file, {}).settings.definitions == (Path("etc/cups"), Path("/srv/cups"))


def test_all_mistakes_of_all_sources_at_once() -> None:
    file = written('listen = "nowhere"\njuornal = "sqlite:///x"\n[limits]\nsessions = "many"\nsession = 4\n')
    environ = {"COORDINATOR_SERVER_GRACE_S": "soon", "COORDINATOR_SNAPSHOT_EVERY": "0"}
    problems = refused(file, environ, {"log_level": "loud"})
    assert {(problem.file, problem.line, problem.path) for problem in problems} == {
        ("settings.toml", 1, "listen"),
        ("settings.toml", 2, "juornal"),
        ("settings.toml", 4, "limits.sessions"),
        ("settings.toml", 5, "limits.session"),
        ("COORDINATOR_SERVER_GRACE_S", None, "server_grace_s"),
        ("COORDINATOR_SNAPSHOT_EVERY", None, "snapshot_every"),
        ("--log-level", None, "log_level"),
    }
    mends = {problem.path: problem.suggestion for problem in problems}
    assert mends["juornal"] == 'did you mean "journal"?'
    assert mends["limits.session"] == 'did you mean "limits.sessions"?'


@pytest.mark.parametrize(
    "text",
    [
        'snapshot_every = "12"',
        "snapshot_every = true",
        "snapshot_every = 12.0",
        "server_grace_s = true",
        "server_grace_s = -1",
        "server_grace_s = nan",
        "listen = 7420",
        "journal = 5",
        'journal = "coordinator.db"',
        'journal = "mysql://x/y"',
        'definitions = "cups"',
        "definitions = [1]",
        'log_level = "INFO"',
        "limits = 5",
        'listen = "host:65536"',
        'listen = ":7420"',
        'listen = "127.0.0.1:7421"',
        "listen = ",
    ],
)
def test_what_does_not_fit_is_refused(text: str) -> None:
    (problem,) = refused(written(f"{text}\n"))
    assert problem.line == (None if "7421" in text else 1)
    assert problem.message


def test_a_setting_that_went_away_names_its_successor() -> None:
    removed = {"grace": "server_grace_s took its place", "limits.peers": "limits.sessions took its place"}
    file = written("grace = 5\n[limits]\npeers = 9\n")
    problems = refused(file, {"COORDINATOR_GRACE": "5"}, None, removed)
    assert [(problem.code, problem.suggestion) for problem in problems] == [
        ("removed", "server_grace_s took its place"),
        ("removed", "limits.sessions took its place"),
        ("removed", "server_grace_s took its place"),
    ]


def test_a_variable_that_looks_like_ours_is_noted_and_strangers_are_not() -> None:
    environ = {"COORDINATOR_LISTENN": "x", "COORDINATOR_PORT": "tcp://10.0.0.1:7420", "COORDINATOR_CONFIG": ""}
    loaded = load(None, environ)
    assert len(loaded.notes) == 1
    assert "COORDINATOR_LISTENN" in loaded.notes[0]
    assert "COORDINATOR_LISTEN?" in loaded.notes[0]


def shown(loaded: Loaded, path: str) -> str:
    (setting,) = (setting for setting in table() if setting.path == path)
    return setting.shown(loaded.value(path))


def test_passwords_are_never_shown() -> None:
    loaded = load(None, {"COORDINATOR_JOURNAL": "postgresql://me:geheim@db/cups"})
    assert loaded.settings.journal == "postgresql://me:geheim@db/cups"
    assert shown(loaded, "journal") == '"postgresql://me:***@db/cups"'
    (problem,) = refused(None, {"COORDINATOR_JOURNAL": "mysql://me:geheim@db/cups"})
    assert "geheim" not in str(problem)


def test_a_secret_can_be_read_from_a_file() -> None:
    written("postgresql://me:geheim@db/cups\n", "secret")
    loaded = load(None, {"COORDINATOR_JOURNAL_FILE": "secret"})
    assert loaded.settings.journal == "postgresql://me:geheim@db/cups"
    assert loaded.origins["journal"] == "COORDINATOR_JOURNAL_FILE"
    (problem,) = refused(None, {"COORDINATOR_JOURNAL_FILE": "nothing"})
    assert problem.code == "unreadable"


def test_the_example_is_every_default() -> None:
    text = example()
    assert load(written(text), {}).settings == Settings()
    lines = text.splitlines()
    switched_on = [line[1:] if line.startswith("#") and line[1] != " " else line for line in lines]
    loaded = load(written("\n".join(switched_on)), {})
    assert loaded.settings == Settings()
    assert "default" not in loaded.origins.values()
    for setting in table():
        assert setting.help in text
        assert setting.environment in text


@given(st.text(), st.dictionaries(st.sampled_from([s.environment for s in table()]), st.text()))
def test_no_text_can_do_more_than_be_refused(text: str, environ: dict[str, str]) -> None:
    path = Path("any.toml")
    path.write_text(text, encoding="utf-8", errors="replace")
    try:
        assert isinstance(load(path, environ).settings, Settings)
    except ConfigRefused as error:
        assert error.problems  # noqa: PT017
