"""Rules for storage classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects.validation import (
    field,
    internal_json,
    label_selectors,
    metadata,
    names,
)

if TYPE_CHECKING:
    from kubestage.objects.validation.field import FieldError

_RECLAIM: Final = ("Delete", "Retain")
_BINDING: Final = ("Immediate", "WaitForFirstConsumer")
_PARAMETERS_LIMIT: Final = 512
_PARAMETERS_SIZE: Final = 256 * 1024


def validate_storage_class(obj: dict[str, Any]) -> list[FieldError]:
    """A new class."""
    errors = metadata.validate_object_meta(obj["metadata"], False, names.name_is_dns_subdomain)
    errors += validate_provisioner(obj.get("provisioner") or "", "provisioner")
    errors += validate_parameters(obj.get("parameters") or {})
    policy = obj.get("reclaimPolicy")
    if policy and policy not in _RECLAIM:
        errors.append(field.not_supported("reclaimPolicy", internal_json.text(policy), _RECLAIM))
    mode = obj.get("volumeBindingMode")
    if mode is None:
        errors.append(field.required("volumeBindingMode"))
    elif mode not in _BINDING:
        errors.append(field.not_supported("volumeBindingMode", internal_json.text(mode), _BINDING))
    return errors + _validate_topologies(obj.get("allowedTopologies") or [])


def validate_provisioner(name: str, path: str) -> list[FieldError]:
    """The driver that a class is for."""
    if not name:
        return [field.required(path)]
    lowered = name.lower()
    return field.invalids(path, lowered, names.is_qualified_name(lowered))


def validate_parameters(parameters: dict[str, str]) -> list[FieldError]:
    """What a class tells its driver: not too much."""
    if len(parameters) > _PARAMETERS_LIMIT:
        return [field.too_long("parameters", _PARAMETERS_LIMIT)]
    errors = [
        field.invalid("parameters", key, "field can not be empty.") for key in parameters if not key
    ]
    total = sum(names.size(key) + names.size(value) for key, value in parameters.items())
    if total > _PARAMETERS_SIZE:
        errors.append(field.too_long("parameters", _PARAMETERS_SIZE))
    return errors


def _validate_topologies(terms: list[dict[str, Any]]) -> list[FieldError]:
    errors: list[FieldError] = []
    # The server starts its comparison with as many empty terms as there are terms.
    seen: list[dict[str, set[str]]] = [{} for _ in terms]
    for index, term in enumerate(terms):
        path = f"allowedTopologies[{index}].matchLabelExpressions"
        values: dict[str, set[str]] = {}
        for number, expression in enumerate(term.get("matchLabelExpressions") or ()):
            at = f"{path}[{number}]"
            key = expression.get("key") or ""
            errors += _validate_expression(expression, at)
            if key in values:
                errors.append(field.duplicate(f"{at}.key", key))
            values[key] = set(expression.get("values") or ())
        errors += [field.duplicate(path, "") for other in seen if other == values]
        seen.append(values)
    return errors


def _validate_expression(expression: dict[str, Any], path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    values = expression.get("values") or []
    if not values:
        errors.append(field.required(f"{path}.values"))
    seen: set[str] = set()
    for index, value in enumerate(values):
        if value in seen:
            errors.append(field.duplicate(f"{path}.values[{index}]", value))
        seen.add(value)
    return errors + label_selectors.validate_label_name(expression.get("key") or "", f"{path}.key")


def validate_storage_class_update(new: dict[str, Any], old: dict[str, Any]) -> list[FieldError]:
    """A changed class: how it makes volumes does not change."""
    errors = validate_storage_class(new)
    errors += metadata.validate_object_meta_update(new["metadata"], old["metadata"])
    for key in ("parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"):
        value = new.get(key)
        shown = internal_json.text(value)
        errors += metadata.validate_immutable(value, old.get(key), key, shown)
    return errors
