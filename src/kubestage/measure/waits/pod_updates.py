"""Whether a pod is what its controller's template says now.

A field that the template leaves open may be anything in the pod: defaults, admission and the
scheduler fill such fields. Numbers and truths cannot be left open where Go has no pointer; there,
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
    """Whether all that the template of a pod asks for is in the pod."""
    return _derives(schema.type_of(_POD_SPEC), template_spec, pod_spec)


def _derives(shape: schema.Type, wanted: Any, found: Any) -> bool:
    if wanted is found:
        return True
    form = shape.form
    if form in _PLAIN:
        zero = _PLAIN[form]
        return bool((zero if wanted is None else wanted) == (zero if found is None else found))
    if shape.name == "resource.Quantity":
        return quantity.of(wanted) == quantity.of(found)
    if form is Form.POINTER:
        assert shape.element is not None
        return wanted is None or (found is not None and _derives(shape.element, wanted, found))
    if form is Form.STRUCT:
        return _structs(shape.name, wanted or {}, found or {})
    if not wanted:
        return True
    if form is Form.LIST:
        assert shape.element is not None
        return len(wanted) <= len(found or ()) and all(
            _derives(shape.element, left, right) for left, right in zip(wanted, found, strict=False)
        )
    if form is Form.MAP:
        assert shape.element is not None
        return len(wanted) <= len(found or ()) and all(
            key in found and _derives(shape.element, value, found[key])
            for key, value in wanted.items()
        )
    return bool(wanted == found)


def _structs(name: str, wanted: Json, found: Json) -> bool:
    fields = schema.struct(name).by_json
    for key, value in wanted.items():
        other = found.get(key)
        if value is other or value == other:
            continue
        field = fields.get(key)
        if field is None or not _derives(field.type, value, other):
            return False
    for key, other in found.items():
        if key not in wanted and key in fields and fields[key].type.form in _PLAIN and other:
            return False
    return True
