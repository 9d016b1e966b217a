"""The values of single calls, most of them by the CEL library."""

from __future__ import annotations

import datetime as dt
import functools
from typing import TYPE_CHECKING, Any, Final

from kubestage.errors import LimitExceeded
from kubestage.objects.cel import (
    authorizer_functions,
    costs,
    environments,
    list_functions,
    syntax,
    wording,
)
from kubestage.objects.cel.functions import NO_OVERLOAD
from kubestage.objects.cel.values import NOTHING, Failure, Optional, TypeName, equal, type_of

if TYPE_CHECKING:
    from collections.abc import Callable

_INT64: Final = 1 << 63
_NAMES: Final = ("a", "b", "c", "d")
_NUMBERS: Final = (int, float)
_PREFIXES: Final = {"!_": "!", "-_": "-"}
_DAY: Final = 86_400
_WRAPPED: Final = {
    dt.datetime: "timestamp", dt.timedelta: "duration", syntax.Uint: "uint",
}  # fmt: skip


def call(name: str, arguments: list[Any], *, is_method: bool) -> Any:
    """The value of a function, or why it has none."""
    own = _OWN.get(name)
    found = NotImplemented if own is None else own(*arguments)
    if found is NotImplemented:
        return _by_library(name, arguments, is_method=is_method)
    return found


def _by_library(name: str, arguments: list[Any], *, is_method: bool) -> Any:
    if any(isinstance(each, (Optional, TypeName)) for each in arguments):
        return Failure(NO_OVERLOAD)
    kinds = tuple(_WRAPPED.get(type(each), "") for each in arguments)
    program = _program(name, kinds, is_method)
    if isinstance(program, Failure):
        return program
    data = dict(zip(_NAMES, map(_handed, arguments), strict=False))
    try:
        result = program.eval(data=data)
        kind, value = result.type().name(), result.plain_value()
    except (RuntimeError, TypeError) as error:
        return Failure(wording.failed(str(error)))
    if kind == "ERROR":
        return Failure(wording.failed(str(value)))
    return bytes(value) if isinstance(value, bytearray) else value


def _handed(value: Any) -> Any:
    """A value as the library takes it: times are texts on their way."""
    if isinstance(value, dt.datetime):
        return value.isoformat()
    if isinstance(value, dt.timedelta):
        return f"{value.days * _DAY + value.seconds}.{value.microseconds:06}s"
    return value


@functools.cache
def _program(name: str, kinds: tuple[str, ...], is_method: bool) -> Any:
    """One call; arguments of some kinds are read from texts first."""
    actual = [
        f"{kind}({each})" if kind else each for kind, each in zip(kinds, _NAMES, strict=False)
    ]
    if name in _PREFIXES:
        text = f"{_PREFIXES[name]}{actual[0]}"
    elif name.startswith("_") and name.endswith("_"):
        text = f"{actual[0]} {name.strip('_')} {actual[1]}"
    elif is_method:
        text = f"{actual[0]}.{name}({', '.join(actual[1:])})"
    else:
        text = f"{name}({', '.join(actual)})"
    try:
        return _environment().compile(text)
    except RuntimeError as error:
        return Failure(wording.failed(str(error)))


@functools.cache
def _environment() -> Any:
    declared = environments.calls(authorizer_functions.FUNCTIONS) + list_functions.declared()
    unknown = environments.library().Type.DYN
    return environments.environment(dict.fromkeys(_NAMES, unknown), declared)


def add(one: Any, other: Any) -> Any:
    """A sum, or two texts or lists in one."""
    kind = type(one)
    if kind is int and type(other) is int:
        return _whole(one + other)
    if kind is type(other) and kind in (str, bytes, list):
        if len(one) + len(other) > costs.LARGEST_OBJECT:
            raise LimitExceeded(costs.TOO_COSTLY)
        return one + other
    return one + other if kind is float and type(other) is float else NotImplemented


def _whole(number: int) -> Any:
    return number if -_INT64 <= number < _INT64 else Failure("integer overflow")


def _subtract(one: Any, other: Any) -> Any:
    return _whole(one - other) if type(one) is int and type(other) is int else NotImplemented


def _compared(holds: Callable[[Any, Any], bool]) -> Callable[[Any, Any], Any]:
    def compare(one: Any, other: Any) -> Any:
        if type(one) in _NUMBERS and type(other) in _NUMBERS:
            return holds(one, other)
        return holds(one, other) if type(one) is str and type(other) is str else NotImplemented

    return compare


def _is_in(value: Any, whole: Any) -> Any:
    if type(whole) is list:
        if type(value) is str:
            return value in whole
        return any(equal(value, each) for each in whole)
    if type(whole) is dict:
        return any(equal(value, each) for each in whole) if type(value) is float else value in whole
    return Failure(NO_OVERLOAD)


def _size(value: Any) -> Any:
    return len(value) if type(value) in (str, bytes, list, dict) else NotImplemented


def _of_texts(find: Callable[[str, str], bool]) -> Callable[[Any, Any], Any]:
    return lambda one, other: (
        find(one, other) if type(one) is type(other) is str else NotImplemented
    )


def _non_zero(value: Any) -> Optional:
    return Optional(value) if value or isinstance(value, Optional) else NOTHING


def _value(found: Any) -> Any:
    if not isinstance(found, Optional):
        return Failure(NO_OVERLOAD)
    return found.value if found.has_value else Failure("optional.none() dereference")


def _sorted_by(items: Any, keys: Any) -> Any:
    if type(items) is not list or type(keys) is not list or len(items) != len(keys):
        return Failure(NO_OVERLOAD)
    try:
        order = sorted(range(len(keys)), key=keys.__getitem__)
    except TypeError:
        return Failure("list elements must have the same type")
    return [items[each] for each in order]


def _inserted(whole: Any, key: Any, value: Any = None) -> Any:
    added = key if isinstance(key, dict) else {key: value}
    twice = next((each for each in added if each in whole), None)
    if twice is not None:
        return Failure(f"insert failed: key {twice} already exists")
    return {**whole, **added}


_OWN: Final[dict[str, Callable[..., Any]]] = {
    "_+_": add,
    "_-_": _subtract,
    "_<_": _compared(lambda one, other: one < other),
    "_<=_": _compared(lambda one, other: one <= other),
    "_>_": _compared(lambda one, other: one > other),
    "_>=_": _compared(lambda one, other: one >= other),
    "_==_": equal,
    "_!=_": lambda one, other: not equal(one, other),
    "@in": _is_in,
    "!_": lambda value: not value if type(value) is bool else NotImplemented,
    "@not_strictly_false": lambda value: value is not False,
    "size": _size,
    "contains": _of_texts(lambda one, other: other in one),
    "startsWith": _of_texts(str.startswith),
    "endsWith": _of_texts(str.endswith),
    "type": type_of,
    "dyn": lambda value: value,
    "optional.of": Optional,
    "optional.none": lambda: NOTHING,
    "optional.ofNonZeroValue": _non_zero,
    "hasValue": lambda found: found.has_value if isinstance(found, Optional) else NotImplemented,
    "value": _value,
    "first": lambda items: Optional(items[0]) if items else NOTHING,
    "last": lambda items: Optional(items[-1]) if items else NOTHING,
    "unwrapOpt": lambda items: [each.value for each in items if each.has_value],
    "optional.unwrap": lambda items: [each.value for each in items if each.has_value],
    "jsonpatch.escapeKey": lambda text: text.replace("~", "~0").replace("/", "~1"),
    "cel.@mapInsert": _inserted,
    "@sortByAssociatedKeys": _sorted_by,
}
