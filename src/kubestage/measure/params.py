"""Parameters of measurements as types: from the values of a configuration to what code reads."""

from __future__ import annotations

import difflib
import math
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeVar, get_args

import msgspec

from kubestage.errors import InputError
from kubestage.golang import durations

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_TRUTHS: Final = {"t": True, "T": True, "f": False, "F": False}


class Duration(int):
    """Nanoseconds that a configuration writes as ``1m30s``."""

    __slots__ = ()


class Params(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The parameters of a measurement; those of all its actions are in one struct.

    Fields are snake_cased and written camelCased; durations are `Duration`. An unknown key is
    a warning that names the likely one. Where `ignores_case`, a key may have any case:
    ClusterLoader2 decodes the parameters of two measurements as it decodes configurations.
    """

    ignores_case: ClassVar[bool] = False

    action: str = ""

    @property
    def subject(self) -> str:
        """What is started and ended, where one measurement can start several things."""
        return ""

    @property
    def is_off(self) -> bool:
        """Whether nothing is done for these parameters, whatever the action."""
        return False

    def files(self) -> Iterator[tuple[str, str]]:
        """The files that are read: parameters and their paths."""
        yield from ()

    def problems(self) -> Iterator[InputError]:
        """What the action needs and does not have, or cannot use; each names its parameter."""
        yield from ()

    def later_problems(self) -> Iterator[InputError]:
        """What does not refuse the action, and fails what follows from it."""
        yield from ()

    def check(self) -> None:
        """Raise the first of the problems."""
        for problem in self.problems():
            raise problem


class FreeParams(Params, frozen=True, kw_only=True):
    """Parameters of any kind: none of them is unknown, and all are in `values` as written."""

    values: dict[str, Any] = msgspec.field(default_factory=dict)


class Selecting(Params, frozen=True, kw_only=True):
    """Parameters that select objects; an empty one selects all."""

    namespace: str = ""
    label_selector: str = ""
    field_selector: str = ""

    @property
    def selected(self) -> str:
        """The selectors as text."""
        parts = {
            "namespace": self.namespace,
            "labelSelector": self.label_selector,
            "fieldSelector": self.field_selector,
        }
        parts_text = [f"{name}({value})" for name, value in parts.items() if value]
        return ", ".join(parts_text) or "everything"


P = TypeVar("P", bound=Params)


def with_action(raw: dict[str, Any]) -> dict[str, Any]:
    """Parameters with an action: ``start: true`` and ``stop: true`` are other forms of two."""
    if "action" in raw:
        return dict(raw)
    for word, action in (("start", "start"), ("stop", "gather")):
        if raw.get(word) is True:
            return {"action": action, **{key: raw[key] for key in raw if key != word}}
    return dict(raw)


def typed(kind: type[P], raw: dict[str, Any]) -> tuple[P, list[str]]:
    """Parameters as typed values, and a warning for every unknown key.

    Templates and overrides often write numbers and booleans as text: both are read. What is
    `start: true` or `stop: true` in the document's spelling is an action.
    """
    written, raw = raw, with_action(raw)
    fields = {field.encode_name: field.type for field in msgspec.structs.fields(kind)}
    for word in ("start", "stop"):
        if word in written and word in fields:
            raw[word] = written[word]
    if kind.ignores_case:
        raw = {
            key: _inner_folded(value, fields.get(key))
            for key, value in _folded(raw, fields).items()
        }
    if issubclass(kind, FreeParams):
        raw = {"action": raw.get("action"), "values": written}
    warnings = [unknown_parameter(key, list(fields)) for key in raw if key not in fields]
    known_values = {
        key: _plain(value, fields[key])
        for key, value in raw.items()
        if key in fields and value is not None
    }
    try:
        return msgspec.convert(known_values, kind, strict=False, dec_hook=_decode), warnings
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
    """A number as the int or the text that the field has: JSON makes floats of them all."""
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


def unknown_parameter(key: str, known: list[str], where: str = "") -> str:
    """The warning about a key that is not among the known names; `where` is the path to it."""
    close = difflib.get_close_matches(str(key), known, 1)
    fix = f"; did you mean {close[0]!r}?" if close else ""
    return f"params.{where}{key}: unknown parameter{fix}"


def _decode(kind: type, value: Any) -> Any:
    assert kind is Duration, kind
    if not isinstance(value, str):
        shown = "a list" if isinstance(value, list) else repr(value)
        raise ValueError(f'{shown} is not a duration: write it as "90s" or "10m"')
    return Duration(durations.parse_duration(value))
