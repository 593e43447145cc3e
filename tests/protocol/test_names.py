"""Names that look the same must not get in twice by invisible means."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.errors import WireError
from protocol.names import MARKS_MAX, NAME_LENGTH_MAX, clean_name


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Ann", "Ann"),
        ("  Ann  ", "Ann"),
        ("Ann   Lee", "Ann Lee"),
        ("Ann\u00a0Lee", "Ann Lee"),
        ("\uff21nn", "Ann"),
        ("Jose\u0301", "Jos\u00e9"),
        ("\u738b\u5c0f\u660e", "\u738b\u5c0f\u660e"),
        ("\U0001f0a1 Ace", "\U0001f0a1 Ace"),
        ("<b>Ann</b>", "<b>Ann</b>"),
        ("\u0915\u094d\u0937\u093f\u0902", "\u0915\u094d\u0937\u093f\u0902"),
        ("q" + "\u0323" * MARKS_MAX, "q" + "\u0323" * MARKS_MAX),
        ("x" * NAME_LENGTH_MAX, "x" * NAME_LENGTH_MAX),
    ],
)
def test_a_name_is_kept_in_one_form(name, shown):
    assert clean_name(name) == shown


@pytest.mark.parametrize(
    "name",
    [
        "",
        "   ",
        "\u00a0",
        "x" * (NAME_LENGTH_MAX + 1),
        "\ufdfa" * 5,  # one ligature is eighteen characters
        "x" * 100_000,
        "Ann\u200e",
        "\u202eAnn",
        "\u2066Ann\u2069",
        "An\u200bn",
        "An\u00adn",
        "An\u200dn",
        "\ufeffAnn",
        "Ann\n",
        "Ann\r\nSet-Cookie: a",
        "Ann\tLee",
        "Ann\0",
        "Ann\x7f",
        "Ann\u2028Lee",
        "Ann\ufe0f",
        "Ann\U000e0101",
        "Ann\U000e0041",
        "Ann\u3164",
        "Ann\uffa0",
        "\u2800",
        "Ann\ue000",
        "Ann\ud800",
        "\u0323Ann",
        "\u0301" * 64,
        "q" + "\u0323" * (MARKS_MAX + 1),
    ],
    ids=ascii,
)
def test_a_name_with_hidden_parts_is_refused(name):
    with pytest.raises(WireError) as caught:
        clean_name(name)
    error = caught.value
    assert (error.code, error.field, error.close_code) == ("name_refused", "name", None)
    assert len(error.message) < 100


@given(st.text(max_size=80))
def test_a_cleaned_name_is_clean(name):
    try:
        cleaned = clean_name(name)
    except WireError:
        return
    assert clean_name(cleaned) == cleaned
    assert 1 <= len(cleaned) <= NAME_LENGTH_MAX
    assert cleaned.isprintable()
