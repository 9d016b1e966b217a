"""Changes of a running pod: its resources, and the ephemeral containers added to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import equality, qos
from kubestage.objects.validation import (
    field,
    internal_json,
    metadata,
    names,
    pod_annotations,
    pod_options,
    pods,
    spec_diff,
)

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError

_CONTAINER: Final = "core/v1.Container"
_ONLY_CPU_AND_MEMORY: Final = "only cpu and memory resources are mutable"


def validate_ephemeral_containers_update(
    new: Json, old: Json, options: pod_options.PodValidationOptions
) -> list[FieldError]:
    """Ephemeral containers can be added, never changed or removed."""
    errors = metadata.validate_object_meta_update(new["metadata"], old["metadata"])
    errors += pods.validate_changed_pod(new, old, options)
    if pod_annotations.MIRROR_POD in (old["metadata"].get("annotations") or {}):
        return [field.forbidden("[]", "static pods do not support ephemeral containers")]
    path = "spec.ephemeralContainers"
    now = {
        container.get("name"): container
        for container in new["spec"].get("ephemeralContainers") or ()
    }
    for before in old["spec"].get("ephemeralContainers") or ():
        shown = f"existing ephemeral containers {field.quote(before.get('name') or '')}"
        after = now.get(before.get("name"))
        if after is None:
            errors.append(field.forbidden(path, f"{shown} may not be removed\n"))
        elif not equality.semantic_equal("core/v1.EphemeralContainer", before, after):
            diff = spec_diff.diff("core/v1.EphemeralContainer", before, after)
            errors.append(field.forbidden(path, f"{shown} may not be changed\n{diff}"))
    return errors


def validate_resize(
    new: Json, old: Json, options: pod_options.PodValidationOptions
) -> list[FieldError]:
    """CPU and memory of a pod may change while it runs, its quality of service may not."""
    errors = metadata.validate_object_meta_update(new["metadata"], old["metadata"])
    errors += metadata.validate_object_meta(new["metadata"], True, names.name_is_dns_subdomain)
    errors += pods.validate_pod(new, options)
    if pod_annotations.MIRROR_POD in (old["metadata"].get("annotations") or {}):
        return [field.forbidden("[]", "static pods cannot be resized")]
    spec, old_spec = new["spec"], old["spec"]
    if (old_spec.get("os") or {}).get("name") == "windows":
        return [field.forbidden("[]", "windows pods cannot be resized")]
    errors += _validate_pod(new, old)
    masked = dict(spec)
    if _has_resources(spec) or _has_resources(old_spec):
        errors += _validate_pod_resources(masked, old_spec)
    if (old.get("status") or {}).get("nodeAllocatableResourceClaimStatuses"):
        detail = "pods with node allocatable resource claims cannot be resized"
        errors.append(field.forbidden("spec", detail))
    order = _validate_order(spec, old_spec)
    if order:
        return errors + order
    errors += _validate_nothing_removed(spec, old_spec)
    errors += _mask_containers(masked, old_spec)
    errors += _mask_init_containers(masked, old_spec)
    if not errors and not equality.semantic_equal("core/v1.PodSpec", masked, old_spec):
        errors.append(field.forbidden("spec", _ONLY_CPU_AND_MEMORY))
    return errors


def _validate_pod(new: Json, old: Json) -> list[FieldError]:
    errors: list[FieldError] = []
    status = old.get("status") or {}
    if qos.of(old) != qos.compute(new):
        shown = internal_json.text((new.get("status") or {}).get("qosClass") or "")
        detail = "Pod QOS Class may not change as a result of resizing"
        errors.append(field.invalid("spec", shown, detail))
    for container in status.get("containerStatuses") or ():
        if (container.get("state") or {}).get("running") is not None:
            if container.get("resources") is None:
                detail = "Pod running on node without support for resize"
                errors.append(field.forbidden("spec", detail))
            break
    return errors


def _has_resources(spec: Json) -> bool:
    resources = spec.get("resources") or {}
    return bool(resources.get("requests") or resources.get("limits"))


def _validate_pod_resources(masked: Json, old: Json) -> list[FieldError]:
    """Resources of the pod as a whole; `masked` gets the old CPU and memory back."""
    errors: list[FieldError] = []
    now, before = masked.get("resources"), old.get("resources")
    if before is not None and now is None:
        return [field.forbidden("spec.resources", "pod-level resources cannot be removed")]
    for kind in ("requests", "limits"):
        if before is not None and (before.get(kind) or {}).keys() - ((now or {}).get(kind) or {}):
            detail = f"pod-level resource {kind} cannot be removed"
            errors.append(field.forbidden(f"spec.resources.{kind}", detail))
    if now is not None:
        resources = {**now, **_masked_resources(now, before or {})}
        unused = before is None and not any(resources.get(key) for key in resources)
        masked["resources"] = None if unused else resources
    if not equality.semantic_equal(
        "*core/v1.ResourceRequirements", masked.get("resources"), before
    ):
        errors.append(field.forbidden("spec", f"{_ONLY_CPU_AND_MEMORY} at pod-level"))
    return errors


def _masked_resources(now: Json, before: Json) -> Json:
    """Requests and limits with the CPU and memory they had before."""
    masked: Json = {}
    for kind in ("requests", "limits"):
        amounts, old = now.get(kind) or {}, before.get(kind) or {}
        rest = {key: value for key, value in amounts.items() if key not in ("cpu", "memory")}
        masked[kind] = rest | {key: old[key] for key in ("cpu", "memory") if key in old}
    return masked


def _validate_order(spec: Json, old: Json) -> list[FieldError]:
    errors: list[FieldError] = []
    for kind in ("containers", "initContainers"):
        now, before = spec.get(kind) or [], old.get(kind) or []
        if len(now) != len(before):
            detail = f"{kind} may not be added or removed on resize"
            errors.append(field.forbidden(f"spec.{kind}", detail))
            continue
        errors += [
            field.forbidden(
                f"spec.{kind}[{index}].name", f"{kind} may not be renamed or reordered on resize"
            )
            for index, (one, other) in enumerate(zip(now, before, strict=True))
            if one.get("name") != other.get("name")
        ]
    return errors


def _validate_nothing_removed(spec: Json, old: Json) -> list[FieldError]:
    errors: list[FieldError] = []
    for kind in ("initContainers", "containers"):
        pairs = zip(spec.get(kind) or (), old.get(kind) or (), strict=True)
        for index, (now, before) in enumerate(pairs):
            amounts, old_amounts = now.get("resources") or {}, before.get("resources") or {}
            errors += [
                field.forbidden(
                    f"spec.{kind}[{index}].resources.{key}", f"resource {key} cannot be removed"
                )
                for key in ("requests", "limits")
                if (old_amounts.get(key) or {}).keys() - (amounts.get(key) or {}).keys()
            ]
    return errors


def _mask(container: Json, before: Json) -> Json:
    resources = _masked_resources(container.get("resources") or {}, before.get("resources") or {})
    return {**container, "resources": resources}


def _mask_containers(masked: Json, old: Json) -> list[FieldError]:
    errors: list[FieldError] = []
    containers = []
    for now, before in zip(
        masked.get("containers") or (), old.get("containers") or (), strict=True
    ):
        containers.append(_mask(now, before))
        if not equality.semantic_equal(_CONTAINER, containers[-1], before):
            errors.append(field.forbidden("spec", _ONLY_CPU_AND_MEMORY))
    masked["containers"] = containers
    return errors


def _mask_init_containers(masked: Json, old: Json) -> list[FieldError]:
    errors: list[FieldError] = []
    containers = []
    pairs = zip(masked.get("initContainers") or (), old.get("initContainers") or (), strict=True)
    for index, (now, before) in enumerate(pairs):
        path = f"spec.initContainers[{index}]"
        containers.append(_mask(now, before))
        if not equality.semantic_equal(_CONTAINER, containers[-1], before):
            detail = "only cpu and memory resources for init or sidecar containers are mutable"
            errors.append(field.forbidden(path, detail))
        if now.get("restartPolicy") == "Always" or equality.semantic_equal(_CONTAINER, now, before):
            continue
        detail = (
            "non-sidecar init containers with a resize policy of RestartContainer cannot be resized"
        )
        errors += [
            field.forbidden(path, detail)
            for policy in now.get("resizePolicy") or ()
            if policy.get("restartPolicy") == "RestartContainer"
        ]
    if containers:
        masked["initContainers"] = containers
    return errors
