from fractions import Fraction
from typing import Any, Literal

import attrs
import msgspec
import pytest

from coordinator.journal.shapes import Misshapen, UnknownField, shape_of, write_plain


@attrs.frozen
class Leaf:
    size: int
    label: str = "none"


@attrs.define
class Tree:
    name: str
    worth: int | Fraction
    place: int | None
    kind: Literal["oak", 7]
    alive: bool
    pairs: tuple[tuple[str, int], ...]
    leaves: list[Leaf]
    by_number: dict[int, Leaf]
    order: dict[str, None]
    _index: dict[str, int] = attrs.field(factory=dict, init=False)


def a_tree(**changes: Any) -> Tree:
    whole = Tree(
        name="elm",
        worth=2,
        place=None,
        kind="oak",
        alive=True,
        pairs=(("a", 1), ("b", 2)),
        leaves=[Leaf(1), Leaf(2, "small")],
        by_number={9: Leaf(3), 1: Leaf(4)},
        order={"z": None, "a": None},
    )
    return attrs.evolve(whole, **changes)


def plain(value: object) -> Any:
    return msgspec.msgpack.decode(msgspec.msgpack.encode(value, enc_hook=write_plain))


@pytest.mark.parametrize("worth", [2, 0, -7, Fraction(2), Fraction(-1, 3)], ids=repr)
def test_what_was_written_is_read_exactly(worth):
    tree = a_tree(worth=worth)
    read = shape_of(Tree).build(plain(tree))
    assert read == tree
    assert type(read.worth) is type(worth)
    assert type(read.pairs) is tuple
    assert type(read.pairs[0]) is tuple


def test_order_of_insertion_is_kept():
    read = shape_of(Tree).build(plain(a_tree()))
    assert (list(read.by_number), list(read.order)) == ([9, 1], ["z", "a"])


@pytest.mark.parametrize(
    ("field", "wrong", "path"),
    [
        ("name", 7, "name"),
        ("name", None, "name"),
        ("worth", True, "worth"),
        ("worth", 1.5, "worth"),
        ("worth", "1.5", "worth"),
        ("worth", "2/4", "worth"),
        ("worth", "1/0", "worth"),
        ("worth", "1/2/3", "worth"),
        ("worth", " 1/2", "worth"),
        ("place", "3", "place"),
        ("kind", "ash", "kind"),
        ("kind", True, "kind"),
        ("alive", 1, "alive"),
        ("pairs", [["a", 1], ["b"]], "pairs[1]"),
        ("pairs", [["a", "1"]], "pairs[0][1]"),
        ("pairs", {}, "pairs"),
        ("leaves", [{"size": 1}, {"size": "1"}], "leaves[1].size"),
        ("leaves", [7], "leaves[0]"),
        ("leaves", [{}], "leaves[0]"),
        ("by_number", {"9": {"size": 1}}, "by_number['9']"),
        ("by_number", {9: {"size": None}}, "by_number[9].size"),
        ("order", ["z"], "order"),
    ],
)
def test_what_is_not_of_the_shape_is_refused_with_its_place(field, wrong, path):
    with pytest.raises(Misshapen) as caught:
        shape_of(Tree).build({**plain(a_tree()), field: wrong})
    assert str(caught.value).startswith(f"{path}: expected ")


def test_a_field_with_a_default_may_be_missing_and_others_may_not():
    assert shape_of(Leaf).build({"size": 1}) == Leaf(1)
    with pytest.raises(Misshapen, match="a field 'size' in Leaf"):
        shape_of(Leaf).build({"label": "x"})


def test_an_unknown_field_is_told_from_other_faults():
    with pytest.raises(UnknownField, match=r"leaves\[0\]: expected no field 'colour' in Leaf"):
        shape_of(Tree).build({**plain(a_tree()), "leaves": [{"size": 1, "colour": "red"}]})


@pytest.mark.parametrize("kind", [float, set[int], object, int | bool | float, Leaf | Tree, str | Fraction], ids=str)
def test_what_a_journal_could_not_read_back_is_refused_at_once(kind):
    with pytest.raises(TypeError, match="a journal"):
        shape_of(kind)


def test_a_fingerprint_covers_the_last_field():
    def fingerprint(kind: Any) -> str:
        return shape_of(attrs.make_class("Outer", {"inner": attrs.field(type=kind)})).fingerprint

    assert fingerprint(int) == fingerprint(int)
    assert len({fingerprint(kind) for kind in (int, str, int | None, list[int], tuple[int, ...], Leaf, Tree)}) == 7
