"""``--setting hpa.sync-period=30s``: what operators set with flags of controllers and autoscalers.

Names are those of the flags, under the name of who has them; durations are written as such.
"""

from __future__ import annotations

import difflib
import math
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.errors import InputError
from kubestage.golang import durations
from kubestage.objects import distributions

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from kubestage.controllers.settings import Settings

OPTION: Final = "--setting"
_FIX: Final = "write NAME=VALUE, as in hpa.sync-period=30s"
# How often something is done: were it all the time, no time would pass.
_RHYTHMS: Final = ("sync_period_ns", "monitor_period_ns", "_interval_ns", "resolution_ns")
_SHORTEST_NS: Final = 1_000_000
_KINDS: Final = {"bool": "true or false", "int": "a whole number", "float": "a number"}


def split(texts: Sequence[str]) -> dict[str, str]:
    """What each name is set to."""
    found: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise InputError(f'"{text}" is no setting', path=OPTION, fix=_FIX)
        found[name.strip()] = value.strip()
    return found


def apply(settings: Settings, values: Mapping[str, str]) -> Settings:
    """The settings with these values."""
    for name, value in values.items():
        settings = _set(settings, name, value)
    return settings


def names(settings: msgspec.Struct) -> Iterator[str]:
    """All settings there are, as they are written."""
    return (name for name, _ in written(settings))


def written(settings: msgspec.Struct, prefix: str = "") -> Iterator[tuple[str, str]]:
    """All settings there are and their values, both as they are written."""
    for field in settings.__struct_fields__:
        value = getattr(settings, field)
        if isinstance(value, msgspec.Struct):
            yield from written(value, f"{prefix}{_written(field)}.")
        elif not isinstance(value, dict):
            yield prefix + _written(field), _text(field, value)


def _text(field: str, value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if field.endswith("_ns"):
        return durations.go_string(value)
    return ",".join(sorted(value)) if isinstance(value, (tuple, frozenset)) else str(value)


def _set(settings: Settings, name: str, value: str) -> Settings:
    written_name = name.replace("_", "-")
    known = list(names(settings))
    if written_name not in known:
        near = difflib.get_close_matches(written_name, known, n=1) or _last_part(
            written_name, known
        )
        fix = f"did you mean {near[0]}?" if near else "docs/settings.md lists them"
        raise InputError(f'unknown setting "{name}"', path=OPTION, fix=fix)
    try:
        changed: Settings = _replaced(settings, written_name.split("."), value)
    except InputError as error:
        raise InputError(error.problem, path=f"{OPTION} {name}", fix=error.fix) from None
    return changed


def _last_part(name: str, known: list[str]) -> list[str]:
    """Settings of this name of whomever: the first part is easily forgotten."""
    return [each for each in known if each.rpartition(".")[2] == name.rpartition(".")[2]]


def _replaced(settings: Any, path: list[str], text: str) -> Any:
    field = next(each for each in settings.__struct_fields__ if _written(each) == path[0])
    value = getattr(settings, field)
    new = _replaced(value, path[1:], text) if len(path) > 1 else _read(field, value, text)
    return msgspec.structs.replace(settings, **{field: new})


def _written(field: str) -> str:
    return field.removesuffix("_ns").replace("_", "-")


def _read(field: str, before: Any, text: str) -> Any:
    value = _parsed(field, before, text)
    if isinstance(value, (int, float)):
        _check_size(field, before, value)
    return value


def _check_size(field: str, before: float, value: float) -> None:
    """Refuse numbers that no flag could mean; what is below zero by default may be so."""
    if not math.isfinite(value):
        raise InputError("is not finite", fix="write a number")
    if value < 0 <= before:
        raise InputError("is below zero", fix="leave it out for the default")
    if field.endswith(_RHYTHMS) and value < _SHORTEST_NS:
        raise InputError("is shorter than a millisecond", fix="write it as in 15s")


def _parsed(field: str, before: Any, text: str) -> Any:
    if field.endswith("_ns"):
        try:
            return durations.parse_duration(text)
        except ValueError as error:
            raise InputError(str(error), fix="write it as in 30s or 1h30m") from None
    if isinstance(before, str) and field.endswith("_delay"):
        distributions.parse(text)
    if isinstance(before, (tuple, frozenset)):
        return type(before)(part.strip() for part in text.split(",") if part.strip())
    if isinstance(before, str):
        return text
    kind = type(before)
    try:
        return msgspec.convert(text, kind, strict=False)
    except msgspec.ValidationError:
        expected = _KINDS[kind.__name__]
        raise InputError(f'"{text}" is not {expected}', fix=f"write {expected}") from None
