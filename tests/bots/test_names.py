"""Readable names for any field."""

from bots.names import player_ids, player_names


def test_names_are_different_and_follow_the_seed():
    names = player_names("s", 500)
    assert len(set(names)) == 500
    assert names[:90] == player_names("s", 90)
    assert names != player_names("t", 500)


def test_a_field_larger_than_the_lists_still_has_different_names():
    names = player_names("s", 10_000)
    assert len(set(names)) == 10_000
    assert max(map(len, names)) <= 64
    assert names[-1].endswith(" 4")


def test_ids_are_of_one_length_and_sort_as_they_were_made():
    assert player_ids(3) == ["p0001", "p0002", "p0003"]
    many = player_ids(12_000)
    assert many[0] == "p00001"
    assert sorted(many) == many
