"""``--sort-by``: objects in the order of a field, as kubectl has it.

Numbers by size, texts that are quantities by amount, all other texts by their bytes. Objects
without the field come first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.errors import InputError
from kubestage.golang import formatting, sort
from kubestage.objects import jsonpath, quantity
from kubestage.runs.inputs import relaxed_path

if TYPE_CHECKING:
    from kubestage.aliases import Json

_OPTION: Final = "--sort-by"
_FIX: Final = "write a field of the objects, as in .metadata.creationTimestamp"
_MISSING: Final = object()


def by_field(objects: list[Json], path: str) -> list[Json]:
    """The objects of one list in the order of the values at a path."""
    if not path or not objects:
        return objects
    field, template = _template(path)
    keyed = [(_value(template, obj), obj) for obj in objects]
    if all(value is _MISSING for value, _ in keyed):
        problem = f'couldn\'t find any field with path "{field}" in the list of objects'
        raise InputError(problem, path=_OPTION, fix=_FIX)
    try:
        keyed = sort.in_order(keyed, lambda left, right: is_less(left[0], right[0]))
    except TypeError as error:
        problem = f"{field} is an unsortable type: {error}"
        raise InputError(problem, path=_OPTION, fix="order by a number or a text") from None
    return [obj for _, obj in keyed]


def _template(path: str) -> tuple[str, Any]:
    field = relaxed_path.relaxed(path, _OPTION)
    try:
        return field, jsonpath.parse(field)
    except jsonpath.JSONPathError as error:
        raise InputError(f"sorting error: {error}", path=_OPTION, fix=_FIX) from None


def _value(template: Any, obj: Json) -> Any:
    try:
        found = jsonpath.find(template, obj)
    except jsonpath.JSONPathError as error:
        raise InputError(str(error), path=_OPTION, fix=_FIX) from None
    return found[0][0] if found and found[0] else _MISSING


def is_less(left: Any, right: Any) -> bool:
    """Whether a value comes before another; TypeError, naming a Go type, if they have no order."""
    if left is _MISSING or right is _MISSING:
        return left is _MISSING
    if left is None or right is None:
        return left is None and right is not None
    if type(left) not in (int, float, str) or type(left) is not type(right):
        raise TypeError(formatting.type_name(left))
    if not isinstance(left, str):
        return bool(left < right)
    try:
        return bool(quantity.parse(left) < quantity.parse(right))
    except quantity.QuantityError:
        return bool(left.encode() < right.encode())
