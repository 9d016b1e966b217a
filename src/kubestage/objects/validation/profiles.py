"""Seccomp and AppArmor profiles, as fields and as the annotations that came before them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import markers
from kubestage.objects.validation import field, internal_json, local_paths, names

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError

SECCOMP_POD_ANNOTATION: Final = "seccomp.security.alpha.kubernetes.io/pod"
SECCOMP_CONTAINER_ANNOTATION_PREFIX: Final = "container.seccomp.security.alpha.kubernetes.io/"
APPARMOR_ANNOTATION_PREFIX: Final = "container.apparmor.security.beta.kubernetes.io/"
LOCALHOST_PREFIX: Final = "localhost/"

_SECCOMP_NAMES: Final = {
    "Unconfined": ("unconfined",),
    "RuntimeDefault": ("runtime/default", "docker/default"),
}
_APPARMOR_NAMES: Final = {
    "Unconfined": ("unconfined",),
    "RuntimeDefault": ("runtime/default",),
}
_MAX_PROFILE_BYTES: Final = 4095


def validate_seccomp_profile(profile: Json, path: str) -> list[FieldError]:
    """A seccompProfile field."""
    errors = markers.check("core/v1.SeccompProfile", profile, path)
    kind = profile.get("type") or ""
    localhost = profile.get("localhostProfile")
    at = f"{path}.localhostProfile"
    if kind == "Localhost":
        if localhost is None:
            errors.append(field.required(at, "must be set when seccomp type is Localhost"))
        else:
            errors += local_paths.validate_descending(localhost, at)
    elif localhost is not None:
        shown = internal_json.render("core/v1.SeccompProfile", profile)
        detail = "can only be set when seccomp type is Localhost"
        errors.append(field.invalid(at, shown, detail))
    return errors


def validate_apparmor_profile(profile: Json, path: str) -> list[FieldError]:
    """An appArmorProfile field."""
    kind = profile.get("type") or ""
    localhost = profile.get("localhostProfile")
    at = f"{path}.localhostProfile"
    errors = markers.check("core/v1.AppArmorProfile", profile, path)
    if errors:
        return errors
    if kind != "Localhost":
        if localhost is None:
            return []
        detail = "can only be set when AppArmor type is Localhost"
        return [field.invalid(at, internal_json.text(localhost), detail)]
    missing = field.required(at, "must be set when AppArmor type is Localhost")
    if localhost is None:
        return [missing]
    if localhost.strip() != localhost:
        errors.append(field.invalid(at, localhost, "must not be padded with whitespace"))
    elif not localhost:
        errors.append(missing)
    if names.size(localhost) > _MAX_PROFILE_BYTES:
        errors.append(field.too_long(at, _MAX_PROFILE_BYTES))
    return errors


def apparmor_profile_of(annotation: str) -> Json | None:
    """The profile of an annotation as a field; None if it is no valid one."""
    for kind, texts in _APPARMOR_NAMES.items():
        if annotation in texts:
            return {"type": kind}
    local = annotation.removeprefix(LOCALHOST_PREFIX)
    if local in ("", annotation):
        return None
    profile = {"type": "Localhost", "localhostProfile": local}
    return None if validate_apparmor_profile(profile, "") else profile


def validate_seccomp_agreement(
    annotations: Mapping[str, str],
    pod_context: Json,
    containers: Iterable[tuple[Json, str]],
    path: str,
) -> list[FieldError]:
    """Seccomp fields must agree with the annotations."""
    errors: list[FieldError] = []
    profile = pod_context.get("seccompProfile")
    if profile is not None and SECCOMP_POD_ANNOTATION in annotations:
        at = f"{path}.securityContext.seccompProfile"
        text = annotations[SECCOMP_POD_ANNOTATION]
        errors += _disagreement(text, profile, _SECCOMP_NAMES, "seccomp", at)
    for container, container_path in containers:
        profile = (container.get("securityContext") or {}).get("seccompProfile")
        key = SECCOMP_CONTAINER_ANNOTATION_PREFIX + (container.get("name") or "")
        if profile is not None and key in annotations:
            at = f"{container_path}.securityContext.seccompProfile"
            errors += _disagreement(annotations[key], profile, _SECCOMP_NAMES, "seccomp", at)
    return errors


def validate_apparmor_agreement(
    annotations: Mapping[str, str],
    pod_context: Json,
    containers: Iterable[tuple[Json, str]],
) -> list[FieldError]:
    """AppArmor fields, the pod's or the container's own, must agree with the annotations."""
    errors: list[FieldError] = []
    for container, path in containers:
        profile = (container.get("securityContext") or {}).get("appArmorProfile")
        if profile is None:
            profile = pod_context.get("appArmorProfile")
        key = APPARMOR_ANNOTATION_PREFIX + (container.get("name") or "")
        if profile is not None and key in annotations:
            at = f"{path}.securityContext.appArmorProfile"
            errors += _disagreement(annotations[key], profile, _APPARMOR_NAMES, "apparmor", at)
    return errors


def _disagreement(
    annotation: str,
    profile: Json,
    texts: Mapping[str, tuple[str, ...]],
    noun: str,
    path: str,
) -> list[FieldError]:
    kind = profile.get("type") or ""
    type_error = field.forbidden(f"{path}.type", f"{noun} type in annotation and field must match")
    if kind in texts:
        return [] if annotation in texts[kind] else [type_error]
    if kind != "Localhost":
        return []
    if not annotation.startswith(LOCALHOST_PREFIX):
        return [type_error]
    if annotation.removeprefix(LOCALHOST_PREFIX) != profile.get("localhostProfile"):
        detail = f"{noun} profile in annotation and field must match"
        return [field.forbidden(f"{path}.localhostProfile", detail)]
    return []
