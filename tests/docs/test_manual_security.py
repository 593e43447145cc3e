"""The page about security: every threat has a test that exists, and what is shown there works."""

import ast
import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from protocol.auth import HashedToken, transcript
from protocol.deal import commitment, deal_of
from tests.docs.pages import ROOT, blocks, code, files_of, section, table


def test_every_threat_has_a_test_that_exists() -> None:
    rows = table(section("security", "What could go wrong"))
    assert len(rows) > 30
    for row in rows:
        path, _, name = code(row["test"]).partition("::")
        assert (ROOT / path).is_file(), f"{row['threat']}: {path} does not exist"
        tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
        names = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
        assert name in names, f"{row['threat']}: {path} has no {name}"
        assert row["what is done"], row["threat"]


@pytest.mark.parametrize("wrong", [None, "secret", "deal"])
def test_the_verifier_of_the_page_verifies(tmp_path: Path, wrong: str | None) -> None:
    source = files_of("security")["verify.py"]
    assert len(source.strip().splitlines()) <= 20
    (tmp_path / "verify.py").write_text(source, encoding="utf-8")
    deals = [["t7", 3, deal_of("s", "m", "t7", 3)], ["final/b13", 1, deal_of("s", "m", "final/b13", 1)]]
    told = {"match_id": "m", "deal_commitment": commitment("s"), "secret": "s", "deals": deals}
    if wrong == "secret":
        told["secret"] = "t"
    if wrong == "deal":
        deals[0][2] = "ab" * 32
    (tmp_path / "m.json").write_text(json.dumps(told), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-I", "verify.py", "m.json"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == (0 if wrong is None else 1), done.stderr
    assert ("2 deals, all as promised" in done.stdout) == (wrong is None)


def test_the_proof_of_the_page_is_believed() -> None:
    [shown] = [block.body for block in blocks("wire", "python") if "def prove" in block.body]
    names: dict[str, object] = {"hashlib": hashlib}
    exec(shown, names)
    prove = names["prove"]
    assert callable(prove)
    hashed = HashedToken.of("the token", salt=b"salt of 16 bytes", iterations=7)
    proof, answer = prove("the token", hashed.salt.hex(), 7, b"a hello", b"a challenge")
    said = transcript(b"a hello", b"a challenge")
    assert hashed.accepts(proof, said)
    assert answer == hashed.answer(said)


def test_the_roles_are_those_of_the_code() -> None:
    from coordinator.credentials import ROLES

    [row] = [row for row in table(section("security", "Credentials")) if code(row["key"]) == "roles"]
    assert all(f"`{role}`" in row["what it is"] for role in ROLES)
