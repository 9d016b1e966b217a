"""Rules for whole pods: metadata, annotations and spec together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.objects.validation import (
    container_paths,
    field,
    metadata,
    names,
    pod_annotations,
    pod_options,
    pod_spec,
    profiles,
)

if TYPE_CHECKING:
    from kubestage.objects.validation.field import FieldError

PADDED_IMAGE = "must not have leading or trailing whitespace"


def validate_pod_create(
    pod: dict[str, Any], options: pod_options.PodValidationOptions = pod_options.NEW_POD
) -> list[FieldError]:
    """A new pod."""
    errors = validate_metadata_and_spec(pod, options)
    spec = pod["spec"]
    if spec.get("ephemeralContainers"):
        errors.append(field.forbidden("spec.ephemeralContainers", "cannot be set on create"))
    if spec.get("nodeName") and spec.get("schedulingGates"):
        detail = "cannot be set until all schedulingGates have been cleared"
        errors.append(field.forbidden("spec.nodeName", detail))
    annotations = pod["metadata"].get("annotations")
    if annotations:
        errors += _validate_agreement(annotations, spec)
    return errors


def _validate_agreement(annotations: dict[str, str], spec: dict[str, Any]) -> list[FieldError]:
    """Profiles may be given as annotations and as fields, but not differently."""
    context = spec.get("securityContext") or {}
    containers = list(container_paths.with_paths(spec, "spec"))
    errors = profiles.validate_seccomp_agreement(annotations, context, containers, "spec")
    if (spec.get("os") or {}).get("name") != "windows":
        errors += profiles.validate_apparmor_agreement(annotations, context, containers)
    return errors


def validate_metadata_and_spec(
    pod: dict[str, Any], options: pod_options.PodValidationOptions
) -> list[FieldError]:
    """What holds for a pod however it came about."""
    meta, spec = pod["metadata"], pod["spec"]
    errors = metadata.validate_object_meta(meta, True, names.name_is_dns_subdomain)
    annotations = meta.get("annotations")
    if annotations:
        errors += pod_annotations.validate_pod_annotations(
            annotations, spec, "metadata.annotations", options
        )
    errors += pod_spec.validate_pod_spec(spec, meta, "spec", options)
    if not spec.get("serviceAccountName"):
        errors += _validate_no_tokens(spec)
    for kind in ("containers", "initContainers"):
        for index, container in enumerate(spec.get(kind) or ()):
            image = container.get("image") or ""
            if image.strip() != image:
                at = f"spec.{kind}[{index}].image"
                errors.append(field.invalid(at, image, PADDED_IMAGE))
    return errors


def _validate_no_tokens(spec: dict[str, Any]) -> list[FieldError]:
    """A token can only be projected for a service account."""
    errors: list[FieldError] = []
    for index, volume in enumerate(spec.get("volumes") or ()):
        projected = volume.get("projected")
        for at, source in enumerate((projected or {}).get("sources") or ()):
            if source.get("serviceAccountToken") is not None:
                path = f"spec.volumes[{index}].projected.sources[{at}].serviceAccountToken"
                detail = "must not be specified when serviceAccountName is not set"
                errors.append(field.forbidden(path, detail))
    return errors


def validate_binding(binding: dict[str, Any]) -> list[FieldError]:
    """The assignment of a pod to a node."""
    errors: list[FieldError] = []
    target = binding.get("target") or {}
    kind = target.get("kind") or ""
    if kind not in ("", "Node"):
        errors.append(field.not_supported("target.kind", kind, ("Node", "<empty>")))
    if not target.get("name"):
        errors.append(field.required("target.name"))
    return errors
