"""Rules for stateful sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.objects import equality
from kubestage.objects.validation import (
    claim_spec,
    field,
    internal_json,
    label_selectors,
    metadata,
    names,
    pod_annotations,
    pod_options,
    pod_spec,
    rollouts,
)

if TYPE_CHECKING:
    from kubestage.objects import labels
    from kubestage.objects.validation.field import FieldError
    from kubestage.objects.validation.pod_options import PodValidationOptions

_MUTABLE: Final = (
    "replicas", "template", "updateStrategy", "minReadySeconds", "ordinals",
    "revisionHistoryLimit", "persistentVolumeClaimRetentionPolicy",
)  # fmt: skip
_FORBIDDEN: Final = (
    "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', "
    "'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and "
    "'minReadySeconds' are forbidden"
)


class _Leniency(msgspec.Struct, frozen=True):
    """What an update may keep although it is invalid."""

    service_name: bool = False
    claim_templates: bool = False
    pod_template: bool = False


def validate_stateful_set(
    obj: dict[str, Any], options: PodValidationOptions = pod_options.NEW_TEMPLATE
) -> list[FieldError]:
    """A new stateful set."""
    errors = metadata.validate_object_meta(obj["metadata"], True, names.name_is_dns_label)
    return errors + _validate_spec(obj.get("spec") or {}, options, _Leniency())


def validate_stateful_set_update(
    new: dict[str, Any], old: dict[str, Any], options: PodValidationOptions
) -> list[FieldError]:
    """A changed stateful set."""
    errors = metadata.validate_object_meta_update(new["metadata"], old["metadata"])
    spec, before = new.get("spec") or {}, old.get("spec") or {}
    leniency = _Leniency(service_name=True, claim_templates=True)
    if _validate_spec(before, options, leniency):
        leniency = msgspec.structs.replace(leniency, pod_template=True)
    errors += _validate_spec(spec, options, leniency)
    kept = {**spec, **{key: before.get(key) for key in _MUTABLE}}
    if not equality.semantic_equal("apps/v1.StatefulSetSpec", kept, before):
        errors.append(field.forbidden("spec", _FORBIDDEN))
    return errors


def _validate_spec(
    spec: dict[str, Any], options: PodValidationOptions, leniency: _Leniency
) -> list[FieldError]:
    errors = _validate_policies(spec)
    if not leniency.claim_templates:
        for index, claim in enumerate(spec.get("volumeClaimTemplates") or ()):
            path = f"spec.volumeClaimTemplates[{index}].spec"
            errors += claim_spec.validate_claim_spec(claim.get("spec") or {}, path)
    errors += rollouts.counts(spec, ("replicas", "minReadySeconds"), "spec")
    start = (spec.get("ordinals") or {}).get("start")
    errors += rollouts.not_negative(start, "spec.ordinals.start")
    service = spec.get("serviceName")
    if service and not leniency.service_name:
        errors += field.invalids("spec.serviceName", service, names.is_dns1123_label(service))
    selector = spec.get("selector")
    if selector is None:
        errors.append(field.required("spec.selector"))
    else:
        errors += label_selectors.validate_label_selector(selector, "spec.selector")
        if not selector.get("matchLabels") and not selector.get("matchExpressions"):
            detail = "empty selector is invalid for statefulset"
            shown = rollouts.shown_selector(selector)
            errors.append(field.invalid("spec.selector", shown, detail))
    matching = rollouts.matching(selector)
    if matching is None:
        errors.append(field.invalid("spec.selector", rollouts.shown_selector(selector), ""))
    else:
        errors += _validate_template(spec, matching, options, leniency)
    template_spec = (spec.get("template") or {}).get("spec") or {}
    return errors + rollouts.always_running(template_spec, "spec.template.spec", "StatefulSet")


def _validate_template(
    spec: dict[str, Any],
    selector: labels.Selector,
    options: PodValidationOptions,
    leniency: _Leniency,
) -> list[FieldError]:
    errors: list[FieldError] = []
    path = "spec.template"
    template = _with_claims(spec)
    if not selector.empty and not rollouts.selects(selector, template):
        errors.append(rollouts.no_match(template, path))
    if not leniency.pod_template:
        errors += pod_spec.validate_pod_template_spec(template, path, options)
    meta = template.get("metadata") or {}
    annotations = meta.get("annotations") or {}
    errors += label_selectors.validate_labels(meta.get("labels"), f"{path}.labels")
    errors += metadata.validate_annotations(annotations, f"{path}.annotations")
    return errors + pod_annotations.validate_pod_annotations(
        annotations, template.get("spec") or {}, f"{path}.annotations", options
    )


def _with_claims(spec: dict[str, Any]) -> dict[str, Any]:
    """The template as its pods will be: with a volume for each claim, and a name of their own."""
    template: dict[str, Any] = spec.get("template") or {}
    pod = dict(template.get("spec") or {})
    for key in ("subdomain", "hostname"):
        pod.pop(key, None)
    names_of_claims = [
        (claim.get("metadata") or {}).get("name") or ""
        for claim in spec.get("volumeClaimTemplates") or ()
    ]
    claimed = {
        name: {"name": name, "persistentVolumeClaim": {"claimName": name}}
        for name in names_of_claims
    }
    if claimed:
        others = [v for v in pod.get("volumes") or () if (v.get("name") or "") not in claimed]
        pod["volumes"] = [*claimed.values(), *others]
    return {**template, "spec": pod}


def _validate_policies(spec: dict[str, Any]) -> list[FieldError]:
    errors: list[FieldError] = []
    management = spec.get("podManagementPolicy") or ""
    if not management:
        errors.append(field.required("spec.podManagementPolicy"))
    elif management not in ("OrderedReady", "Parallel"):
        detail = "must be 'OrderedReady' or 'Parallel'"
        shown = internal_json.text(management)
        errors.append(field.invalid("spec.podManagementPolicy", shown, detail))
    errors += _validate_strategy(spec.get("updateStrategy") or {}, "spec.updateStrategy")
    retention = spec.get("persistentVolumeClaimRetentionPolicy")
    if retention is not None:
        for key in ("whenDeleted", "whenScaled"):
            policy = retention.get(key) or ""
            if policy not in ("Retain", "Delete"):
                path = f"spec.persistentVolumeClaimRetentionPolicy.{key}"
                shown = internal_json.text(policy)
                errors.append(field.not_supported(path, shown, ("Retain", "Delete")))
    return errors


def _validate_strategy(strategy: dict[str, Any], path: str) -> list[FieldError]:
    kind, rolling = strategy.get("type") or "", strategy.get("rollingUpdate")
    at = f"{path}.rollingUpdate"
    if not kind:
        return [field.required(path)]
    if kind not in ("OnDelete", "RollingUpdate"):
        shown = internal_json.render("apps/v1.StatefulSetUpdateStrategy", strategy)
        return [field.invalid(path, shown, "must be 'RollingUpdate' or 'OnDelete'")]
    if rolling is None:
        return []
    if kind == "OnDelete":
        shown = internal_json.render("apps/v1.RollingUpdateStatefulSetStrategy", rolling)
        detail = "only allowed for updateStrategy 'RollingUpdate'"
        return [field.invalid(at, shown, detail)]
    errors = rollouts.not_negative(rolling.get("partition"), f"{at}.partition")
    unavailable = rolling.get("maxUnavailable")
    if unavailable is not None:
        at = f"{at}.maxUnavailable"
        errors += rollouts.int_or_percent(unavailable, at)
        if not rollouts.amount(unavailable):
            errors.append(field.invalid(at, unavailable, "cannot be 0"))
        errors += rollouts.at_most_all(unavailable, at)
    return errors


def validate_stateful_set_status_update(
    new: dict[str, Any], old: dict[str, Any]
) -> list[FieldError]:
    """Progress of a stateful set."""
    status = new.get("status") or {}
    replicas = ("readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas")
    keys = ("replicas", *replicas, "observedGeneration", "collisionCount")
    errors = rollouts.counts(status, keys, "status")
    errors += rollouts.not_above(status, replicas, "replicas", "status.replicas", "status")
    errors += rollouts.not_above(
        status, ("availableReplicas",), "readyReplicas", "status.readyReplicas", "status"
    )
    errors += metadata.validate_object_meta_update(new["metadata"], old["metadata"])
    return errors + rollouts.not_decremented(status, old.get("status") or {}, "status")
