"""What the API does to a DeviceClass."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Final

from kubestage.objects import equality
from kubestage.objects.kinds.behavior import CREATE, Behavior
from kubestage.objects.kinds.kind import Kind
from kubestage.objects.tables import cells
from kubestage.objects.validation import field, metadata, resource_names
from kubestage.objects.validation.devices import configuration, lists

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError

_CONFIGURATIONS: Final = "[]resource/v1.DeviceClassConfiguration"


def _validate(obj: Json) -> list[FieldError]:
    errors = metadata.validate_named_meta(obj["metadata"], False)
    return errors + _validate_class_spec(obj.get("spec") or {}, None)


def _validate_update(new: Json, old: Json) -> list[FieldError]:
    errors = metadata.validate_named_meta(new["metadata"], False)
    errors += metadata.validate_object_meta_update(new["metadata"], old["metadata"])
    return errors + _validate_class_spec(new.get("spec") or {}, old.get("spec") or {})


def _validate_class_spec(spec: Json, old: Json | None) -> list[FieldError]:
    errors = configuration.validate_selectors(spec.get("selectors"), "spec.selectors")
    configurations = spec.get("config")
    stored = old is not None and equality.semantic_equal(
        _CONFIGURATIONS, configurations, old.get("config")
    )
    errors += lists.validate_list(
        configurations,
        configuration.MAX_CONFIGURATIONS,
        functools.partial(configuration.validate_configuration, stored=stored),
        "spec.config",
    )
    name = spec.get("extendedResourceName")
    if name is not None and not resource_names.is_extended(name):
        detail = "must be a valid extended resource name"
        errors.append(field.invalid("spec.extendedResourceName", name, detail))
    return errors


KIND: Final = Kind(
    group="resource.k8s.io",
    version="v1",
    kind="DeviceClass",
    plural="deviceclasses",
    namespaced=False,
    old_versions=("resource.k8s.io/v1beta1", "resource.k8s.io/v1beta2"),
    declared=Behavior(
        generation_fields=("spec",),
        validate=_validate,
        validate_update={"": _validate_update},
        validates_metadata=(CREATE, ""),
        cells=cells.name_and_age,
    ),
)
