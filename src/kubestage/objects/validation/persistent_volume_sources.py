"""Rules for the source of a persistent volume."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import markers
from kubestage.objects.validation import (
    field,
    local_paths,
    names,
    volume_backends,
    volume_sources,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError

_MORE_THAN_ONE: Final = "may not specify more than 1 volume type"
_MAX_ISCSI_BYTES: Final = 64
_CSI_SECRETS: Final = (
    "controllerPublishSecretRef",
    "controllerExpandSecretRef",
    "nodePublishSecretRef",
    "nodeExpandSecretRef",
)


def _validate_glusterfs(source: Json, path: str) -> list[FieldError]:
    errors = volume_backends.validate_plain("glusterfs", source, path)
    namespace = source.get("endpointsNamespace")
    at = f"{path}.endpointsNamespace"
    if namespace == "":
        detail = "if the endpointnamespace is set, it must be a valid namespace name"
        errors.append(field.invalid(at, "", detail))
    elif namespace is not None:
        errors += field.invalids(at, namespace, names.is_dns1123_label(namespace))
    return errors


def _validate_cinder(source: Json, path: str) -> list[FieldError]:
    return volume_backends.validate_cinder(source, path) + _secret_namespace(source, path)


def _validate_storage_os(source: Json, path: str) -> list[FieldError]:
    return volume_backends.validate_storage_os(source, path) + _secret_namespace(source, path)


def _secret_namespace(source: Json, path: str) -> list[FieldError]:
    secret = source.get("secretRef")
    if secret is None or secret.get("namespace"):
        return []
    return [field.required(f"{path}.secretRef.namespace")]


def _validate_azure_file(source: Json, path: str) -> list[FieldError]:
    errors = volume_backends.validate_plain("azureFile", source, path)
    if source.get("secretNamespace") == "":
        errors.append(field.required(f"{path}.secretNamespace"))
    return errors


def _validate_local(source: Json, path: str) -> list[FieldError]:
    target = source.get("path") or ""
    if not target:
        return [field.required(f"{path}.path")]
    return local_paths.validate_no_backsteps(target, f"{path}.path")


def _validate_csi(source: Json, path: str) -> list[FieldError]:
    errors = volume_sources.validate_csi_driver_name(source.get("driver") or "", f"{path}.driver")
    if not source.get("volumeHandle"):
        errors.append(field.required(f"{path}.volumeHandle"))
    for key in _CSI_SECRETS:
        secret = source.get(key)
        if secret is not None:
            errors += markers.check("core/v1.SecretReference", secret, f"{path}.{key}")
    return errors


def _plain(kind: str) -> Callable[[Json, str], list[FieldError]]:
    return lambda source, path: volume_backends.validate_plain(kind, source, path)


# In upstream's order: the first one that is set counts.
_KINDS: Final[dict[str, Callable[[Json, str], list[FieldError]]]] = {
    "hostPath": volume_sources.validate_host_path,
    "gcePersistentDisk": volume_backends.validate_gce_persistent_disk,
    "awsElasticBlockStore": volume_backends.validate_aws_elastic_block_store,
    "glusterfs": _validate_glusterfs,
    "flocker": volume_backends.validate_flocker,
    "nfs": volume_backends.validate_nfs,
    "rbd": _plain("rbd"),
    "quobyte": volume_backends.validate_quobyte,
    "cephfs": _plain("cephfs"),
    "iscsi": volume_backends.validate_iscsi_volume,
    "cinder": _validate_cinder,
    "fc": volume_backends.validate_fc,
    "flexVolume": volume_backends.validate_flex_volume,
    "azureFile": _validate_azure_file,
    "vsphereVolume": _plain("vsphereVolume"),
    "photonPersistentDisk": _plain("photonPersistentDisk"),
    "portworxVolume": _plain("portworxVolume"),
    "azureDisk": volume_backends.validate_azure_disk,
    "scaleIO": _plain("scaleIO"),
    "local": _validate_local,
    "storageos": _validate_storage_os,
    "csi": _validate_csi,
}
KINDS: Final = tuple(_KINDS)
"""The fields of a spec for a source, of which one must be set."""

# Where upstream's messages name another field than the API does.
_RIVAL_NAMES: Final = {"cephfs": "cephFS"}
_OWN_NAMES: Final = {"gcePersistentDisk": "persistentDisk"}


def validate_source(spec: Json, name: str) -> list[FieldError]:
    """The one source of a volume; `name` is the volume's."""
    errors: list[FieldError] = []
    found = [kind for kind in _KINDS if spec.get(kind) is not None]
    for index, kind in enumerate(found):
        # A flex volume is validated even beside another source.
        if index and kind != "flexVolume":
            rival = _RIVAL_NAMES.get(kind, kind)
            errors.append(field.forbidden(f"spec.{rival}", _MORE_THAN_ONE))
            continue
        path = f"spec.{_OWN_NAMES.get(kind, kind)}"
        if kind == "iscsi":
            errors += _validate_iscsi_length(spec[kind], name, path)
        errors += _KINDS[kind](spec[kind], path)
        if kind == "local" and spec.get("nodeAffinity") is None:
            detail = "Local volume requires node affinity"
            errors.append(field.required("spec.nodeAffinity", detail))
    return errors if found else [field.required("spec", "must specify a volume type")]


def _validate_iscsi_length(source: Json, name: str, path: str) -> list[FieldError]:
    portal = source.get("targetPortal") or ""
    if source.get("initiatorName") is None or names.size(f"{name}:{portal}") <= _MAX_ISCSI_BYTES:
        return []
    detail = (
        "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if "
        "iscsi.initiatorName is specified."
    )
    return [field.invalid(f"{path}.targetportal", portal, detail)]
