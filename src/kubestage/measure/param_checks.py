"""Checks of parameters before a test starts: what their types cannot show."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.errors import InputError, MalformedValue
from kubestage.golang import durations
from kubestage.measure.params import Duration
from kubestage.objects import fields, labels
from kubestage.objects.kinds import BUILT_IN, built_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kubestage.measure.params import Params

_SELECTORS: Final[tuple[tuple[str, str, Callable[[str], Any]], ...]] = (
    ("label_selector", "labelSelector", labels.parse),
    ("field_selector", "fieldSelector", fields.parse),
)
_SELECTOR_FIX: Final = "write it as in group = web, or app in (a, b)"
_LIKELY: Final = 0.8


def problems(params: Params) -> Iterator[InputError]:
    """What would fail a step, or could never be met; each names its parameter."""
    yield from params.problems()
    yield from params.later_problems()
    yield from _selectors(params)
    yield from _thresholds(params)
    yield from _counts(params)
    version, kind = getattr(params, "api_version", ""), getattr(params, "kind", "")
    if version and kind:
        unknown = unknown_kind(version, kind)
        if unknown is not None:
            problem, fix, _ = unknown
            yield InputError(problem, path="params.kind", fix=fix)


def unknown_kind(api_version: str, kind: str) -> tuple[str, str, bool] | None:
    """What is odd about a type of a built-in group, the fix, and whether a name is misspelt.

    Nothing is known about other groups: a cluster may have custom resources.
    """
    group = _group(api_version)
    known = {(row.api_version, row.kind) for row in BUILT_IN if row.group == group}
    if not known or built_in(api_version, kind) is not None:
        return None
    problem = f"{api_version} has no kind {kind!r}"
    versions = sorted(version for version, name in known if name == kind)
    if versions:
        return problem, f"it is in {', '.join(versions)}", False
    everywhere = sorted({row.api_version for row in BUILT_IN if row.kind == kind})
    if everywhere:
        return problem, f"did you mean apiVersion {', '.join(everywhere)}?", True
    names = sorted({name for _, name in known})
    close = difflib.get_close_matches(kind, names, 1, _LIKELY)
    if close:
        return problem, f"did you mean {close[0]!r}?", True
    return problem, f"it has {', '.join(names)}", False


def _group(api_version: str) -> str:
    return api_version.rpartition("/")[0]


def _selectors(params: Params) -> Iterator[InputError]:
    for field, name, parse in _SELECTORS:
        text = getattr(params, field, "")
        try:
            parse(text)
        except MalformedValue as error:
            yield InputError(f"{text!r}: {error}", path=f"params.{name}", fix=_SELECTOR_FIX)


def _counts(params: Params) -> Iterator[InputError]:
    """No number of objects is below zero."""
    for field in msgspec.structs.fields(type(params)):
        value = getattr(params, field.name)
        if "desired" in field.name and isinstance(value, int) and value < 0:
            path = f"params.{field.encode_name}"
            yield InputError(f"{value}: a number of objects is not negative", path=path)


def _thresholds(params: Params) -> Iterator[InputError]:
    for field in msgspec.structs.fields(type(params)):
        value = getattr(params, field.name)
        if not field.name.endswith("threshold") or value is None or value == field.default:
            continue
        path = f"params.{field.encode_name}"
        if isinstance(value, str):
            try:
                value = Duration(durations.parse_duration(value))
            except ValueError as error:
                yield InputError(str(error), path=path, fix='write it as "90s" or "10m"')
                continue
        if value < 0:
            is_time = isinstance(value, Duration)
            amount = durations.go_string(value) if is_time else f"{value:g}"
            yield InputError(f"{amount}: a threshold is not negative", path=path)
