"""What the API does to a VolumeAttachment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.objects import equality
from kubestage.objects.defaulting import volumes
from kubestage.objects.kinds.behavior import CREATE, Behavior
from kubestage.objects.kinds.kind import Kind
from kubestage.objects.strategy import status
from kubestage.objects.tables import cells
from kubestage.objects.validation import (
    claim_spec,
    field,
    internal_json,
    metadata,
    names,
    persistent_volume_sources,
    volume_sources,
)

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.tables.cells import Cell
    from kubestage.objects.validation.field import FieldError

_SPEC: Final = "storage/v1.VolumeAttachmentSpec"
_METADATA_LIMIT: Final = 256 * 1024
_MESSAGE_LIMIT: Final = 1024
_MAX_INT32: Final = 2**31 - 1
_ONE_SOURCE: Final = "must specify exactly one of inlineVolumeSpec and persistentVolumeName"
_INLINE: Final = "in the context of inline volumes"


def _default(obj: Json) -> None:
    """Complete the volume, if it is inline."""
    inline = obj["spec"]["source"].get("inlineVolumeSpec")
    if inline is not None:
        volumes.volume_source(inline)


def _validate(obj: Json) -> list[FieldError]:
    errors = metadata.validate_object_meta(obj["metadata"], False, names.name_is_dns_subdomain)
    spec = obj.get("spec") or {}
    attacher, node = spec.get("attacher") or "", spec.get("nodeName") or ""
    errors += volume_sources.validate_csi_driver_name(attacher, "spec.attacher")
    source = spec.get("source") or {}
    errors += _validate_source(source, "spec.source")
    errors += field.invalids("spec.nodeName", node, names.is_dns1123_subdomain(node))
    errors += _validate_report(obj.get("status") or {})
    volume = source.get("persistentVolumeName")
    if volume is not None:
        problems = names.is_dns1123_subdomain(volume)
        errors += field.invalids("spec.source.persistentVolumeName", volume, problems)
    return errors


def _validate_update(new: Json, old: Json) -> list[FieldError]:
    """The spec of an attachment does not change."""
    errors = _validate(new)
    if not equality.semantic_equal(_SPEC, new.get("spec"), old.get("spec")):
        shown = internal_json.render(_SPEC, new.get("spec"))
        errors.append(field.invalid("spec", shown, metadata.IMMUTABLE))
    return errors


def _validate_source(source: Json, path: str) -> list[FieldError]:
    inline, volume = source.get("inlineVolumeSpec"), source.get("persistentVolumeName")
    if inline is None and volume is None:
        return [field.required(path, _ONE_SOURCE)]
    if inline is not None and volume is not None:
        return [field.forbidden(path, _ONE_SOURCE)]
    if inline is not None:
        return _validate_inline(inline, f"{path}.inlineVolumeSpec")
    if volume:
        return []
    detail = "must specify non empty persistentVolumeName"
    return [field.required(f"{path}.persistentVolumeName", detail)]


def _validate_inline(spec: Json, path: str) -> list[FieldError]:
    """An inline volume has fewer fields than a PersistentVolume."""
    errors = [
        field.forbidden(f"{path}.{key}", f"may not be specified {_INLINE}")
        for key in ("claimRef", "capacity")
        if spec.get(key)
    ]
    if spec.get("csi") is None:
        errors.append(field.required(f"{path}.csi", f"has to be specified {_INLINE}"))
    if not spec.get("accessModes"):
        errors.append(field.required(f"{path}.accessModes"))
    modes = spec.get("accessModes") or ()
    errors += claim_spec.validate_access_modes(modes, f"{path}.accessModes")
    policy = spec.get("persistentVolumeReclaimPolicy")
    if policy and policy != "Retain":
        at = f"{path}.persistentVolumeReclaimPolicy"
        errors.append(field.forbidden(at, f"may only be Retain {_INLINE}"))
    if spec.get("nodeAffinity") is not None:
        detail = f"may not be specified {_INLINE}"
        errors.append(field.forbidden(f"{path}.nodeAffinity", detail))
    errors += [
        msgspec.structs.replace(error, field=path + error.field.removeprefix("spec"))
        for error in persistent_volume_sources.validate_source(spec, "")
    ]
    if spec.get("storageClassName"):
        detail = f"may not be specified {_INLINE}"
        errors.append(field.forbidden(f"{path}.storageClassName", detail))
    if spec.get("volumeMode") not in (None, "Filesystem"):
        detail = f"may not specify volumeMode other than Filesystem {_INLINE}"
        errors.append(field.forbidden(f"{path}.volumeMode", detail))
    return errors


def _validate_report(report: Json) -> list[FieldError]:
    errors: list[FieldError] = []
    attached = report.get("attachmentMetadata") or {}
    if (
        sum(names.size(key) + names.size(value) for key, value in attached.items())
        > _METADATA_LIMIT
    ):
        errors.append(field.too_long("status.attachmentMetadata", _METADATA_LIMIT))
    for key in ("attachError", "detachError"):
        problem = report.get(key) or {}
        if names.size(problem.get("message") or "") > _MESSAGE_LIMIT:
            # The message of the API server names the limit of the metadata.
            errors.append(field.too_long(f"status.{key}.message", _METADATA_LIMIT))
        code = problem.get("errorCode")
        if code is not None and code < 0:
            detail = names.inclusive_range_error(0, _MAX_INT32)
            errors.append(field.invalid(f"status.{key}.errorCode", code, detail))
    return errors


def _cells(obj: Json, now_ns: int) -> list[Cell]:
    spec = cells.part(obj, "spec")
    return [
        cells.name(obj),
        cells.text(spec, "attacher"),
        cells.text(spec, "source", "persistentVolumeName"),
        cells.text(spec, "nodeName"),
        bool(cells.part(obj, "status").get("attached")),
        cells.age(obj, now_ns),
    ]


KIND: Final = Kind(
    group="storage.k8s.io",
    version="v1",
    kind="VolumeAttachment",
    plural="volumeattachments",
    namespaced=False,
    subresources=frozenset({"status"}),
    old_versions=("storage.k8s.io/v1alpha1", "storage.k8s.io/v1beta1"),
    declared=Behavior(
        default=_default,
        prepare_update={"status": status.reset_metadata},
        validate=_validate,
        validate_update={"": _validate_update, "status": _validate_update},
        validates_metadata=(CREATE, "", "status"),
        cells=_cells,
        status_resets_metadata=True,
        unconditional_update=False,
    ),
)
