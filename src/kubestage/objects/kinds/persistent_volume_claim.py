"""What the API does to a PersistentVolumeClaim."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import equality, quantity
from kubestage.objects.defaulting import volumes
from kubestage.objects.kinds.behavior import Behavior
from kubestage.objects.kinds.kind import Kind
from kubestage.objects.quota import volume_claims as volume_claims_quota
from kubestage.objects.tables import cells, storage
from kubestage.objects.validation import (
    claim_spec,
    field,
    internal_json,
    label_selectors,
    metadata,
    names,
    resource_names,
    resources,
    spec_diff,
)
from kubestage.objects.warnings import cluster

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.tables.cells import Cell
    from kubestage.objects.validation.field import FieldError

_SPEC: Final = "core/v1.PersistentVolumeClaimSpec"
_CLASS_ANNOTATION: Final = "volume.beta.kubernetes.io/storage-class"
_STORAGE: Final = "spec.resources.requests.storage"
_ATTRIBUTES: Final = "spec.volumeAttributesClassName"
_RESIZE_STATUSES: Final = (
    "ControllerResizeInProgress",
    "ControllerResizeInfeasible",
    "NodeResizeInProgress",
    "NodeResizeInfeasible",
    "NodeResizePending",
)


def _prepare_create(claim: Json, _: str | None) -> None:
    """Both fields of the data source are filled."""
    claim["spec"] = _with_data_sources(claim.get("spec") or {}, None)


def _read_back(claim: Json) -> Json:
    """A claim without status is pending."""
    report = claim.get("status") or {}
    return claim if report.get("phase") else {**claim, "status": {**report, "phase": "Pending"}}


def _prepare_update(new: Json, old: Json, _: str | None) -> None:
    """As on creation; a data source that the claim has already stays."""
    new["spec"] = _with_data_sources(new.get("spec") or {}, old.get("spec") or {})


def _with_data_sources(spec: Json, old: Json | None) -> Json:
    """The spec with ``dataSource`` and ``dataSourceRef`` in agreement."""
    old = old or {}
    out = dict(spec)
    was_used = old.get("dataSource") is not None or old.get("dataSourceRef") is not None
    reference = out.get("dataSourceRef")
    if (reference or {}).get("namespace") and old.get("dataSourceRef") is None:
        out.pop("dataSourceRef")
        reference = None
    source = out.get("dataSource")
    if not was_used and reference is None and not _is_claim_or_snapshot(source):
        out.pop("dataSource", None)
    return _with_both_sources(out)


def _is_claim_or_snapshot(source: Json | None) -> bool:
    if source is None:
        return False
    kind, group = source.get("kind"), source.get("apiGroup") or ""
    return (kind, group) in (
        ("PersistentVolumeClaim", ""),
        ("VolumeSnapshot", "snapshot.storage.k8s.io"),
    )


def _with_both_sources(spec: Json) -> Json:
    """The spec with ``dataSource`` and ``dataSourceRef`` both set if one is."""
    source, reference = spec.get("dataSource"), spec.get("dataSourceRef")
    if source is not None and reference is None:
        return {**spec, "dataSourceRef": dict(source)}
    if reference is not None and source is None and not reference.get("namespace"):
        local = {key: reference[key] for key in reference if key != "namespace"}
        return {**spec, "dataSource": local}
    return spec


def _validate(obj: Json) -> list[FieldError]:
    return claim_spec.validate_claim_spec(obj.get("spec") or {}, "spec")


def _validate_update(new: Json, old: Json) -> list[FieldError]:
    """A claim is bound once and can be expanded; little else changes."""
    meta, spec = new["metadata"], new.get("spec") or {}
    before = _with_both_sources(old.get("spec") or {})
    errors = metadata.validate_object_meta(meta, True, names.name_is_dns_subdomain)
    sources = (before.get("dataSource"), before.get("dataSourceRef"))
    errors += claim_spec.validate_claim_spec(
        spec,
        "spec",
        allow_invalid_values=bool(
            label_selectors.validate_label_selector(before.get("selector"), "")
        ),
        allow_invalid_api_group=any((s or {}).get("apiGroup") is not None for s in sources),
    )
    masked, compared = _masked(new, old, before, errors)
    if not equality.semantic_equal(_SPEC, masked, compared):
        detail = (
            "spec is immutable after creation except resources.requests and "
            "volumeAttributesClassName for bound claims"
        )
        diff = spec_diff.diff(_SPEC, compared, masked)
        errors.append(field.forbidden("spec", f"{detail}\n{diff}"))
    errors += _validate_size(spec, before, old.get("status") or {})
    mode = spec.get("volumeMode")
    errors += metadata.validate_immutable(
        mode, before.get("volumeMode"), "volumeMode", internal_json.text(mode)
    )
    return errors + _validate_attributes(spec, before, old.get("status") or {})


def _masked(new: Json, old: Json, before: Json, errors: list[FieldError]) -> tuple[Json, Json]:
    """New and old spec, made equal where they may differ."""
    masked, compared = dict(new.get("spec") or {}), dict(before)
    if not before.get("volumeName"):
        compared["volumeName"] = masked.get("volumeName")
    now = new["metadata"].get("annotations") or {}
    annotation = (old["metadata"].get("annotations") or {}).get(_CLASS_ANNOTATION)
    name, old_name = masked.get("storageClassName"), before.get("storageClassName")
    is_upgrade = name is not None and old_name is None
    if (
        is_upgrade
        and annotation is not None
        and name == annotation
        and now.get(_CLASS_ANNOTATION, annotation) == annotation
    ):
        masked["storageClassName"] = None
    else:
        requested = now.get(_CLASS_ANNOTATION) or ""
        if requested != (annotation or ""):
            path = f"metadata.annotations.{_CLASS_ANNOTATION}"
            errors.append(field.invalid(path, requested, metadata.IMMUTABLE))
        if is_upgrade and annotation in (None, name):
            masked["storageClassName"] = old_name
    if (new.get("status") or {}).get("phase") == "Bound":
        requests = (masked.get("resources") or {}).get("requests")
        if requests is not None:
            size = _size(before)
            masked["resources"] = {**masked["resources"], "requests": {**requests, "storage": size}}
        masked["volumeAttributesClassName"] = before.get("volumeAttributesClassName")
    return masked, compared


def _size(spec: Json) -> Any:
    return ((spec.get("resources") or {}).get("requests") or {}).get("storage")


def _validate_size(spec: Json, old: Json, status: Json) -> list[FieldError]:
    """A request can shrink, but not to the current capacity."""
    size = quantity.of(_size(spec))
    if size >= quantity.of(_size(old)):
        return []
    if size <= quantity.of((status.get("capacity") or {}).get("storage")):
        return [field.forbidden(_STORAGE, "field can not be less than status.capacity")]
    return []


def _validate_attributes(spec: Json, old: Json, status: Json) -> list[FieldError]:
    name = spec.get("volumeAttributesClassName")
    if name == old.get("volumeAttributesClassName"):
        return []
    if status.get("currentVolumeAttributesClassName") is None or name:
        return []
    what = "nil" if name is None else "empty string"
    detail = (
        f"update to {what} is forbidden when status.currentVolumeAttributesClassName is not nil"
    )
    return [field.forbidden(_ATTRIBUTES, detail)]


def _validate_status(new: Json, _: Json) -> list[FieldError]:
    errors: list[FieldError] = []
    if not new["metadata"].get("resourceVersion"):
        errors.append(field.required("resourceVersion"))
    if not (new.get("spec") or {}).get("accessModes"):
        errors.append(field.required("Spec.accessModes"))
    status = new.get("status") or {}
    for name, amount in (status.get("capacity") or {}).items():
        errors += _validate_amount(amount, f"status.capacity[{name}]")
    path = "status.allocatedResourceStatuses"
    for name, state in (status.get("allocatedResourceStatuses") or {}).items():
        errors += _validate_resource_key(name, path)
        if state not in _RESIZE_STATUSES:
            errors.append(field.not_supported(path, internal_json.text(name), _RESIZE_STATUSES))
    path = "status.allocatedResources"
    for name, amount in (status.get("allocatedResources") or {}).items():
        found = _validate_resource_key(name, path)
        errors += found or _validate_amount(amount, f"{path}[{name}]")
    return errors


def _validate_amount(amount: Any, path: str) -> list[FieldError]:
    parsed = quantity.of(amount)
    if parsed.value < 0:
        return [field.invalid(path, parsed.value, "must be a valid resource quantity")]
    return resources.validate_quantity_value("storage", amount, path)


def _validate_resource_key(name: str, path: str) -> list[FieldError]:
    problems = names.is_qualified_name(name)
    if problems:
        return field.invalids(path, name, problems)
    if resource_names.is_native(name) and name != "storage":
        return [field.not_supported(path, name, ("storage",))]
    return []


def _warn(obj: Json) -> list[str]:
    """The annotation that the class field replaces, and fractions of bytes."""
    found: list[str] = []
    if _CLASS_ANNOTATION in (obj["metadata"].get("annotations") or {}):
        found.append(
            f"metadata.annotations[{_CLASS_ANNOTATION}]: deprecated since v1.8; "
            'use "storageClassName" attribute instead'
        )
    return found + cluster.claim_spec(obj.get("spec") or {}, "spec")


def _cells(obj: Json, now_ns: int) -> list[Cell]:
    """A claim has a size once it has a volume."""
    spec, status = cells.part(obj, "spec"), cells.part(obj, "status")
    volume = cells.text(spec, "volumeName")
    return [
        cells.name(obj),
        storage.phase(obj),
        volume,
        storage.storage(status, "capacity") if volume else "",
        storage.access_modes(status) if volume else "",
        storage.class_name(obj),
        storage.or_unset(spec.get("volumeAttributesClassName")),
        cells.age(obj, now_ns),
        storage.or_unset(spec.get("volumeMode")),
    ]


KIND: Final = Kind(
    group="",
    version="v1",
    kind="PersistentVolumeClaim",
    plural="persistentvolumeclaims",
    short_names=("pvc",),
    subresources=frozenset({"status"}),
    declared=Behavior(
        default=volumes.claim,
        prepare_create=_prepare_create,
        prepare_update={"": _prepare_update},
        read_back=_read_back,
        validate=_validate,
        validate_update={"": _validate_update, "status": _validate_status},
        warn=_warn,
        cells=_cells,
        quota=volume_claims_quota.EVALUATOR,
        completed_when_read=lambda _: True,
    ),
)
