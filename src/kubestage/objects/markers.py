"""Mechanical rules: markers on the fields of the type table, and the one walker that checks them.

``data/markers.txt`` lists, below the name of a type, fields and their markers::

    batch/v1.CronJobSpec
     concurrencyPolicy required enum=Allow,Forbid,Replace
     successfulJobsHistoryLimit min=0

A marker is ``name``, ``name=value``, and may end in ``{words}`` that replace its usual message:

- ``required``: the field is there; a string, number, list or map that is no pointer is not empty.
- ``nonempty``: a field that is there is not empty; the error is that of ``required``.
- ``enum=A,B``: one of these values, listed in upstream's order. With words, the value is invalid
  and not unsupported.
- ``min=N``, ``max=N``: bounds of a number.
- ``maxbytes=N``, ``maxitems=N``: the longest string, the longest list.
- ``format=NAME``: a function of ``validation.names`` finds nothing wrong with a string or, in a
  list of strings, with each of them; an empty string passes.
- ``share``: a number that is not negative, or a percentage. ``share=100``: at most 100%.
- ``unique``: no value of a list twice. ``unique=KEY``: no item with the same key twice.
- ``walk``: the markers of the field's own type hold, for each item if it is a list.
- ``immutable``: see `check_update`.

The other markers of a field are not checked if it is absent, or a required one is empty.
"""

from __future__ import annotations

import functools
import importlib.resources
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kubestage.golang import integers
from kubestage.objects import equality, schema
from kubestage.objects.schema import Form
from kubestage.objects.validation import field, internal_json, names

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError

Check = tuple[Callable[[Any], object], Callable[[Any, str], "list[FieldError]"]]
"""Whether a value is fine, and what is wrong with one that is not, at a path."""

_ZERO: Final[dict[Form, Any]] = {Form.STRING: "", Form.INTEGER: 0, Form.LIST: (), Form.MAP: {}}
_IMMUTABLE: Final = "field is immutable"
_find_markers: Final = re.compile(r"(\w+)(?:=([^\s{]+))?(?:\{([^}]*)\})?").finditer


class _Marker(NamedTuple):
    """One marker of a field: ``min=0{must not be negative}``."""

    name: str
    value: str
    words: str | None


class _Rare(NamedTuple):
    """What is seldom needed of the markers of a field."""

    is_required: bool
    """Whether the field may not be absent."""
    is_nonempty: bool
    """Whether the field may not be empty."""
    immutable: str
    """The type by which old and new values are compared; empty if the field may change."""


class _Field(NamedTuple):
    """The compiled markers of one field."""

    zero: Any
    """What an absent field is; None if it is not checked then."""
    missing: str | None
    """The words of the error if the field is absent or empty; None if it may be so."""
    checks: tuple[Check, ...]
    rare: _Rare


def check(type_name: str, holder: Json, path: str, *fields: str) -> list[FieldError]:
    """What is wrong with these fields of an object of that type, or with all that have markers."""
    compiled = _compiled(type_name)
    errors: list[FieldError] = []
    for name in fields or compiled:
        value = holder.get(name)
        zero, missing, checks, marked = compiled[name]
        if value is None:
            value = zero
        if missing is not None and _is_missing(value, marked):
            errors.append(field.required(_join(path, name), missing))
        elif value is not None:
            for is_fine, explain in checks:
                if not is_fine(value):
                    errors += explain(value, _join(path, name))
    return errors


def check_update(type_name: str, new: Json, old: Json, path: str, *fields: str) -> list[FieldError]:
    """Which of these fields, or of all that are immutable, an update changes."""
    compiled = _compiled(type_name)
    errors: list[FieldError] = []
    for name in fields or (name for name, marked in compiled.items() if marked.rare.immutable):
        expression, value = compiled[name].rare.immutable, new.get(name)
        if not equality.semantic_equal(expression, value, old.get(name)):
            plain = expression == "string"
            shown = value or "" if plain else internal_json.render(expression, value)
            errors.append(field.invalid(_join(path, name), shown, _IMMUTABLE))
    return errors


def _is_missing(value: Any, marked: _Rare) -> bool:
    return marked.is_required if value is None else marked.is_nonempty and not value


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


@functools.cache
def _lines() -> dict[str, dict[str, tuple[_Marker, ...]]]:
    """The markers of all types, by type and field."""
    text = importlib.resources.files("kubestage.objects.data").joinpath("markers.txt").read_text()
    types: dict[str, dict[str, tuple[_Marker, ...]]] = {}
    current: dict[str, tuple[_Marker, ...]] = {}
    for line in text.splitlines():
        if line.startswith(" "):
            name, _, rest = line[1:].partition(" ")
            current[name] = tuple(
                _Marker(found[1], found[2] or "", found[3]) for found in _find_markers(rest)
            )
        elif line:
            current = types.setdefault(line, {})
    return types


def types() -> dict[str, tuple[str, ...]]:
    """The types that have markers, each with the names of its marked fields."""
    return {name: tuple(fields) for name, fields in _lines().items()}


@functools.cache
def _compiled(type_name: str) -> dict[str, _Field]:
    by_json = schema.struct(type_name).by_json
    return {
        name: _compile(by_json[name].type, markers) for name, markers in _lines()[type_name].items()
    }


def _compile(shape: schema.Type, markers: tuple[_Marker, ...]) -> _Field:
    missing, checks, immutable = None, [], ""
    is_required = is_nonempty = False
    is_pointer = shape.form is Form.POINTER
    for marker in markers:
        if marker.name in ("required", "nonempty"):
            missing = marker.words or ""
            is_required = marker.name == "required"
            is_nonempty = not is_required or not is_pointer
        elif marker.name == "immutable":
            immutable = shape.name
        else:
            checks.append(_CHECKS[marker.name](shape, marker))
    zero = None if is_pointer else _ZERO.get(shape.form)
    return _Field(zero, missing, tuple(checks), _Rare(is_required, is_nonempty, immutable))


def _enum(_: schema.Type, marker: _Marker) -> Check:
    choices, words = tuple(marker.value.split(",")), marker.words

    def explain(value: Any, path: str) -> list[FieldError]:
        if words is not None:
            return [field.invalid(path, internal_json.text(value), words)]
        return [field.not_supported(path, value, choices)]

    return choices.__contains__, explain


def _min(_: schema.Type, marker: _Marker) -> Check:
    least = int(marker.value)
    words = marker.words or f"must be greater than or equal to {least}"
    return least.__le__, lambda value, path: [field.invalid(path, value, words)]


def _max(_: schema.Type, marker: _Marker) -> Check:
    most = int(marker.value)
    words = marker.words or f"must be less than or equal to {most}"
    return most.__ge__, lambda value, path: [field.invalid(path, value, words)]


def _maxbytes(_: schema.Type, marker: _Marker) -> Check:
    most = int(marker.value)
    return (lambda value: names.size(value) <= most), lambda _, path: [field.too_long(path, most)]


def _maxitems(_: schema.Type, marker: _Marker) -> Check:
    most = int(marker.value)

    def explain(value: Any, path: str) -> list[FieldError]:
        return [field.too_many(path, len(value), most)]

    return (lambda value: len(value) <= most), explain


def _format(shape: schema.Type, marker: _Marker) -> Check:
    problems: Callable[[Any], list[str]] = getattr(names, marker.value)
    if shape.bare.form is not Form.LIST:
        return (
            lambda value: not value or not problems(value),
            lambda value, path: field.invalids(path, value, problems(value)),
        )
    return (
        lambda items: not any(map(problems, items)),
        lambda items, path: [
            error
            for index, item in enumerate(items)
            for error in field.invalids(f"{path}[{index}]", item, problems(item))
        ],
    )


def _share(_: schema.Type, marker: _Marker) -> Check:
    most = int(marker.value) if marker.value else None

    def explain(value: Any, path: str) -> list[FieldError]:
        if not isinstance(value, str):
            return [] if value >= 0 else [field.invalid(path, value, names.NOT_NEGATIVE)]
        problems = names.is_valid_percent(value)
        if problems:
            return field.invalids(path, value, problems)
        if most is not None and integers.parse(value.removesuffix("%")) > most:
            return [field.invalid(path, value, f"must not be greater than {most}%")]
        return []

    return _never, explain


def _unique(_: schema.Type, marker: _Marker) -> Check:
    key = marker.value

    def explain(items: Any, path: str) -> list[FieldError]:
        errors, seen = [], set()
        for index, item in enumerate(items):
            value = item.get(key) if key else item
            if value in seen:
                at = f"{path}[{index}].{key}" if key else f"{path}[{index}]"
                errors.append(field.duplicate(at, value))
            seen.add(value)
        return errors

    return _never, explain


def _walk(shape: schema.Type, _: _Marker) -> Check:
    bare = shape.bare
    if bare.form is not Form.LIST:
        return _never, lambda value, path: check(bare.name, value, path)
    assert bare.element is not None
    element = bare.element.bare.name
    return _never, lambda items, path: [
        error
        for index, item in enumerate(items)
        for error in check(element, item, f"{path}[{index}]")
    ]


def _never(_: Any) -> bool:
    """Leave it to the explanation whether something is wrong."""
    return False


_CHECKS: Final[dict[str, Callable[[schema.Type, _Marker], Check]]] = {
    "enum": _enum, "min": _min, "max": _max, "maxbytes": _maxbytes,
    "maxitems": _maxitems, "format": _format, "share": _share, "unique": _unique, "walk": _walk,
}  # fmt: skip
