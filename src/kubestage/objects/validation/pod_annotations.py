"""Annotations of pods that mean something to Kubernetes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kubestage.golang import integers
from kubestage.objects.validation import (
    container_paths,
    field,
    json_annotations,
    local_paths,
    pod_options,
    profiles,
    tolerations,
)

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError

MIRROR_POD: Final = "kubernetes.io/config.mirror"
TOLERATIONS: Final = "scheduler.alpha.kubernetes.io/tolerations"
DELETION_COST: Final = "controller.kubernetes.io/pod-deletion-cost"

_decimal: Final = re.compile("-[0-9]+|0|[1-9][0-9]*").fullmatch
_SECCOMP_PROFILES: Final = ("runtime/default", "docker/default", "unconfined")
_APPARMOR_PROFILES: Final = ("", "runtime/default", "unconfined")


def validate_pod_annotations(
    annotations: dict[str, str],
    spec: Json,
    path: str,
    options: pod_options.PodValidationOptions,
) -> list[FieldError]:
    """The annotations of a pod or of a pod template."""
    if not annotations:
        return []
    errors: list[FieldError] = []
    if MIRROR_POD in annotations and not spec.get("nodeName"):
        detail = "must set spec.nodeName if mirror pod annotation is set"
        errors.append(field.invalid(f"{path}[{MIRROR_POD}]", annotations[MIRROR_POD], detail))
    if annotations.get(TOLERATIONS):
        errors += _validate_tolerations(annotations[TOLERATIONS], path, options)
    if not options.allow_invalid_pod_deletion_cost and not has_valid_deletion_cost(annotations):
        cost = annotations[DELETION_COST]
        errors.append(field.invalid(f"{path}[{DELETION_COST}]", cost, "must be a 32bit integer"))
    errors += _validate_seccomp(annotations, path)
    errors += _validate_apparmor(annotations, spec, path)
    return errors


def has_valid_deletion_cost(annotations: dict[str, str]) -> bool:
    """Whether the deletion cost, if there is one, is a plain 32-bit number."""
    cost = annotations.get(DELETION_COST)
    if cost is None:
        return True
    return bool(_decimal(cost)) and -(2**31) <= integers.parse(cost) < 2**31


def _validate_tolerations(
    text: str, path: str, options: pod_options.PodValidationOptions
) -> list[FieldError]:
    entries, problem = json_annotations.read_list(text, "Toleration")
    if problem is not None:
        return [field.invalid(path, TOLERATIONS, problem)]
    allow = options.allow_taint_toleration_comparison_operators
    at = f"{path}.{TOLERATIONS}"
    return tolerations.validate_tolerations(entries, at, allow_comparisons=allow)


def _validate_seccomp(annotations: dict[str, str], path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    key = profiles.SECCOMP_POD_ANNOTATION
    if key in annotations:
        errors += _validate_seccomp_profile(annotations[key], f"{path}.{key}")
    for key, profile in annotations.items():
        if key.startswith(profiles.SECCOMP_CONTAINER_ANNOTATION_PREFIX):
            errors += _validate_seccomp_profile(profile, f"{path}.{key}")
    return errors


def _validate_seccomp_profile(profile: str, path: str) -> list[FieldError]:
    if profile in _SECCOMP_PROFILES:
        return []
    if profile.startswith(profiles.LOCALHOST_PREFIX):
        local = profile.removeprefix(profiles.LOCALHOST_PREFIX)
        return local_paths.validate_descending(local, path)
    return [field.invalid(path, profile, "must be a valid seccomp profile")]


def _validate_apparmor(annotations: dict[str, str], spec: Json, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    for key, profile in annotations.items():
        if not key.startswith(profiles.APPARMOR_ANNOTATION_PREFIX):
            continue
        name = key.removeprefix(profiles.APPARMOR_ANNOTATION_PREFIX)
        if all(container.get("name") != name for container in container_paths.every(spec)):
            errors.append(field.invalid(f"{path}[{key}]", name, "container not found"))
        if profile not in _APPARMOR_PROFILES and not profile.startswith(profiles.LOCALHOST_PREFIX):
            detail = f"invalid AppArmor profile name: {field.quote(profile)}"
            errors.append(field.invalid(f"{path}[{key}]", profile, detail))
    return errors


def validate_pod_annotations_update(
    new: Json, old: Json, options: pod_options.PodValidationOptions
) -> list[FieldError]:
    """Annotations of a changed pod: AppArmor profiles and the mirror mark stay."""
    errors: list[FieldError] = []
    path = "metadata.annotations"
    now = new["metadata"].get("annotations") or {}
    before = old["metadata"].get("annotations") or {}
    for key, value in before.items():
        if now.get(key) == value:
            continue
        if key.startswith(profiles.APPARMOR_ANNOTATION_PREFIX):
            detail = "may not remove or update AppArmor annotations"
            errors.append(field.forbidden(f"{path}[{key}]", detail))
        if key == MIRROR_POD:
            detail = "may not remove or update mirror pod annotation"
            errors.append(field.forbidden(f"{path}[{key}]", detail))
    for key in now:
        if key in before:
            continue
        if key.startswith(profiles.APPARMOR_ANNOTATION_PREFIX):
            errors.append(field.forbidden(f"{path}[{key}]", "may not add AppArmor annotations"))
        if key == MIRROR_POD:
            errors.append(field.forbidden(f"{path}[{key}]", "may not add mirror pod annotation"))
    return errors + validate_pod_annotations(now, new["spec"], path, options)
