"""Whether a pod matches the current template of its controller.

A field that the template does not set may be anything in the pod: defaults, admission and the
scheduler fill such fields. Numbers and booleans cannot be unset where Go has no pointer; there,
absent means zero.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import quantity, schema
from kubestage.objects.schema import Form

if TYPE_CHECKING:
    from kubestage.aliases import Json

_POD_SPEC: Final = "core/v1.PodSpec"
_PLAIN: Final[dict[Form, Any]] = {Form.BOOL: False, Form.INTEGER: 0, Form.FLOAT: 0}


def is_updated(template_spec: Json, pod_spec: Json) -> bool:
    """Whether all that the template of a pod sets is in the pod."""
    return _derives(schema.type_of(_POD_SPEC), template_spec, pod_spec)


def _derives(shape: schema.Type, expected: Any, found: Any) -> bool:
    if expected is found:
        return True
    form = shape.form
    if form in _PLAIN:
        zero = _PLAIN[form]
        return bool((zero if expected is None else expected) == (zero if found is None else found))
    if shape.name == "resource.Quantity":
        return quantity.of(expected) == quantity.of(found)
    if form is Form.POINTER:
        assert shape.element is not None
        return expected is None or (found is not None and _derives(shape.element, expected, found))
    if form is Form.STRUCT:
        return _structs(shape.name, expected or {}, found or {})
    if not expected:
        return True
    if form is Form.LIST:
        assert shape.element is not None
        return len(expected) <= len(found or ()) and all(
            _derives(shape.element, left, right)
            for left, right in zip(expected, found, strict=False)
        )
    if form is Form.MAP:
        assert shape.element is not None
        return len(expected) <= len(found or ()) and all(
            key in found and _derives(shape.element, value, found[key])
            for key, value in expected.items()
        )
    return bool(expected == found)


def _structs(name: str, expected: Json, found: Json) -> bool:
    fields = schema.struct(name).by_json
    for key, value in expected.items():
        other = found.get(key)
        if value is other or value == other:
            continue
        field = fields.get(key)
        if field is None or not _derives(field.type, value, other):
            return False
    for key, other in found.items():
        if key not in expected and key in fields and fields[key].type.form in _PLAIN and other:
            return False
    return True
