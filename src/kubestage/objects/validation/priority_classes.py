"""Rules for priority classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects.validation import field, internal_json, metadata, names

if TYPE_CHECKING:
    from kubestage.objects.validation.field import FieldError

_SYSTEM: Final = {"system-node-critical": 2_000_001_000, "system-cluster-critical": 2_000_000_000}
_HIGHEST_OF_USERS: Final = 1_000_000_000
_PREEMPTION: Final = ("PreemptLowerPriority", "Never")


def validate_priority_class(obj: dict[str, Any]) -> list[FieldError]:
    """A new class: high values and ``system-`` names belong to the system."""
    meta, value = obj["metadata"], obj.get("value") or 0
    errors = metadata.validate_object_meta(meta, False, names.name_is_dns_subdomain)
    name = meta.get("name") or ""
    if name.startswith("system-"):
        problem = _system_problem(name, value, bool(obj.get("globalDefault")))
        if problem:
            detail = (
                "priority class names with 'system-' prefix are reserved for system use only. "
                f"error: {problem}"
            )
            errors.append(field.forbidden("metadata.name", detail))
    elif value > _HIGHEST_OF_USERS:
        detail = f"maximum allowed value of a user defined priority is {_HIGHEST_OF_USERS}"
        errors.append(field.forbidden("value", detail))
    policy = obj.get("preemptionPolicy")
    if policy == "":
        errors.append(field.required("preemptionPolicy"))
    elif policy is not None and policy not in _PREEMPTION:
        shown = internal_json.text(policy)
        errors.append(field.not_supported("preemptionPolicy", shown, _PREEMPTION))
    return errors


def _system_problem(name: str, value: int, is_default: bool) -> str:
    wanted = _SYSTEM.get(name)
    if wanted is None:
        return f"{name} is not a known system priority class"
    if value != wanted:
        return f"value of {name} PriorityClass must be {wanted}"
    return f"globalDefault of {name} PriorityClass must be false" if is_default else ""


def validate_priority_class_update(new: dict[str, Any], old: dict[str, Any]) -> list[FieldError]:
    """A changed class: neither its value nor its way of preempting changes."""
    errors = metadata.validate_object_meta_update(new["metadata"], old["metadata"])
    if (new.get("value") or 0) != (old.get("value") or 0):
        errors.append(field.forbidden("value", "may not be changed in an update."))
    policy = new.get("preemptionPolicy")
    return errors + metadata.validate_immutable(
        policy, old.get("preemptionPolicy"), "preemptionPolicy", internal_json.text(policy)
    )
