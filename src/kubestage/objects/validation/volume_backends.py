"""Rules for volumes that an external storage system serves."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kubestage.objects.validation import field, internal_json, names

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError

_REQUIRED: Final = {
    "glusterfs": ("endpoints", "path"),
    "persistentVolumeClaim": ("claimName",),
    "rbd": ("monitors", "image"),
    "cephfs": ("monitors",),
    "azureFile": ("secretName", "shareName"),
    "vsphereVolume": ("volumePath",),
    "photonPersistentDisk": ("pdID",),
    "portworxVolume": ("volumeID",),
    "scaleIO": ("gateway", "system", "volumeName"),
}
PLAIN: Final = frozenset(_REQUIRED)
"""Kinds that only need certain fields to be filled."""

_HOST_PORTS: Final = "must be a host:port pair or multiple pairs separated by commas"
_INITIATOR: Final = "must be valid format starting with iqn, eui, or naa"
_CACHING_MODES: Final = ("None", "ReadOnly", "ReadWrite")
_DISK_KINDS: Final = ("Dedicated", "Managed", "Shared")
_MANAGED_URI: Final = (
    "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/"
    "{disk-id}"
)
_BLOB_URI: Final = "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"

# Only the first of the three patterns is not anchored at its start.
_INITIATORS: Final = {
    "iqn": re.compile(r"iqn\.[0-9]{4}-[0-9]{2}\.[A-Za-z0-9.-]+:[^,;*&$|\t\n\f\r ]+\Z").search,
    "eui": re.compile(r"eui.[A-Za-z0-9]{16}").fullmatch,
    "naa": re.compile(r"naa.[A-Za-z0-9]{32}").fullmatch,
}


def validate_plain(kind: str, source: Json, path: str) -> list[FieldError]:
    """A kind of `PLAIN`."""
    return _require(source, _REQUIRED[kind], path)


def _require(source: Json, keys: tuple[str, ...], path: str) -> list[FieldError]:
    return [field.required(f"{path}.{key}") for key in keys if not source.get(key)]


def validate_gce_persistent_disk(source: Json, path: str) -> list[FieldError]:
    """A disk of Google Compute Engine."""
    return _require(source, ("pdName",), path) + _validate_partition(source, path)


def validate_aws_elastic_block_store(source: Json, path: str) -> list[FieldError]:
    """A disk of Amazon Web Services."""
    return _require(source, ("volumeID",), path) + _validate_partition(source, path)


def _validate_partition(source: Json, path: str) -> list[FieldError]:
    partition = source.get("partition") or 0
    if 0 <= partition <= 255:
        return []
    detail = names.inclusive_range_error(1, 255)
    return [field.invalid(f"{path}.partition", partition, detail)]


def validate_nfs(source: Json, path: str) -> list[FieldError]:
    """A share of an NFS server."""
    errors = _require(source, ("server", "path"), path)
    target = source.get("path") or ""
    if not target.startswith("/"):
        errors.append(field.invalid(f"{path}.path", target, "must be an absolute path"))
    return errors


def validate_iscsi(source: Json, path: str) -> list[FieldError]:
    """A disk behind an iSCSI portal."""
    errors = _require(source, ("targetPortal",), path)
    iqn = source.get("iqn") or ""
    if not iqn:
        errors.append(field.required(f"{path}.iqn"))
    else:
        errors += _validate_initiator(iqn, f"{path}.iqn")
    lun = source.get("lun") or 0
    errors += field.invalids(f"{path}.lun", lun, names.is_in_range(lun, 0, 255))
    chap = source.get("chapAuthDiscovery") or source.get("chapAuthSession")
    if chap and source.get("secretRef") is None:
        errors.append(field.required(f"{path}.secretRef"))
    initiator = source.get("initiatorName")
    if initiator is not None:
        errors += _validate_initiator(initiator, f"{path}.initiatorname")
    return errors


def validate_iscsi_volume(source: Json, path: str) -> list[FieldError]:
    """As `validate_iscsi`, for a persistent volume: a secret is named, and messages are shorter."""
    errors = [
        field.invalid(error.field, error.value, "must be valid format")
        if error.detail == _INITIATOR
        else error
        for error in validate_iscsi(source, path)
    ]
    at = len(errors)
    if errors and errors[-1].field == f"{path}.initiatorname":
        at -= 1
    errors[at:at] = _validate_secret_ref(source, path)
    return errors


def _validate_initiator(name: str, path: str) -> list[FieldError]:
    matches = _INITIATORS.get(name[:3])
    if matches is None:
        return [field.invalid(path, name, _INITIATOR)]
    return [] if matches(name) else [field.invalid(path, name, "must be valid format")]


def validate_fc(source: Json, path: str) -> list[FieldError]:
    """A disk on Fibre Channel."""
    targets, wwids, lun = source.get("targetWWNs"), source.get("wwids"), source.get("lun")
    at = f"{path}.targetWWNs"
    if not targets:
        if wwids:
            return []
        return [field.required(at, "must specify either targetWWNs or wwids, but not both")]
    errors: list[FieldError] = []
    if wwids:
        detail = "targetWWNs and wwids can not be specified simultaneously"
        errors.append(field.invalid(at, internal_json.text(targets), detail))
    if lun is None:
        detail = "lun is required if targetWWNs is specified"
        errors.append(field.required(f"{path}.lun", detail))
    else:
        errors += field.invalids(f"{path}.lun", lun, names.is_in_range(lun, 0, 255))
    return errors


def validate_quobyte(source: Json, path: str) -> list[FieldError]:
    """A Quobyte volume."""
    errors = []
    registry = source.get("registry") or ""
    if not registry:
        errors.append(field.required(f"{path}.registry", _HOST_PORTS))
    elif names.size(source.get("tenant") or "") >= 65:
        detail = "must be a UUID and may not exceed a length of 64 characters"
        errors.append(field.required(f"{path}.tenant", detail))
    else:
        errors += [
            field.invalid(f"{path}.registry", registry, _HOST_PORTS)
            for pair in registry.split(",")
            if not _is_host_port(pair)
        ]
    return errors + _require(source, ("volume",), path)


def _is_host_port(pair: str) -> bool:
    """Whether Go's net.SplitHostPort accepts the text."""
    host, colon, port = pair.rpartition(":")
    if not colon or "[" in port or "]" in port:
        return False
    if host.startswith("["):
        return host.endswith("]") and not any(char in host[1:-1] for char in "[]")
    return not any(char in host for char in ":[]")


def validate_flocker(source: Json, path: str) -> list[FieldError]:
    """A Flocker dataset, by name or by UUID."""
    errors = []
    name, uuid = source.get("datasetName") or "", source.get("datasetUUID") or ""
    if not name and not uuid:
        detail = "one of datasetName and datasetUUID is required"
        errors.append(field.required(path, detail))
    if name and uuid:
        detail = "datasetName and datasetUUID can not be specified simultaneously"
        errors.append(field.invalid(path, "resource", detail))
    if "/" in name:
        errors.append(field.invalid(f"{path}.datasetName", name, "must not contain '/'"))
    return errors


def validate_cinder(source: Json, path: str) -> list[FieldError]:
    """A disk of OpenStack."""
    return _require(source, ("volumeID",), path) + _validate_secret_ref(source, path)


def _validate_secret_ref(source: Json, path: str) -> list[FieldError]:
    secret = source.get("secretRef")
    if secret is None or secret.get("name"):
        return []
    return [field.required(f"{path}.secretRef.name")]


def validate_flex_volume(source: Json, path: str) -> list[FieldError]:
    """A volume of a FlexVolume driver; options of our own domains are reserved."""
    errors = _require(source, ("driver",), path)
    for key in source.get("options") or ():
        domain = f".{key.partition('/')[0].lower()}"
        if domain.endswith((".kubernetes.io", ".k8s.io")):
            detail = "kubernetes.io and k8s.io namespaces are reserved"
            errors.append(field.invalid(f"{path}.options[{key}]", key, detail))
    return errors


def validate_azure_disk(source: Json, path: str) -> list[FieldError]:
    """A disk of Azure."""
    errors = _require(source, ("diskName", "diskURI"), path)
    for key, supported in (("cachingMode", _CACHING_MODES), ("kind", _DISK_KINDS)):
        value = source.get(key)
        if value is not None and value not in supported:
            errors.append(
                field.not_supported(f"{path}.{key}", internal_json.text(value), supported)
            )
    kind, uri = source.get("kind"), source.get("diskURI") or ""
    if kind == "Managed" and not uri.startswith("/subscriptions/"):
        errors.append(field.not_supported(f"{path}.diskURI", uri, (_MANAGED_URI,)))
    if kind not in (None, "Managed") and not uri.startswith("https://"):
        errors.append(field.not_supported(f"{path}.diskURI", uri, (_BLOB_URI,)))
    return errors


def validate_storage_os(source: Json, path: str) -> list[FieldError]:
    """A StorageOS volume."""
    name, namespace = source.get("volumeName") or "", source.get("volumeNamespace") or ""
    errors = _require(source, ("volumeName",), path)
    if name:
        errors += field.invalids(f"{path}.volumeName", name, names.is_dns1123_label(name))
    if namespace:
        problems = names.is_dns1123_label(namespace)
        errors += field.invalids(f"{path}.volumeNamespace", namespace, problems)
    return errors + _validate_secret_ref(source, path)
