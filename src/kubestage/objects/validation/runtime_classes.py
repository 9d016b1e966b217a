"""Rules for runtime classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects.validation import (
    field,
    internal_json,
    label_selectors,
    metadata,
    names,
    resources,
    tolerations,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.objects.validation.field import FieldError

    Rule = Callable[[dict[str, Any]], list[FieldError]]
    UpdateRule = Callable[[dict[str, Any], dict[str, Any]], list[FieldError]]

_NODE: Final = "node.k8s.io/v1"


def validate_runtime_class(obj: dict[str, Any]) -> list[FieldError]:
    """A new class."""
    errors = metadata.validate_object_meta(obj["metadata"], False, names.name_is_dns_subdomain)
    handler = obj.get("handler") or ""
    if not handler:
        errors.append(field.required("handler"))
    else:
        errors += field.invalids("handler", handler, names.is_dns1123_label(handler))
    overhead = obj.get("overhead")
    if overhead is not None:
        limits = {"limits": overhead.get("podFixed")}
        errors += resources.validate_requirements(limits, (), "overhead")
    scheduling = obj.get("scheduling")
    if scheduling is not None:
        errors += _validate_scheduling(scheduling, "scheduling")
    return errors


def validate_runtime_class_update(new: dict[str, Any], old: dict[str, Any]) -> list[FieldError]:
    """A changed class: its handler stays."""
    errors = validate_runtime_class(new)
    errors += metadata.validate_object_meta_update(new["metadata"], old["metadata"])
    handler = new.get("handler") or ""
    return errors + metadata.validate_immutable(handler, old.get("handler") or "", "handler")


def _validate_scheduling(scheduling: dict[str, Any], path: str) -> list[FieldError]:
    selector = scheduling.get("nodeSelector")
    errors = label_selectors.validate_labels(selector, f"{path}.nodeSelector")
    tolerated, at = scheduling.get("tolerations") or [], f"{path}.tolerations"
    errors += tolerations.validate_tolerations(tolerated, at)
    seen: set[tuple[str, ...]] = set()
    for index, toleration in enumerate(tolerated):
        key = tuple(toleration.get(part) or "" for part in ("key", "operator", "value", "effect"))
        if key in seen:
            shown = internal_json.render("core/v1.Toleration", toleration)
            errors.append(field.duplicate(f"{at}[{index}]", shown))
        seen.add(key)
    return errors


CREATE: Final[dict[tuple[str, str], Rule]] = {(_NODE, "RuntimeClass"): validate_runtime_class}
UPDATE: Final[dict[tuple[str, str, str], UpdateRule]] = {
    (_NODE, "RuntimeClass", ""): validate_runtime_class_update
}
