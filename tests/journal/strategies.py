"""Hypothesis strategies for every command, event and effect, made from the annotations of their fields."""

from fractions import Fraction
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import attrs
from hypothesis import strategies as st

WHOLE = st.integers(-(2**63), 2**63 - 1)


def values(annotation: Any) -> st.SearchStrategy[Any]:
    """Values that an annotation allows, within what 64 bits hold."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin in (Union, UnionType):
        return st.one_of([values(part) for part in arguments])
    if origin is Literal:
        return st.sampled_from(arguments)
    if origin is tuple and arguments[-1] is Ellipsis:
        return st.lists(values(arguments[0]), max_size=3).map(tuple)
    if origin is tuple:
        return st.tuples(*[values(part) for part in arguments])
    if origin is list:
        return st.lists(values(arguments[0]), max_size=3)
    if origin is dict:
        return st.dictionaries(values(arguments[0]), values(arguments[1]), max_size=3)
    if annotation in (None, NoneType):
        return st.none()
    scalars = {int: WHOLE, str: st.text(max_size=5), bool: st.booleans(), Fraction: st.fractions()}
    if annotation in scalars:
        return scalars[annotation]
    assert attrs.has(annotation), annotation
    hints = get_type_hints(annotation)
    return st.builds(
        annotation, **{field.name: values(hints[field.name]) for field in attrs.fields(annotation) if field.init}
    )
