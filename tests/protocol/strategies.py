"""Hypothesis strategies for every message, made from the annotations that the decoder checks."""

from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import attrs
from hypothesis import strategies as st
from msgspec import Meta

from protocol.messages import INT53, FromCoordinator, Message, ToCoordinator


def values(annotation: Any) -> st.SearchStrategy[Any]:
    """Values that an annotation allows."""
    return _values(annotation, Meta())


def _values(annotation: Any, meta: Meta) -> st.SearchStrategy[Any]:
    origin = get_origin(annotation)
    if origin is Annotated:
        bare, *metas = get_args(annotation)
        return _values(bare, metas[0])
    if origin in (Union, UnionType):
        return st.one_of([values(part) for part in get_args(annotation)])
    if origin is Literal:
        return st.sampled_from(get_args(annotation))
    # The limits are tried at their edges elsewhere; here small is fast.
    least = meta.min_length or 0
    most = min(meta.max_length or 4, least + 4)
    if origin is list:
        return st.lists(values(get_args(annotation)[0]), min_size=least, max_size=most)
    if origin is dict:
        key, value = get_args(annotation)
        return st.dictionaries(values(key), values(value), min_size=least, max_size=most)
    if annotation is str:
        if meta.pattern is not None:
            words = st.from_regex(meta.pattern.replace("*", "{0,63}").replace("$", r"\Z"))
            return words.filter(lambda word: len(word) <= (meta.max_length or 64))
        return st.text(st.characters(codec="utf-8"), min_size=least, max_size=meta.max_length)
    if annotation is bool:
        return st.booleans()
    if annotation is int:
        return st.integers(-INT53 if meta.ge is None else int(meta.ge), INT53 if meta.le is None else int(meta.le))
    if annotation is NoneType:
        return st.none()
    assert attrs.has(annotation), annotation
    return st.builds(annotation, **{field.name: values(field.type) for field in attrs.fields(annotation)})


def _messages(union: Any) -> st.SearchStrategy[Message]:
    return st.one_of([values(cls) for cls in get_args(union)])


to_coordinator = _messages(ToCoordinator)
from_coordinator = _messages(FromCoordinator)
