"""What the API does to a StorageClass."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects.kinds.behavior import CREATE, Behavior
from kubestage.objects.kinds.kind import Kind
from kubestage.objects.tables import cells
from kubestage.objects.validation import (
    field,
    internal_json,
    label_selectors,
    metadata,
    names,
    storage_classes,
)
from kubestage.objects.warnings import pods

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.tables.cells import Cell
    from kubestage.objects.validation.field import FieldError

_RECLAIM: Final = ("Delete", "Retain")
_BINDING: Final = ("Immediate", "WaitForFirstConsumer")
_DEFAULT_CLASS: Final = (
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
)


def _default(obj: Json) -> None:
    obj.setdefault("reclaimPolicy", "Delete")
    obj.setdefault("volumeBindingMode", "Immediate")


def _validate(obj: Json) -> list[FieldError]:
    errors = metadata.validate_object_meta(obj["metadata"], False, names.name_is_dns_subdomain)
    errors += storage_classes.validate_provisioner(obj.get("provisioner") or "", "provisioner")
    errors += storage_classes.validate_parameters(obj.get("parameters") or {})
    policy = obj.get("reclaimPolicy")
    if policy and policy not in _RECLAIM:
        errors.append(field.not_supported("reclaimPolicy", internal_json.text(policy), _RECLAIM))
    mode = obj.get("volumeBindingMode")
    if mode is None:
        errors.append(field.required("volumeBindingMode"))
    elif mode not in _BINDING:
        errors.append(field.not_supported("volumeBindingMode", internal_json.text(mode), _BINDING))
    return errors + _validate_topologies(obj.get("allowedTopologies") or [])


def _validate_topologies(terms: list[Json]) -> list[FieldError]:
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


def _validate_expression(expression: Json, path: str) -> list[FieldError]:
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


def _validate_update(new: Json, old: Json) -> list[FieldError]:
    """A changed class: how it makes volumes does not change."""
    errors = _validate(new)
    errors += metadata.validate_object_meta_update(new["metadata"], old["metadata"])
    for key in ("parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"):
        value = new.get(key)
        shown = internal_json.text(value)
        errors += metadata.validate_immutable(value, old.get(key), key, shown)
    return errors


def _warn(obj: Json) -> list[str]:
    """Old node labels in the topologies of a class."""
    return [
        (
            f"allowedTopologies[{at}].matchLabelExpressions[{index}].key: "
            f"{pods.NODE_LABELS[expression['key']]}"
        )
        for at, term in enumerate(obj.get("allowedTopologies") or ())
        for index, expression in enumerate(term.get("matchLabelExpressions") or ())
        if expression.get("key") in pods.NODE_LABELS
    ]


def _cells(obj: Json, now_ns: int) -> list[Cell]:
    annotations = cells.part(obj, "metadata", "annotations")
    is_default = any(annotations.get(mark) == "true" for mark in _DEFAULT_CLASS)
    return [
        cells.name(obj) + (" (default)" if is_default else ""),
        cells.text(obj, "provisioner"),
        obj.get("reclaimPolicy") or "Delete",
        obj.get("volumeBindingMode") or "Immediate",
        bool(obj.get("allowVolumeExpansion")),
        cells.age(obj, now_ns),
    ]


KIND: Final = Kind(
    group="storage.k8s.io",
    version="v1",
    kind="StorageClass",
    plural="storageclasses",
    namespaced=False,
    short_names=("sc",),
    old_versions=("storage.k8s.io/v1beta1",),
    declared=Behavior(
        default=_default,
        validate=_validate,
        validate_update={"": _validate_update},
        validates_metadata=(CREATE, ""),
        warn=_warn,
        cells=_cells,
    ),
)
