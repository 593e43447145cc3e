"""Children end with their parent, however it ends."""

import os
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import trio

from bots.children import Child, stop

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the kernel holds the leash on Linux only")

MODULES = {
    "patient": """
import signal
signal.pause()
""",
    "stubborn": """
import signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
open("ready", "w").close()
while True:
    signal.pause()
""",
    "refusing": """
import sys
sys.exit("the definition has no bouts")
""",
    "broken": """
import sys
print('{"event": "start"}', file=sys.stderr)
1 / 0
""",
    "parent": """
import sys
from pathlib import Path
from bots.children import Child
print(Child("child", "patient", [], directory=Path(sys.argv[1])).pid, flush=True)
input()
""",
}


@pytest.fixture
def directory(tmp_path, monkeypatch):
    for name, text in MODULES.items():
        (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{ROOT}")
    monkeypatch.chdir(tmp_path)
    return tmp_path


async def test_a_folder_of_the_same_name_where_one_stands_is_not_taken(directory, monkeypatch):
    stranger = directory / "elsewhere"
    for name in ("bots", "refusing"):
        (stranger / name).mkdir(parents=True)
        (stranger / name / "__init__.py").touch()
    monkeypatch.chdir(stranger)
    child = Child("c", "refusing", [], directory=directory)
    assert await child.wait() == 1
    assert child.complaint == "the definition has no bouts"


async def test_stop_ends_all_and_says_how_they_ended(directory):
    children = [Child(f"c{n}", "patient", [], directory=directory) for n in range(3)]
    assert [child.ending for child in children] == ["runs"] * 3
    await stop(children, patience_s=30)
    assert [child.ending for child in children] == ["was killed by SIGTERM"] * 3


async def test_a_child_that_will_not_go_is_killed_in_the_end(directory):
    os.mkfifo("ready")
    stubborn = Child("stubborn", "stubborn", [], directory=directory)
    await trio.to_thread.run_sync(Path("ready").read_bytes)  # returns once the child ignores SIGTERM
    await stop([stubborn], patience_s=0.1)
    assert stubborn.ending == "was killed by SIGKILL"


async def test_stop_is_not_kept_from_its_work_by_a_cancellation(directory):
    child = Child("c", "patient", [], directory=directory)
    with trio.CancelScope() as scope:
        scope.cancel()
        await stop([child], patience_s=30)
    assert child.returncode == -signal.SIGTERM


async def test_what_a_child_says_before_it_refuses_is_heard(directory):
    child = Child("c", "refusing", [], directory=directory)
    assert await child.wait() == 1
    assert child.complaint == "the definition has no bouts"
    assert child.ending == "ended with exit code 1"


async def test_of_a_traceback_and_log_lines_only_the_last_word_is_kept(directory):
    child = Child("c", "broken", [], directory=directory)
    await child.wait()
    assert child.complaint == "ZeroDivisionError: division by zero"


def test_a_child_dies_with_a_parent_that_was_killed(directory):
    command = [sys.executable, "-m", "parent", str(directory)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        child = os.pidfd_open(int(parent.stdout.readline()))
        parent.kill()
    try:
        assert select.select([child], [], [], 60)[0], "the child outlived its parent"
    finally:
        os.close(child)


def test_a_child_whose_parent_is_gone_already_does_not_start(directory):
    command = [sys.executable, "-m", "bots.leash", "1", sys.executable, "-m", "patient"]
    assert subprocess.run(command, check=False).returncode == 1
