"""Which rules judge which kind: the rows of ``rules`` for dynamic resource allocation."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import equality
from kubestage.objects.validation import (
    claim_spec,
    field,
    internal_json,
    metadata,
    names,
    resource_names,
)
from kubestage.objects.validation.devices import (
    claim_status,
    claims,
    configuration,
    lists,
    slices,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.objects.validation.field import FieldError

    Rule = Callable[[dict[str, Any]], list[FieldError]]
    UpdateRule = Callable[[dict[str, Any], dict[str, Any]], list[FieldError]]

_RESOURCE: Final = "resource.k8s.io/v1"
_CONFIGURATIONS: Final = "[]resource/v1.DeviceClassConfiguration"


def validate_claim(obj: dict[str, Any]) -> list[FieldError]:
    """A new claim."""
    errors = metadata.validate_object_meta(obj["metadata"], True, names.name_is_dns_subdomain)
    return errors + claims.validate_claim_spec(obj.get("spec") or {}, "spec")


def validate_claim_update(new: dict[str, Any], old: dict[str, Any]) -> list[FieldError]:
    """A changed claim: what it asks for stays."""
    errors = metadata.validate_object_meta(new["metadata"], True, names.name_is_dns_subdomain)
    errors += metadata.validate_object_meta_update(new["metadata"], old["metadata"])
    return errors + _validate_same_spec(new, old, "resource/v1.ResourceClaimSpec")


def _validate_same_spec(new: dict[str, Any], old: dict[str, Any], shape: str) -> list[FieldError]:
    if equality.semantic_equal(shape, new.get("spec"), old.get("spec")):
        return []
    shown = internal_json.render(shape, new.get("spec"))
    return [field.invalid("spec", shown, metadata.IMMUTABLE)]


def validate_template(obj: dict[str, Any]) -> list[FieldError]:
    """A new template for claims."""
    errors = metadata.validate_object_meta(obj["metadata"], True, names.name_is_dns_subdomain)
    spec = obj.get("spec") or {}
    errors += claim_spec.validate_template_meta(spec.get("metadata") or {}, "spec.metadata")
    return errors + claims.validate_claim_spec(spec.get("spec") or {}, "spec.spec")


def validate_template_update(new: dict[str, Any], old: dict[str, Any]) -> list[FieldError]:
    """A changed template: only its metadata can change."""
    errors = validate_template(new)
    errors += metadata.validate_object_meta_update(new["metadata"], old["metadata"])
    return errors + _validate_same_spec(new, old, "resource/v1.ResourceClaimTemplateSpec")


def validate_class(obj: dict[str, Any]) -> list[FieldError]:
    """A new class of devices."""
    errors = metadata.validate_named_meta(obj["metadata"], False)
    return errors + _validate_class_spec(obj.get("spec") or {}, None)


def validate_class_update(new: dict[str, Any], old: dict[str, Any]) -> list[FieldError]:
    """A changed class."""
    errors = metadata.validate_named_meta(new["metadata"], False)
    errors += metadata.validate_object_meta_update(new["metadata"], old["metadata"])
    return errors + _validate_class_spec(new.get("spec") or {}, old.get("spec") or {})


def _validate_class_spec(spec: dict[str, Any], old: dict[str, Any] | None) -> list[FieldError]:
    errors = configuration.validate_selectors(spec.get("selectors"), "spec.selectors")
    told = spec.get("config")
    stored = old is not None and equality.semantic_equal(_CONFIGURATIONS, told, old.get("config"))
    errors += lists.validate_list(
        told,
        configuration.MAX_CONFIGURATIONS,
        functools.partial(configuration.validate_configuration, stored=stored),
        "spec.config",
    )
    name = spec.get("extendedResourceName")
    if name is not None and not resource_names.is_extended(name):
        detail = "must be a valid extended resource name"
        errors.append(field.invalid("spec.extendedResourceName", name, detail))
    return errors


CREATE: Final[dict[tuple[str, str], Rule]] = {
    (_RESOURCE, "DeviceClass"): validate_class,
    (_RESOURCE, "ResourceClaim"): validate_claim,
    (_RESOURCE, "ResourceClaimTemplate"): validate_template,
    (_RESOURCE, "ResourceSlice"): slices.validate_slice,
}

UPDATE: Final[dict[tuple[str, str, str], UpdateRule]] = {
    (_RESOURCE, "DeviceClass", ""): validate_class_update,
    (_RESOURCE, "ResourceClaim", ""): validate_claim_update,
    (_RESOURCE, "ResourceClaim", "status"): claim_status.validate_status_update,
    (_RESOURCE, "ResourceClaimTemplate", ""): validate_template_update,
    (_RESOURCE, "ResourceSlice", ""): slices.validate_slice_update,
}
