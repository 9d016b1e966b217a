"""Rules for whole pods: what a new one must be, and what may change in one that exists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import equality
from kubestage.objects.validation import (
    field,
    internal_json,
    metadata,
    names,
    pod_annotations,
    pod_options,
    pod_spec,
    spec_diff,
    tolerations,
)

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError

_PADDED_IMAGE: Final = "must not have leading or trailing whitespace"


def validate_pod_create(
    pod: Json, options: pod_options.PodValidationOptions = pod_options.NEW_POD
) -> list[FieldError]:
    """A new pod."""
    errors = validate_pod(pod, options)
    spec = pod["spec"]
    if spec.get("ephemeralContainers"):
        errors.append(field.forbidden("spec.ephemeralContainers", "cannot be set on create"))
    if spec.get("nodeName") and spec.get("schedulingGates"):
        detail = "cannot be set until all schedulingGates have been cleared"
        errors.append(field.forbidden("spec.nodeName", detail))
    annotations = pod["metadata"].get("annotations")
    if annotations:
        errors += pod_spec.validate_profile_agreement(annotations, spec, "spec")
    return errors


def validate_pod(pod: Json, options: pod_options.PodValidationOptions) -> list[FieldError]:
    """What holds for new and for changed pods."""
    meta, spec = pod["metadata"], pod["spec"]
    errors: list[FieldError] = []
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
                errors.append(field.invalid(at, image, _PADDED_IMAGE))
    return errors


def _validate_no_tokens(spec: Json) -> list[FieldError]:
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


_POD_SPEC: Final = "core/v1.PodSpec"
_MAX_INT32: Final = 2**31 - 1
_UPDATABLE: Final = (
    "pod updates may not change fields other than "
    "`spec.containers[*].image`,"
    "`spec.initContainers[*].image`,"
    "`spec.activeDeadlineSeconds`,"
    "`spec.tolerations` (only additions to existing tolerations),"
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"
)


def validate_pod_update(
    new: Json, old: Json, options: pod_options.PodValidationOptions
) -> list[FieldError]:
    """A pod that replaces an older one."""
    errors = validate_changed_pod(new, old, options)
    spec, old_spec = new["spec"], old["spec"]
    for kind in ("containers", "initContainers"):
        found, stop = _validate_containers(spec, old_spec, kind)
        errors += found
        if stop:
            return errors
    found, stop = _validate_deadline(spec, old_spec)
    errors += found
    if stop:
        return errors
    errors += _validate_tolerations(spec, old_spec, options)
    errors += _validate_gates(spec, old_spec)
    if equality.semantic_equal(_POD_SPEC, spec, old_spec):
        return errors
    munged = _with_mutable_fields_of(spec, old_spec)
    if old_spec.get("schedulingGates"):
        errors += _munge_gated(munged, old_spec)
    if not equality.semantic_equal(_POD_SPEC, munged, old_spec):
        diff = spec_diff.diff(_POD_SPEC, old_spec, munged)
        errors.append(field.forbidden("spec", f"{_UPDATABLE}\n{diff}"))
    return errors


def validate_changed_pod(
    new: Json, old: Json, options: pod_options.PodValidationOptions
) -> list[FieldError]:
    """What holds for each kind of change: the rules for a new pod, and those for annotations."""
    errors = metadata.validate_object_meta(new["metadata"], True, names.name_is_dns_subdomain)
    errors += validate_pod(new, options)
    return errors + pod_annotations.validate_pod_annotations_update(new, old, options)


def _validate_containers(spec: Json, old: Json, kind: str) -> tuple[list[FieldError], bool]:
    path = f"spec.{kind}"
    containers = spec.get(kind) or []
    if len(containers) != len(old.get(kind) or ()):
        detail = "pod updates may not add or remove containers"
        return [field.forbidden(path, detail)], True
    errors: list[FieldError] = []
    for index, container in enumerate(containers):
        image = container.get("image") or ""
        at = f"{path}[{index}].image"
        if not image:
            errors.append(field.required(at))
        if image.strip() != image:
            errors.append(field.invalid(at, image, _PADDED_IMAGE))
    return errors, False


def _validate_deadline(spec: Json, old: Json) -> tuple[list[FieldError], bool]:
    path = "spec.activeDeadlineSeconds"
    deadline, before = spec.get("activeDeadlineSeconds"), old.get("activeDeadlineSeconds")
    if deadline is None:
        if before is None:
            return [], False
        detail = "must not update from a positive integer to nil value"
        return [field.invalid(path, None, detail)], False
    if not 0 <= deadline <= _MAX_INT32:
        detail = names.inclusive_range_error(0, _MAX_INT32)
        return [field.invalid(path, deadline, detail)], True
    if before is not None and before < deadline:
        detail = "must be less than or equal to previous value"
        return [field.invalid(path, deadline, detail)], True
    return [], False


def _validate_tolerations(
    spec: Json, old: Json, options: pod_options.PodValidationOptions
) -> list[FieldError]:
    path = "spec.tolerations"
    entries = spec.get("tolerations") or []
    present = [_without(entry, "tolerationSeconds") for entry in entries]
    for entry in old.get("tolerations") or ():
        if _without(entry, "tolerationSeconds") not in present:
            detail = "existing toleration can not be modified except its tolerationSeconds"
            return [field.forbidden(path, detail)]
    allow = options.allow_taint_toleration_comparison_operators
    return tolerations.validate_tolerations(entries, path, allow_comparisons=allow)


def _without(entry: Json, key: str) -> Json:
    return {name: value for name, value in entry.items() if name != key}


def _validate_gates(spec: Json, old: Json) -> list[FieldError]:
    before = {gate.get("name") for gate in old.get("schedulingGates") or ()}
    added = {
        gate.get("name") or "": index
        for index, gate in enumerate(spec.get("schedulingGates") or ())
        if gate.get("name") not in before
    }
    return [
        field.forbidden(
            f"spec.schedulingGates[{index}].name",
            f"only deletion is allowed, but found new scheduling gate '{name}'",
        )
        for name, index in added.items()
    ]


def _with_mutable_fields_of(spec: Json, old: Json) -> Json:
    """The new spec with the old values of everything that may change."""
    munged = dict(spec)
    for kind in ("containers", "initContainers"):
        if spec.get(kind):
            munged[kind] = [
                {**container, "image": before.get("image")}
                for container, before in zip(spec[kind], old[kind], strict=True)
            ]
    for key in ("activeDeadlineSeconds", "schedulingGates", "tolerations"):
        munged[key] = old.get(key)
    grace = old.get("terminationGracePeriodSeconds")
    if grace is not None and grace < 0 and munged.get("terminationGracePeriodSeconds") == 1:
        munged["terminationGracePeriodSeconds"] = grace
    return munged


def _munge_gated(munged: Json, old: Json) -> list[FieldError]:
    """A gated pod may still narrow its nodes; these fields are set back, too."""
    errors: list[FieldError] = []
    selector, old_selector = munged.get("nodeSelector") or {}, old.get("nodeSelector") or {}
    if selector != old_selector:
        if any(selector.get(key) != value for key, value in old_selector.items()):
            detail = "only additions to spec.nodeSelector are allowed (no mutations or deletions)"
            shown = internal_json.render("map[string]string", munged.get("nodeSelector"))
            errors.append(field.invalid("spec.nodeSelector", shown, detail))
        munged["nodeSelector"] = old.get("nodeSelector")
    affinity, old_affinity = munged.get("affinity"), old.get("affinity")
    node_affinity = (affinity or {}).get("nodeAffinity")
    old_node_affinity = (old_affinity or {}).get("nodeAffinity")
    if equality.semantic_equal("*core/v1.NodeAffinity", node_affinity, old_node_affinity):
        return errors
    errors += _validate_node_affinity(node_affinity, old_node_affinity)
    if affinity is None:
        munged["affinity"] = {"nodeAffinity": old_node_affinity}
    elif old_affinity is None and not affinity.keys() - {"nodeAffinity"}:
        munged["affinity"] = None
    else:
        munged["affinity"] = {**affinity, "nodeAffinity": old_node_affinity}
    return errors


def _validate_node_affinity(new: Json | None, old: Json | None) -> list[FieldError]:
    required = "requiredDuringSchedulingIgnoredDuringExecution"
    old_terms = ((old or {}).get(required) or {}).get("nodeSelectorTerms") or []
    terms = ((new or {}).get(required) or {}).get("nodeSelectorTerms")
    path = f"spec.affinity.nodeAffinity.{required}.nodeSelectorTerms"
    if not old_terms:
        return []
    if len(old_terms) != len(terms or ()):
        shown = internal_json.render("[]core/v1.NodeSelectorTerm", terms)
        detail = "no additions/deletions to non-empty NodeSelectorTerms list are allowed"
        return [field.invalid(path, shown, detail)]
    return [
        field.invalid(
            f"{path}[{index}]",
            internal_json.render("core/v1.NodeSelectorTerm", term),
            "only additions are allowed (no mutations or deletions)",
        )
        for index, (term, before) in enumerate(zip(terms or (), old_terms, strict=True))
        if not _has_only_additions(term, before)
    ]


def _has_only_additions(new: Json, old: Json) -> bool:
    keys = ("matchExpressions", "matchFields")
    if not any(old.get(key) for key in keys):
        return not any(new.get(key) for key in keys)
    for key in keys:
        before = old.get(key) or []
        if (new.get(key) or [])[: len(before)] != before:
            return False
    return True
