"""Whether an object has the shape of its kind, in the words of the merge library."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kubestage.golang import formatting
from kubestage.objects.ownership import path_element, values
from kubestage.objects.validation import field

if TYPE_CHECKING:
    from kubestage.objects.ownership.topology import Atom, List, Map


class Misfit(NamedTuple):
    """Where a value does not fit, and why."""

    path: str
    problem: str

    def __str__(self) -> str:
        return f"{self.path}: {self.problem}" if self.path else self.problem


_NUMBERS: Final = (int, float)


def check(atom: Atom, value: Any) -> list[Misfit]:
    """Everything about a value that its shape does not allow; repeated items are not allowed."""
    how = values.form(atom, value)
    if value is None:
        return []
    if how == "map":
        assert atom.map is not None
        return _map(atom.map, value)
    if how == "list":
        assert atom.list is not None
        return _list(atom.list, value)
    return _scalar(atom, value)


def text(misfits: list[Misfit]) -> str:
    """All of them in one message."""
    if len(misfits) == 1:
        return str(misfits[0])
    return "\n".join(["errors:", *(f"  {misfit}" for misfit in misfits)])


def _below(element: str, misfits: list[Misfit]) -> list[Misfit]:
    if not misfits:
        return misfits
    prefix = path_element.text(element)
    return [Misfit(prefix + misfit.path, misfit.problem) for misfit in misfits]


def _map(shape: Map, value: Any) -> list[Misfit]:
    if not isinstance(value, dict):
        return [Misfit("", f"expected map, got {values.shown(value)}")]
    found: list[Misfit] = []
    fields = shape.fields
    for key, item in value.items():
        atom = fields.get(key) or shape.element
        if atom is None:
            return [*found, Misfit(f".{key}", "field not declared in schema")]
        found += _below(f"f:{key}", check(atom, item))
    return found


def _list(shape: List, value: Any) -> list[Misfit]:
    if not isinstance(value, list):
        return [Misfit("", f"expected list, got {values.shown(value)}")]
    found: list[Misfit] = []
    seen: set[str] = set()
    for index, item in enumerate(value):
        element = f"i:{index}"
        if not shape.atomic:
            try:
                element = values.element_of(shape, item)
            except values.NoElement as why:
                return [*found, Misfit("", f"element {index}: {why}")]
            if element in seen:
                repeated = path_element.text(element)
                found.append(Misfit("", f"duplicate entries for key {repeated}"))
            seen.add(element)
        found += _below(element, check(shape.element, item))
    return found


def _scalar(atom: Atom, value: Any) -> list[Misfit]:
    expected = atom.scalar
    is_number = isinstance(value, _NUMBERS) and not isinstance(value, bool)
    if expected == "numeric" and not is_number:
        return [Misfit("", f"expected numeric (int or float), got {formatting.type_name(value)}")]
    if expected == "string" and not isinstance(value, str):
        return [Misfit("", f"expected string, got {_go_syntax(value)}")]
    if expected == "boolean" and not isinstance(value, bool):
        return [Misfit("", f"expected boolean, got {values.shown(value)}")]
    if expected == "untyped" and isinstance(value, (dict, list)):
        return [Misfit("", f"expected any scalar, got {values.shown(value)}")]
    return []


def _go_syntax(value: Any) -> str:
    return f"&value.valueUnstructured{{Value:{_literal(value)}}}"


def _literal(value: Any) -> str:
    """A value as Go source."""
    if isinstance(value, str):
        return field.quote(value)
    if isinstance(value, dict):
        inside = ", ".join(f"{field.quote(key)}:{_literal(value[key])}" for key in sorted(value))
        return f"map[string]interface {{}}{{{inside}}}"
    if isinstance(value, list):
        return f"[]interface {{}}{{{', '.join(map(_literal, value))}}}"
    return "interface {}(nil)" if value is None else formatting.show(value)
