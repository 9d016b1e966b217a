"""Defaults, and predicates on values."""

from __future__ import annotations

from typing import Any, Final

from kubestage.golang.template.functions import Function
from kubestage.golang.template.values import ANY, BOOL, STRING, truth, type_name

_KINDS: Final = {
    "[]interface {}": "slice",
    "map[string]interface {}": "map",
    "json.Number": "string",
    "<nil>": "invalid",
}


def _default(otherwise: Any, *values: Any) -> Any:
    return values[0] if values and truth(values[0]) else otherwise


def _kind(value: Any) -> str:
    name = type_name(value)
    return _KINDS.get(name, name)


def _fail(message: str) -> Any:
    raise ValueError(message)


def _first_true(*values: Any) -> Any:
    return next((each for each in values if truth(each)), None)


def _like(name: str, value: Any) -> bool:
    return type_name(value) in (name, f"*{name}")


FUNCTIONS: Final[dict[str, Function]] = {
    "default": Function(_default, (ANY,), ANY),
    "empty": Function(lambda value: not truth(value), (ANY,)),
    "coalesce": Function(_first_true, (), ANY),
    "all": Function(lambda *values: all(map(truth, values)), (), ANY),
    "any": Function(lambda *values: any(map(truth, values)), (), ANY),
    "ternary": Function(lambda yes, no, which: yes if which else no, (ANY, ANY, BOOL)),
    "fail": Function(_fail, (STRING,)),
    "typeOf": Function(type_name, (ANY,)),
    "typeIs": Function(lambda name, value: name == type_name(value), (STRING, ANY)),
    "typeIsLike": Function(_like, (STRING, ANY)),
    "kindOf": Function(_kind, (ANY,)),
    "kindIs": Function(lambda name, value: name == _kind(value), (STRING, ANY)),
    "deepEqual": Function(
        lambda one, other: type_name(one) == type_name(other) and one == other, (ANY, ANY)
    ),
}
