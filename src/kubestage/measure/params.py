"""Parameters of measurements as types: what a configuration writes becomes what code reads."""

from __future__ import annotations

import difflib
import math
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeVar, get_args

import msgspec

from kubestage.errors import InputError
from kubestage.objects import durations

if TYPE_CHECKING:
    from collections.abc import Iterable

_TRUTHS: Final = {"t": True, "T": True, "f": False, "F": False}


class Duration(int):
    """Nanoseconds that a configuration writes as ``1m30s``."""

    __slots__ = ()


class Params(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The parameters of a measurement; those of all its actions are in one struct.

    Fields are snake_cased and written camelCased; durations are `Duration`. A key that is no
    field's is a warning that names the likely one. Where `ignores_case`, a key may have any case:
    ClusterLoader2 decodes the parameters of two measurements as it decodes configurations.
    """

    ignores_case: ClassVar[bool] = False

    action: str = ""


class FreeParams(Params, frozen=True, kw_only=True):
    """Parameters of any kind: none of them is unknown, and all are in `given` as written."""

    given: dict[str, Any] = msgspec.field(default_factory=dict)


class Selecting(Params, frozen=True, kw_only=True):
    """Parameters that say which objects are meant; an empty one means all."""

    namespace: str = ""
    label_selector: str = ""
    field_selector: str = ""

    @property
    def selected(self) -> str:
        """The selectors in words."""
        parts = {
            "namespace": self.namespace,
            "labelSelector": self.label_selector,
            "fieldSelector": self.field_selector,
        }
        words = [f"{name}({value})" for name, value in parts.items() if value]
        return ", ".join(words) or "everything"


P = TypeVar("P", bound=Params)


def typed(kind: type[P], raw: dict[str, Any]) -> tuple[P, list[str]]:
    """Parameters as their measurement types them, and a warning for every key it does not know.

    Templates and overrides write numbers and truths as text as often as not: both are read.
    """
    fields = {field.encode_name: field.type for field in msgspec.structs.fields(kind)}
    if kind.ignores_case:
        raw = {
            key: _inner_folded(value, fields.get(key))
            for key, value in _folded(raw, fields).items()
        }
    if issubclass(kind, FreeParams):
        raw = {"action": raw.get("action"), "given": raw}
    warnings = [strange(key, list(fields)) for key in raw if key not in fields]
    told = {
        key: _plain(value, fields[key])
        for key, value in raw.items()
        if key in fields and value is not None
    }
    try:
        return msgspec.convert(told, kind, strict=False, dec_hook=_decode), warnings
    except msgspec.ValidationError as error:
        problem, _, where = str(error).partition(" - at `$")
        fix = "; ".join(warnings) or None
        raise InputError(problem, path="params" + where.rstrip("`"), fix=fix) from error


def _folded(raw: dict[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Keys as they are spelled here; of several the last in order counts."""
    spelled = {name.casefold(): name for name in names}
    return {spelled.get(key.casefold(), key): raw[key] for key in sorted(raw)}


def _inner_folded(value: Any, kind: Any) -> Any:
    """The same for the objects of a list."""
    inner = next(iter(get_args(kind)), None)
    if not (isinstance(inner, type) and issubclass(inner, msgspec.Struct)):
        return value
    names = [field.encode_name for field in msgspec.structs.fields(inner)]
    items = value if isinstance(value, list) else []
    return [_folded(each, names) if isinstance(each, dict) else each for each in items] or value


def _plain(value: Any, kind: Any) -> Any:
    """A number as the int or the text that is wanted: JSON makes floats of them all."""
    if kind is int and isinstance(value, float) and math.isfinite(value):
        return int(value)
    if kind is bool and isinstance(value, str):
        return _TRUTHS.get(value, value)
    if kind == tuple[str, ...] and isinstance(value, list):
        return [_text(item) for item in value]
    return value


def _text(item: Any) -> Any:
    if isinstance(item, bool):
        return "true" if item else "false"
    if isinstance(item, float) and item.is_integer():
        item = int(item)
    return str(item) if isinstance(item, int | float) else item


def strange(key: str, known: list[str]) -> str:
    """What is said of a key that is not among the names that are known."""
    close = difflib.get_close_matches(key, known, 1)
    return f"params.{key}: unknown parameter" + (f"; did you mean {close[0]!r}?" if close else "")


def _decode(kind: type, value: Any) -> Any:
    assert kind is Duration, kind
    if not isinstance(value, str):
        raise ValueError(f'{value!r} is no duration: write it as "90s" or "10m"')
    return Duration(durations.parse_duration(value))
