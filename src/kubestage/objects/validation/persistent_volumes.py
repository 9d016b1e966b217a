"""Rules for persistent volumes."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import equality, quantity
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

if TYPE_CHECKING:
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


def validate_volume(obj: dict[str, Any]) -> list[FieldError]:
    """A new volume."""
    return _validate(obj, allow_invalid_values=False) + _validate_mount_options(obj)


def _validate(obj: dict[str, Any], *, allow_invalid_values: bool) -> list[FieldError]:
    meta, spec = obj["metadata"], obj.get("spec") or {}
    errors = metadata.validate_object_meta(meta, False, names.name_is_dns_subdomain)
    if not spec.get("accessModes"):
        errors.append(field.required("spec.accessModes"))
    errors += claim_spec.validate_access_modes(spec.get("accessModes") or (), "spec.accessModes")
    errors += _validate_capacity(spec.get("capacity"))
    policy = spec.get("persistentVolumeReclaimPolicy") or ""
    if policy and policy not in _RECLAIM:
        path = "spec.persistentVolumeReclaimPolicy"
        errors.append(field.not_supported(path, internal_json.text(policy), _RECLAIM))
    errors += _validate_node_affinity(
        spec.get("nodeAffinity"), allow_invalid_values=allow_invalid_values
    )
    errors += persistent_volume_sources.validate_source(spec, meta.get("name") or "")
    host_path = (spec.get("hostPath") or {}).get("path") or ""
    if host_path and posixpath.normpath(host_path) == "/" and policy == "Recycle":
        detail = "may not be 'recycle' for a hostPath mount of '/'"
        errors.append(field.forbidden("spec.persistentVolumeReclaimPolicy", detail))
    return errors + _validate_classes(spec)


def _validate_capacity(capacity: dict[str, Any] | None) -> list[FieldError]:
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
    wanted: dict[str, Any] | None, *, allow_invalid_values: bool
) -> list[FieldError]:
    path = "spec.nodeAffinity.required"
    if wanted is None:
        return []
    if wanted.get("required") is None:
        return [field.required(path, "must specify required node constraints")]
    return affinity.validate_node_selector(
        wanted["required"], path, allow_invalid_values=allow_invalid_values
    )


def _validate_classes(spec: dict[str, Any]) -> list[FieldError]:
    name = spec.get("storageClassName") or ""
    problems = names.is_dns1123_subdomain(name) if name else ()
    errors = field.invalids("spec.storageClassName", name, problems)
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


def _validate_mount_options(obj: dict[str, Any]) -> list[FieldError]:
    spec = obj.get("spec") or {}
    if any(spec.get(kind) is not None for kind in _MOUNTED_WITH_OPTIONS):
        return []
    if _MOUNT_OPTIONS not in (obj["metadata"].get("annotations") or ()):
        return []
    detail = "may not specify mount options for this volume type"
    return [field.forbidden(f"metadata.annotations.{_MOUNT_OPTIONS}", detail)]


def validate_volume_update(new: dict[str, Any], old: dict[str, Any]) -> list[FieldError]:
    """A changed volume: where its data lies stays."""
    spec, before = new.get("spec") or {}, old.get("spec") or {}
    allow = affinity.has_invalid_value((before.get("nodeAffinity") or {}).get("required"))
    errors = _validate(new, allow_invalid_values=allow) + _validate_mount_options(new)
    errors += _validate(new, allow_invalid_values=allow)
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


def _validate_same_source(spec: dict[str, Any], old: dict[str, Any]) -> list[FieldError]:
    now, before = (
        {kind: each[kind] for kind in persistent_volume_sources.KINDS if kind in each}
        for each in (spec, old)
    )
    csi, old_csi = now.get("csi"), before.get("csi")
    key = "controllerExpandSecretRef"
    if csi and old_csi is not None and old_csi.get(key) is None:
        # The secret for growing may be added later.
        now["csi"] = {name: value for name, value in csi.items() if name != key}
    if equality.semantic_equal(_SOURCE, now, before):
        return []
    diff = spec_diff.diff(_SOURCE, before, now)
    detail = f"spec.persistentvolumesource is immutable after creation\n{diff}"
    return [field.forbidden("spec.persistentvolumesource", detail)]


def _validate_same_affinity(wanted: dict[str, Any] | None, old: dict[str, Any]) -> list[FieldError]:
    """Node affinity stays, but for labels that were given their final names."""
    if equality.semantic_equal(_AFFINITY, wanted, _renamed(old, wanted or {})):
        return []
    detail = f"{metadata.IMMUTABLE}, except for updating from beta label to GA"
    return [field.invalid("nodeAffinity", internal_json.render(_AFFINITY, wanted), detail)]


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


def validate_volume_status_update(new: dict[str, Any], old: dict[str, Any]) -> list[FieldError]:
    """What became of a volume."""
    errors = metadata.validate_object_meta_update(new["metadata"], old["metadata"])
    if not new["metadata"].get("resourceVersion"):
        errors.append(field.required("resourceVersion"))
    return errors
