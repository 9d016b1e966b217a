"""Parameters of measurements as types: what a configuration writes becomes what code reads."""

from __future__ import annotations

import difflib
from typing import Any, TypeVar

import msgspec

from kubestage.errors import InputError
from kubestage.objects import durations


class Duration(int):
    """Nanoseconds that a configuration writes as ``1m30s``."""

    __slots__ = ()


class Params(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The parameters of a measurement; those of all its actions are in one struct.

    Fields are snake_cased and written camelCased; durations are `Duration`. A key that is no
    field's is a warning that names the likely one.
    """

    action: str = ""


P = TypeVar("P", bound=Params)


def typed(kind: type[P], raw: dict[str, Any]) -> tuple[P, list[str]]:
    """Parameters as their measurement types them, and a warning for every key it does not know."""
    known = [field.encode_name for field in msgspec.structs.fields(kind)]
    warnings = [_strange(key, known) for key in raw if key not in known]
    told = {key: _plain(raw[key]) for key in raw if key in known and raw[key] is not None}
    try:
        return msgspec.convert(told, kind, dec_hook=_decode), warnings
    except msgspec.ValidationError as error:
        problem, _, where = str(error).partition(" - at `$")
        raise InputError(problem, path="params" + where.rstrip("`")) from error


def _plain(value: Any) -> Any:
    """A whole number as an int: templates and JSON make floats of them."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _strange(key: str, known: list[str]) -> str:
    close = difflib.get_close_matches(key, known, 1)
    return f"params.{key}: unknown parameter" + (f"; did you mean {close[0]!r}?" if close else "")


def _decode(kind: type, value: Any) -> Any:
    assert kind is Duration, kind
    if not isinstance(value, str):
        raise ValueError(f'{value!r} is no duration: write it as "90s" or "10m"')
    return Duration(durations.parse_duration(value))
