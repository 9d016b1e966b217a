"""The volumes of a pod."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects.validation import (
    claim_spec,
    field,
    names,
    volume_backends,
    volume_projected,
    volume_sources,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json
    from kubestage.objects.validation.container_mounts import Volumes
    from kubestage.objects.validation.field import FieldError
    from kubestage.objects.validation.pod_options import PodValidationOptions

_MORE_THAN_ONE: Final = "may not specify more than 1 volume type"
_MAX_ISCSI_BYTES: Final = 64

# Upstream looks at the kinds in this order; the first one found is the one that counts.
_ORDER: Final = {
    kind: position
    for position, kind in enumerate(
        (
            "emptyDir", "hostPath", "gitRepo", "gcePersistentDisk", "awsElasticBlockStore",
            "secret", "nfs", "iscsi", "glusterfs", "flocker", "persistentVolumeClaim", "rbd",
            "cinder", "cephfs", "quobyte", "downwardAPI", "fc", "flexVolume", "configMap",
            "azureFile", "vsphereVolume", "photonPersistentDisk", "portworxVolume", "azureDisk",
            "storageos", "projected", "scaleIO", "csi", "ephemeral", "image",
        )
    )
}  # fmt: skip
# Where upstream's messages name another field than the API does.
_RIVAL_NAMES: Final = {"cephfs": "cephFS", "downwardAPI": "downwarAPI"}
_OWN_NAMES: Final = {"gcePersistentDisk": "persistentDisk"}

_SIMPLE: Final[dict[str, Callable[[Json, str], list[FieldError]]]] = {
    "emptyDir": volume_sources.validate_empty_dir,
    "hostPath": volume_sources.validate_host_path,
    "gitRepo": volume_sources.validate_git_repo,
    "secret": volume_sources.validate_secret,
    "configMap": volume_sources.validate_config_map,
    "downwardAPI": volume_sources.validate_downward_api,
    "csi": volume_sources.validate_csi,
    "gcePersistentDisk": volume_backends.validate_gce_persistent_disk,
    "awsElasticBlockStore": volume_backends.validate_aws_elastic_block_store,
    "nfs": volume_backends.validate_nfs,
    "iscsi": volume_backends.validate_iscsi,
    "fc": volume_backends.validate_fc,
    "quobyte": volume_backends.validate_quobyte,
    "flocker": volume_backends.validate_flocker,
    "cinder": volume_backends.validate_cinder,
    "flexVolume": volume_backends.validate_flex_volume,
    "azureDisk": volume_backends.validate_azure_disk,
    "storageos": volume_backends.validate_storage_os,
}


def validate_volumes(
    volumes: list[Json], pod_name: str, path: str, options: PodValidationOptions
) -> tuple[Volumes, list[FieldError]]:
    """The valid volumes by name, and what is wrong with the others.

    `pod_name` is empty where it is not known yet, as in templates.
    """
    valid: Volumes = {}
    errors: list[FieldError] = []
    created: set[str] = set()
    if pod_name:
        created.update(
            f"{pod_name}-{volume.get('name') or ''}"
            for volume in volumes
            if volume.get("ephemeral") is not None
        )
    for index, volume in enumerate(volumes):
        at = f"{path}[{index}]"
        name = volume.get("name") or ""
        found = _validate_source(volume, name, pod_name, at, options)
        if not name:
            found.append(field.required(f"{at}.name"))
        elif problems := names.is_dns1123_label(name):
            found += field.invalids(f"{at}.name", name, problems)
        if name in valid:
            found.append(field.duplicate(f"{at}.name", name))
        if found:
            errors += found
        else:
            valid[name] = volume
        claim = (volume.get("persistentVolumeClaim") or {}).get("claimName") or ""
        if claim in created:
            detail = "must not reference a PVC that gets created for an ephemeral volume"
            errors.append(field.invalid(f"{at}.persistentVolumeClaim.claimName", claim, detail))
    return valid, errors


def _validate_source(
    volume: Json, name: str, pod_name: str, path: str, options: PodValidationOptions
) -> list[FieldError]:
    kinds = [kind for kind in volume if kind in _ORDER and volume[kind] is not None]
    if not kinds:
        return [field.required(path, "must specify a volume type")]
    kinds.sort(key=_ORDER.__getitem__)
    errors: list[FieldError] = []
    for kind in kinds:
        if kind == kinds[0]:
            at = f"{path}.{_OWN_NAMES.get(kind, kind)}"
            errors += _validate_kind(kind, volume[kind], at, options)
            if kind == "ephemeral" and pod_name and name:
                errors += _validate_claim_name(pod_name, name, path)
        else:
            rival = _RIVAL_NAMES.get(kind, kind)
            errors.append(field.forbidden(f"{path}.{rival}", _MORE_THAN_ONE))
        if kind == "iscsi":
            errors += _validate_iscsi_length(volume[kind], name, path)
    return errors


def _validate_kind(
    kind: str, source: Json, path: str, options: PodValidationOptions
) -> list[FieldError]:
    simple = _SIMPLE.get(kind)
    if simple is not None:
        return simple(source, path)
    if kind in volume_backends.PLAIN:
        return volume_backends.validate_plain(kind, source, path)
    if kind == "projected":
        return volume_projected.validate_projected(
            source,
            path,
            allow_non_local_token_path=options.allow_non_local_projected_token_path,
        )
    if kind == "image":
        return volume_sources.validate_image(source, path, in_pod=options.resource_is_pod)
    assert kind == "ephemeral", kind
    template = source.get("volumeClaimTemplate")
    if template is None:
        return [field.required(f"{path}.volumeClaimTemplate")]
    return claim_spec.validate_claim_template(template, f"{path}.volumeClaimTemplate")


def _validate_claim_name(pod_name: str, name: str, path: str) -> list[FieldError]:
    """The claim made for an ephemeral volume is named after pod and volume."""
    claim = f"{pod_name}-{name}"
    details = [
        f"PVC name {field.quote(claim)}: {problem}" for problem in names.is_dns1123_subdomain(claim)
    ]
    return field.invalids(f"{path}.name", name, details)


def _validate_iscsi_length(source: Json, name: str, path: str) -> list[FieldError]:
    portal = source.get("targetPortal") or ""
    if source.get("initiatorName") is None or names.size(f"{name}:{portal}") <= _MAX_ISCSI_BYTES:
        return []
    detail = (
        "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if "
        "iscsi.initiatorName is specified."
    )
    return [field.invalid(f"{path}.name", name, detail)]
