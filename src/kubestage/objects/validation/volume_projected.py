"""Volumes that gather files from several places."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects.validation import (
    field,
    local_paths,
    volume_certificates,
    volume_sources,
)

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError

_MIN_EXPIRATION_S: Final = 600
_MAX_EXPIRATION_S: Final = 2**32
_KINDS: Final = (
    "secret",
    "configMap",
    "downwardAPI",
    "serviceAccountToken",
    "clusterTrustBundle",
    "podCertificate",
)


def validate_projected(
    volume: Json, path: str, *, allow_non_local_token_path: bool = False
) -> list[FieldError]:
    """A projected volume: no two files at one path."""
    errors = volume_sources.validate_mode(volume, "defaultMode", path)
    taken: set[str] = set()
    for index, source in enumerate(volume.get("sources") or ()):
        at = f"{path}.sources[{index}]"
        for kind in ("secret", "configMap"):
            if (projection := source.get(kind)) is not None:
                errors += _validate_keys(projection, taken, f"{at}.{kind}", path)
        if (projection := source.get("downwardAPI")) is not None:
            for item in projection.get("items") or ():
                errors += volume_sources.validate_downward_api_file(item, f"{at}.downwardAPI")
                if target := item.get("path"):
                    errors += _take_path(target, target, taken, path)
        if (token := source.get("serviceAccountToken")) is not None:
            token_at = f"{at}.serviceAccountToken"
            errors += _validate_token(token, token_at, path, allow_non_local_token_path)
        if (bundle := source.get("clusterTrustBundle")) is not None:
            bundle_at = f"{at}.clusterTrustBundle"
            errors += volume_certificates.validate_trust_bundle(bundle, bundle_at)
            target = bundle.get("path") or ""
            errors += _take_path(target, target, taken, path)
        if (certificate := source.get("podCertificate")) is not None:
            certificate_at = f"{at}.podCertificate"
            errors += volume_certificates.validate_pod_certificate(certificate, certificate_at)
            errors += _validate_certificate_paths(certificate, taken, certificate_at, path)
        if sum(source.get(kind) is not None for kind in _KINDS) > 1:
            detail = "may not specify more than 1 volume type per source"
            errors.append(field.forbidden(at, detail))
    return errors


def _take_path(target: str, shown: str, taken: set[str], path: str) -> list[FieldError]:
    """Claim a path for a file."""
    if target in taken:
        return [field.invalid(path, shown, "conflicting duplicate paths")]
    taken.add(target)
    return []


def _validate_keys(
    projection: Json, taken: set[str], path: str, volume_path: str
) -> list[FieldError]:
    """Keys of a Secret or ConfigMap; a conflict is blamed on the object's name."""
    name = projection.get("name") or ""
    errors = [] if name else [field.required(f"{path}.name")]
    for index, item in enumerate(projection.get("items") or ()):
        errors += volume_sources.validate_key_to_path(item, f"{path}.items[{index}]")
        if target := item.get("path"):
            errors += _take_path(target, name, taken, volume_path)
    return errors


def _validate_token(
    token: Json, path: str, volume_path: str, allow_non_local_path: bool
) -> list[FieldError]:
    """A token of the pod's service account; upstream names the volume for its path."""
    errors = []
    expiration = token.get("expirationSeconds") or 0
    at = f"{path}.expirationSeconds"
    if expiration < _MIN_EXPIRATION_S:
        detail = "may not specify a duration less than 10 minutes"
        errors.append(field.invalid(at, expiration, detail))
    if expiration > _MAX_EXPIRATION_S:
        detail = "may not specify a duration larger than 2^32 seconds"
        errors.append(field.invalid(at, expiration, detail))
    target = token.get("path") or ""
    if not target:
        errors.append(field.required(f"{volume_path}.path"))
    elif not allow_non_local_path:
        errors += local_paths.validate_non_reserved(target, f"{volume_path}.path")
    return errors


def _validate_certificate_paths(
    certificate: Json, taken: set[str], path: str, volume_path: str
) -> list[FieldError]:
    errors: list[FieldError] = []
    keys = ("credentialBundlePath", "keyPath", "certificateChainPath")
    for key in keys:
        if target := certificate.get(key):
            errors += local_paths.validate_non_reserved(target, f"{path}.{key}")
            errors += _take_path(target, target, taken, volume_path)
    if not any(certificate.get(key) for key in keys):
        detail = "specify at least one of credentialBundlePath, keyPath, and certificateChainPath"
        errors.append(field.required(path, detail))
    return errors


def has_non_local_token_path(volumes: list[Json]) -> bool:
    """Whether some token would be written outside its volume."""
    return any(
        local_paths.validate_non_reserved(token.get("path") or "", "")
        for volume in volumes
        for source in (volume.get("projected") or {}).get("sources") or ()
        if (token := source.get("serviceAccountToken")) is not None
    )
