"""What the API does to a ResourceClaimTemplate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects.defaulting import devices
from kubestage.objects.kinds.behavior import Behavior
from kubestage.objects.kinds.kind import Kind
from kubestage.objects.tables import cells
from kubestage.objects.validation import claim_spec, metadata, names
from kubestage.objects.validation.devices import claims

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError


def _default(obj: Json) -> None:
    devices.claim_spec(obj["spec"]["spec"])


def _validate(obj: Json) -> list[FieldError]:
    spec = obj.get("spec") or {}
    errors = claim_spec.validate_template_meta(spec.get("metadata") or {}, "spec.metadata")
    return errors + claims.validate_claim_spec(spec.get("spec") or {}, "spec.spec")


def _validate_update(new: Json, old: Json) -> list[FieldError]:
    """Only the metadata of a template can change."""
    meta = new["metadata"]
    errors = metadata.validate_object_meta(meta, True, names.name_is_dns_subdomain)
    errors += _validate(new) + metadata.validate_object_meta_update(meta, old["metadata"])
    return errors + claims.validate_same_spec(new, old, "resource/v1.ResourceClaimTemplateSpec")


KIND: Final = Kind(
    group="resource.k8s.io",
    version="v1",
    kind="ResourceClaimTemplate",
    plural="resourceclaimtemplates",
    old_versions=("resource.k8s.io/v1beta1", "resource.k8s.io/v1beta2"),
    declared=Behavior(
        default=_default,
        empty_lists=(("spec", "spec", "devices", "requests"),),
        validate=_validate,
        validate_update={"": _validate_update},
        validates_metadata=("",),
        cells=cells.name_and_age,
    ),
)
