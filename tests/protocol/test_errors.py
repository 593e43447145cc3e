"""The tables of codes are closed and consistent."""

import ast
import re
from pathlib import Path

import pytest

import protocol
from protocol.codec import Direction, decode_message, encode_message
from protocol.errors import CLOSE_CODES, CODES, WireError

SOURCES = sorted(Path(protocol.__file__).parent.rglob("*.py"))


@pytest.mark.parametrize("code", CODES)
def test_a_code_is_a_stable_word_with_a_meaning(code):
    assert re.fullmatch(r"[a-z]+(_[a-z]+)*", code)
    assert 10 < len(CODES[code].meaning) < 160
    assert CODES[code].close_code is None or CODES[code].close_code in CLOSE_CODES


def test_every_close_code_that_is_ours_has_its_reason():
    reasons = {row.close_code for row in CODES.values()}
    assert {code for code in CLOSE_CODES if code >= 4000} <= reasons


def test_every_code_the_package_raises_is_in_the_table():
    raised = {
        node.args[0].value
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in {"WireError", "Bye"}
        and node.args
        and isinstance(node.args[0], ast.Constant)
    }
    assert raised
    assert raised <= set(CODES)


@pytest.mark.parametrize("code", CODES)
def test_every_error_can_be_told(code):
    error = WireError(code, "m" * 1000, field="f" * 100, expected="e" * 1000, ref=7)
    answer = error.answer()
    assert (answer.code, answer.ref) == (code, 7)
    assert decode_message(encode_message(answer), Direction.FROM_COORDINATOR) == answer


def test_an_error_without_words_says_what_its_code_means():
    error = WireError("gap")
    assert str(error) == f"gap: {CODES['gap'].meaning}"
    assert error.close_code == 4010


def test_the_raiser_may_know_better_what_closes():
    assert WireError("malformed").close_code is None
    assert WireError("malformed", close_code=4000).close_code == 4000


def test_a_code_that_is_not_in_the_table_cannot_be_raised():
    with pytest.raises(KeyError):
        WireError("no_such_code")
