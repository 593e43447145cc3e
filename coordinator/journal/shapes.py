"""From plain data (what msgpack holds) to the attrs classes of the engine, strictly, by their annotations.

msgspec writes attrs classes as maps but cannot read a field that is ``int | Fraction``: it allows no custom type in a
union. The classes of the engine are small and closed, so this file reads them itself: a :class:`Shape` is made once per
type and turns plain data into that type or raises :class:`Misshapen`. Nothing is converted that was not written so:
``True`` is no int, ``"7"`` is no int, an unknown field is an error.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from hashlib import blake2b
from types import NoneType, UnionType
from typing import Any, Generic, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import attrs
import msgspec

T = TypeVar("T")


class Misshapen(ValueError):
    """Plain data that is not of the expected shape; ``path`` leads to the place, from the outside in."""

    def __init__(self, expected: str, path: str = "") -> None:
        super().__init__(f"{path.lstrip('.') or 'value'}: expected {expected}")
        self.expected = expected
        self.path = path

    def inside(self, step: str) -> "Misshapen":
        """The same fault seen from one level further out."""
        return type(self)(self.expected, step + self.path)


class UnknownField(Misshapen):
    """A map has a field that the class does not have."""


@attrs.frozen
class Shape(Generic[T]):
    """How one type is read.

    ``reads`` are the plain types it is written as, ``build`` makes the value, ``text`` describes the whole type down to
    its last field: two types with the same text are written and read alike. ``flat`` types hold no class and no
    fraction; msgspec reads those just as strictly.
    """

    reads: tuple[type, ...]
    build: Callable[[Any], T]
    text: str
    flat: bool

    @property
    def fingerprint(self) -> str:
        """A short name for ``text``."""
        return blake2b(self.text.encode(), digest_size=8).hexdigest()


def write_plain(value: object) -> str:
    """How msgspec writes what it does not know: a fraction as ``"n/d"``."""
    if type(value) is Fraction:
        return f"{value.numerator}/{value.denominator}"
    raise TypeError(f"a journal holds no {type(value).__name__}")


def shape_of(kind: type[T]) -> Shape[T]:
    """The shape of an attrs class or a plain type.

    Raises TypeError for what a journal cannot hold or could not tell apart (a float, a set, a union of two classes).
    """
    return _shape(kind)


def _shape(kind: Any) -> Shape[Any]:
    if attrs.has(kind):
        return _class(kind)
    if kind in _SCALARS:
        return _SCALARS[kind]
    if kind is None:
        return _SCALARS[NoneType]
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return _union([_shape(member) for member in arguments])
    if origin is Literal:
        return _literal(arguments)
    if origin is tuple and arguments[-1] is Ellipsis:
        return _sequence(tuple, _shape(arguments[0]))
    if origin is tuple:
        return _fixed([_shape(member) for member in arguments])
    if origin is list:
        return _sequence(list, _shape(arguments[0]))
    if origin is dict:
        return _mapping(_shape(arguments[0]), _shape(arguments[1]))
    raise TypeError(f"a journal holds no {kind}")


def _exactly(kind: type, name: str) -> Shape[Any]:
    def build(plain: Any) -> Any:
        if type(plain) is not kind:
            raise Misshapen(name)
        return plain

    return Shape((kind,), build, kind.__name__, True)


def _fraction(plain: Any) -> Fraction:
    try:
        numerator, denominator = plain.split("/")
        value = Fraction(int(numerator), int(denominator))
    except (AttributeError, ValueError, ZeroDivisionError):
        raise Misshapen("a fraction written n/d") from None
    if write_plain(value) != plain:
        raise Misshapen("a fraction in lowest terms")
    return value


_SCALARS: Mapping[type, Shape[Any]] = {
    int: _exactly(int, "a whole number"),
    str: _exactly(str, "text"),
    bool: _exactly(bool, "true or false"),
    bytes: _exactly(bytes, "bytes"),
    NoneType: _exactly(NoneType, "nothing"),
    Fraction: Shape((str,), _fraction, "Fraction", False),
}


def _literal(allowed: tuple[Any, ...]) -> Shape[Any]:
    expected = "one of " + ", ".join(map(str, allowed))

    def build(plain: Any) -> Any:
        if type(plain) not in reads or plain not in allowed:
            raise Misshapen(expected)
        return plain

    reads = tuple(dict.fromkeys(type(value) for value in allowed))
    return Shape(reads, build, f"Literal{sorted(map(repr, allowed))}", True)


def _union(members: list[Shape[Any]]) -> Shape[Any]:
    """The plain type decides which member is meant, so no two members may be written alike."""
    text = "|".join(sorted(member.text for member in members))
    choice: dict[type, Callable[[Any], Any]] = {}
    for member in members:
        for plain_type in member.reads:
            if plain_type in choice:
                raise TypeError(f"a journal cannot tell the members of {text} apart")
            choice[plain_type] = member.build
    expected = "one of " + text

    def build(plain: Any) -> Any:
        member = choice.get(type(plain))
        if member is None:
            raise Misshapen(expected)
        return member(plain)

    return Shape(tuple(choice), build, text, all(member.flat for member in members))


def _sequence(kind: type, element: Shape[Any]) -> Shape[Any]:
    build_element = element.build

    def build(plain: Any) -> Any:
        if type(plain) is not list:
            raise Misshapen("a list")
        try:
            return kind([build_element(part) for part in plain])
        except Misshapen:
            # Only now is the place looked for: a good list pays nothing for it.
            for index, part in enumerate(plain):
                _at(f"[{index}]", build_element, part)
            raise

    return Shape((list,), build, f"{kind.__name__}[{element.text}]", element.flat)


def _fixed(elements: list[Shape[Any]]) -> Shape[Any]:
    builders = [element.build for element in elements]

    def build(plain: Any) -> Any:
        if type(plain) is not list or len(plain) != len(builders):
            raise Misshapen(f"a list of {len(builders)}")
        return tuple(
            _at(f"[{index}]", build_element, part)
            for index, (build_element, part) in enumerate(zip(builders, plain, strict=True))
        )

    text = ",".join(element.text for element in elements)
    return Shape((list,), build, f"tuple[{text}]", all(element.flat for element in elements))


def _mapping(key: Shape[Any], value: Shape[Any]) -> Shape[Any]:
    build_key, build_value = key.build, value.build

    def build(plain: Any) -> Any:
        if type(plain) is not dict:
            raise Misshapen("a map")
        try:
            return {build_key(name): build_value(part) for name, part in plain.items()}
        except Misshapen:
            for name, part in plain.items():
                _at(f"[{name!r}]", build_key, name)
                _at(f"[{name!r}]", build_value, part)
            raise

    return Shape((dict,), build, f"dict[{key.text},{value.text}]", key.flat and value.flat)


def _class(kind: type) -> Shape[Any]:
    """Every field must be there unless it has a default, so an event may gain a field and old records stay readable.

    Fields that ``__init__`` does not take, and those whose name starts with an underscore, are not written.
    """
    hints = get_type_hints(kind)
    stored = [field for field in attrs.fields(kind) if field.init and not field.name.startswith("_")]
    shapes = {field.name: _shape(hints[field.name]) for field in stored}
    builders = {name: shape.build for name, shape in shapes.items()}
    required = [field.name for field in stored if field.default is attrs.NOTHING]

    def build(plain: Any) -> Any:
        if type(plain) is not dict:
            raise Misshapen("a map")
        values = {}
        for name, part in plain.items():
            build_field = builders.get(name)
            if build_field is None:
                raise UnknownField(f"no field {name!r} in {kind.__name__}")
            try:
                values[name] = build_field(part)
            except Misshapen as fault:
                raise fault.inside(f".{name}") from None
        for name in required:
            if name not in values:
                raise Misshapen(f"a field {name!r} in {kind.__name__}")
        return kind(**values)

    fields = ",".join(f"{name}:{shape.text}" for name, shape in shapes.items())
    flat = all(shape.flat for shape in shapes.values())
    how = _quickly(kind, frozenset(builders), build) if flat else build
    return Shape((dict,), how, f"{kind.__name__}({fields})", False)


def _quickly(kind: type, names: frozenset[str], build: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The same in a third of the time, for a class whose fields are all flat: most of what a recovery reads.

    msgspec lets unknown fields pass and names faults in other words, so what is not in order goes the slow way.
    """

    def build_quickly(plain: Any) -> Any:
        if type(plain) is dict and plain.keys() <= names:
            try:
                return msgspec.convert(plain, kind, builtin_types=(bytes,))
            except msgspec.ValidationError:
                pass
        return build(plain)

    return build_quickly


def _at(step: str, build: Callable[[Any], T], plain: Any) -> T:
    try:
        return build(plain)
    except Misshapen as fault:
        raise fault.inside(step) from None
