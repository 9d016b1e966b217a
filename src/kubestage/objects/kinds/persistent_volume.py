"""What the API does to a PersistentVolume."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import equality, markers, quantity
from kubestage.objects.defaulting import volumes as volumes_defaults
from kubestage.objects.kinds.behavior import Behavior
from kubestage.objects.kinds.kind import Kind
from kubestage.objects.tables import cells, storage
from kubestage.objects.validation import (
    affinity,
    claim_spec,
    field,
    internal_json,
    metadata,
    names,
    persistent_volume_sources,
    resources,
    spec_diff,
)
from kubestage.objects.warnings import pods

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.tables.cells import Cell
    from kubestage.objects.validation.field import FieldError

_RECLAIM: Final = ("Delete", "Recycle", "Retain")
_MODES: Final = ("Block", "Filesystem")
_SOURCE: Final = "core/v1.PersistentVolumeSource"
_AFFINITY: Final = "*core/v1.VolumeNodeAffinity"
_MOUNT_OPTIONS: Final = "volume.beta.kubernetes.io/mount-options"
_MOUNTED_WITH_OPTIONS: Final = (
    "gcePersistentDisk", "awsElasticBlockStore", "glusterfs", "nfs", "rbd", "quobyte", "iscsi",
    "cinder", "cephfs", "azureFile", "vsphereVolume", "azureDisk", "photonPersistentDisk",
)  # fmt: skip
_GA_LABELS: Final = {
    "failure-domain.beta.kubernetes.io/zone": "topology.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
    "beta.kubernetes.io/os": "kubernetes.io/os",
    "beta.kubernetes.io/arch": "kubernetes.io/arch",
    "beta.kubernetes.io/instance-type": "node.kubernetes.io/instance-type",
}
_ANNOTATIONS: Final = {
    "volume.beta.kubernetes.io/storage-class": (
        'deprecated since v1.8; use "storageClassName" attribute instead'
    ),
    "volume.beta.kubernetes.io/mount-options": (
        'deprecated since v1.31; use "mountOptions" attribute instead'
    ),
}
# Sources that do not work any more, and their names in messages.
_SOURCES: Final = (
    ("cephfs", "cephfs", "deprecated in v1.28, non-functional in v1.31+"),
    (
        "photonPersistentDisk",
        "photonPersistentDisk",
        "deprecated in v1.11, non-functional in v1.16+",
    ),
    ("scaleIO", "scaleIO", "deprecated in v1.16, non-functional in v1.22+"),
    ("storageos", "storageOS", "deprecated in v1.22, non-functional in v1.25+"),
    ("glusterfs", "glusterfs", "deprecated in v1.25, non-functional in v1.26+"),
    ("rbd", "rbd", "deprecated in v1.28, non-functional in v1.31+"),
)
_RECYCLE: Final = (
    "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the "
    "recommended approach is to use dynamic provisioning."
)


def _prepare_create(volume: Json, now: str | None) -> None:
    volume["status"] = {"phase": "Pending", "lastPhaseTransitionTime": now}


def _prepare_status(new: Json, old: Json, now: str | None) -> None:
    """A change of phase gets the time, unless the request states it."""
    report, before = dict(new.get("status") or {}), old.get("status") or {}
    stamp, old_stamp = report.get("lastPhaseTransitionTime"), before.get("lastPhaseTransitionTime")
    if (report.get("phase") or "") == (before.get("phase") or ""):
        if stamp is None and old_stamp is not None:
            report["lastPhaseTransitionTime"] = old_stamp
    elif stamp is None or stamp == old_stamp:
        report["lastPhaseTransitionTime"] = now
    new["status"] = report


def _validate(obj: Json) -> list[FieldError]:
    return _validate_volume(obj, allow_invalid_values=False) + _validate_mount_options(obj)


def _validate_volume(obj: Json, *, allow_invalid_values: bool) -> list[FieldError]:
    spec = obj.get("spec") or {}
    errors = markers.check("core/v1.PersistentVolumeSpec", spec, "spec", "accessModes")
    errors += claim_spec.validate_access_modes(spec.get("accessModes") or (), "spec.accessModes")
    errors += _validate_capacity(spec.get("capacity"))
    policy = spec.get("persistentVolumeReclaimPolicy") or ""
    if policy and policy not in _RECLAIM:
        path = "spec.persistentVolumeReclaimPolicy"
        errors.append(field.not_supported(path, internal_json.text(policy), _RECLAIM))
    errors += _validate_node_affinity(
        spec.get("nodeAffinity"), allow_invalid_values=allow_invalid_values
    )
    errors += persistent_volume_sources.validate_source(spec, obj["metadata"].get("name") or "")
    host_path = (spec.get("hostPath") or {}).get("path") or ""
    if host_path and posixpath.normpath(host_path) == "/" and policy == "Recycle":
        detail = "may not be 'recycle' for a hostPath mount of '/'"
        errors.append(field.forbidden("spec.persistentVolumeReclaimPolicy", detail))
    return errors + _validate_classes(spec)


def _validate_capacity(capacity: Json | None) -> list[FieldError]:
    path, errors = "spec.capacity", []
    if not capacity:
        errors.append(field.required(path))
    if "storage" not in (capacity or ()) or len(capacity or ()) > 1:
        shown = internal_json.render("core/v1.ResourceList", capacity)
        errors.append(field.not_supported(path, shown, ("storage",)))
    for name, amount in (capacity or {}).items():
        value = quantity.of(amount).value
        if value < 0:
            detail = "must be a valid resource quantity"
            errors.append(field.invalid(f"{path}[{name}]", value, detail))
        errors += resources.validate_positive_quantity(amount, f"{path}[{name}]")
    return errors


def _validate_node_affinity(
    node_affinity: Json | None, *, allow_invalid_values: bool
) -> list[FieldError]:
    path = "spec.nodeAffinity.required"
    if node_affinity is None:
        return []
    if node_affinity.get("required") is None:
        return [field.required(path, "must specify required node constraints")]
    return affinity.validate_node_selector(
        node_affinity["required"], path, allow_invalid_values=allow_invalid_values
    )


def _validate_classes(spec: Json) -> list[FieldError]:
    errors = markers.check("core/v1.PersistentVolumeSpec", spec, "spec", "storageClassName")
    mode = spec.get("volumeMode")
    if mode is not None and mode not in _MODES:
        errors.append(field.not_supported("spec.volumeMode", internal_json.text(mode), _MODES))
    attributes = spec.get("volumeAttributesClassName")
    if attributes is None:
        return errors
    path = "spec.volumeAttributesClassName"
    if not attributes:
        errors.append(field.required(path, "an empty string is disallowed"))
    else:
        errors += field.invalids(path, attributes, names.is_dns1123_subdomain(attributes))
    if spec.get("csi") is None:
        detail = "has to be specified when using volumeAttributesClassName"
        errors.append(field.required("spec.csi", detail))
    return errors


def _validate_mount_options(obj: Json) -> list[FieldError]:
    spec = obj.get("spec") or {}
    if any(spec.get(kind) is not None for kind in _MOUNTED_WITH_OPTIONS):
        return []
    if _MOUNT_OPTIONS not in (obj["metadata"].get("annotations") or ()):
        return []
    detail = "may not specify mount options for this volume type"
    return [field.forbidden(f"metadata.annotations.{_MOUNT_OPTIONS}", detail)]


def _validate_update(new: Json, old: Json) -> list[FieldError]:
    """The source of a volume does not change."""
    spec, before = new.get("spec") or {}, old.get("spec") or {}
    allow = affinity.has_invalid_value((before.get("nodeAffinity") or {}).get("required"))
    checked = metadata.validate_object_meta(new["metadata"], False, names.name_is_dns_subdomain)
    checked += _validate_volume(new, allow_invalid_values=allow)
    # Upstream validates a changed volume twice.
    errors = checked + _validate_mount_options(new) + checked
    errors += _validate_same_source(spec, before)
    mode = spec.get("volumeMode")
    errors += metadata.validate_immutable(
        mode, before.get("volumeMode"), "volumeMode", internal_json.text(mode)
    )
    if before.get("nodeAffinity") is not None:
        errors += _validate_same_affinity(spec.get("nodeAffinity"), before["nodeAffinity"])
    class_key = "volumeAttributesClassName"
    if before.get(class_key) is not None and spec.get(class_key) is None:
        detail = "update from non-nil value to nil is forbidden"
        errors.append(field.forbidden(f"spec.{class_key}", detail))
    return errors


def _validate_same_source(spec: Json, old: Json) -> list[FieldError]:
    now, before = (
        {kind: each[kind] for kind in persistent_volume_sources.KINDS if kind in each}
        for each in (spec, old)
    )
    csi, old_csi = now.get("csi"), before.get("csi")
    key = "controllerExpandSecretRef"
    if csi and old_csi is not None and old_csi.get(key) is None:
        # The secret for expansion may be added later.
        now["csi"] = {name: value for name, value in csi.items() if name != key}
    if equality.semantic_equal(_SOURCE, now, before):
        return []
    diff = spec_diff.diff(_SOURCE, before, now)
    detail = f"spec.persistentvolumesource is immutable after creation\n{diff}"
    return [field.forbidden("spec.persistentvolumesource", detail)]


def _validate_same_affinity(node_affinity: Json | None, old: Json) -> list[FieldError]:
    """Node affinity does not change, except that beta labels get their final names."""
    if equality.semantic_equal(_AFFINITY, node_affinity, _renamed(old, node_affinity or {})):
        return []
    detail = f"{metadata.IMMUTABLE}, except for updating from beta label to GA"
    return [field.invalid("nodeAffinity", internal_json.render(_AFFINITY, node_affinity), detail)]


def _renamed(old: Any, new: Any) -> Any:
    """The old affinity under the keys of the new one, where those are the old ones' successors."""
    if isinstance(old, dict) and isinstance(new, dict):
        out = {key: _renamed(value, new.get(key)) for key, value in old.items()}
        key = old.get("key")
        if key in _GA_LABELS and new.get("key") == _GA_LABELS[key]:
            out["key"] = new["key"]
        return out
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        return [_renamed(before, after) for before, after in zip(old, new, strict=True)]
    return old


def _validate_status(new: Json, _: Json) -> list[FieldError]:
    has_version = new["metadata"].get("resourceVersion")
    return [] if has_version else [field.required("resourceVersion")]


def _warn(obj: Json) -> list[str]:
    """Old annotations, policies, node labels and backends of a persistent volume."""
    spec, annotations = obj.get("spec") or {}, obj["metadata"].get("annotations") or {}
    found = [
        f"metadata.annotations[{key}]: {advice}"
        for key, advice in _ANNOTATIONS.items()
        if key in annotations
    ]
    if spec.get("persistentVolumeReclaimPolicy") == "Recycle":
        found.append(_RECYCLE)
    required = (spec.get("nodeAffinity") or {}).get("required") or {}
    for index, term in enumerate(required.get("nodeSelectorTerms") or ()):
        path = f"spec.nodeAffinity.required.nodeSelectorTerms[{index}]"
        found += pods.node_label_expressions(term.get("matchExpressions"), path)
    return found + [
        f"spec.{name}: {advice}" for key, name, advice in _SOURCES if spec.get(key) is not None
    ]


def _cells(obj: Json, now_ns: int) -> list[Cell]:
    spec = cells.part(obj, "spec")
    return [
        cells.name(obj),
        storage.storage(spec, "capacity"),
        storage.access_modes(spec),
        cells.text(spec, "persistentVolumeReclaimPolicy"),
        storage.phase(obj),
        _claim(spec.get("claimRef")),
        storage.class_name(obj),
        storage.or_unset(spec.get("volumeAttributesClassName")),
        cells.text(obj, "status", "reason"),
        cells.age(obj, now_ns),
        storage.or_unset(spec.get("volumeMode")),
    ]


def _claim(reference: Json | None) -> str:
    if reference is None:
        return ""
    return f"{cells.text(reference, 'namespace')}/{cells.text(reference, 'name')}"


KIND: Final = Kind(
    group="",
    version="v1",
    kind="PersistentVolume",
    plural="persistentvolumes",
    namespaced=False,
    short_names=("pv",),
    subresources=frozenset({"status"}),
    declared=Behavior(
        default_from_sent=lambda obj, sent, _: volumes_defaults.persistent_volume(obj, sent),
        prepare_create=_prepare_create,
        prepare_update={"status": _prepare_status},
        validate=_validate,
        validate_update={"": _validate_update, "status": _validate_status},
        validates_metadata=("",),
        warn=_warn,
        cells=_cells,
    ),
)
