"""Rules for deployments, replica sets and replication controllers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import labels
from kubestage.objects.validation import (
    field,
    internal_json,
    label_selectors,
    metadata,
    names,
    pod_options,
    pod_spec,
    rollouts,
)

if TYPE_CHECKING:
    from kubestage.objects.validation.field import FieldError
    from kubestage.objects.validation.pod_options import PodValidationOptions

_ABOVE_REPLICAS: Final = "status.replicas"


def validate_deployment(
    obj: dict[str, Any], options: PodValidationOptions = pod_options.NEW_TEMPLATE
) -> list[FieldError]:
    """A new deployment."""
    errors = metadata.validate_object_meta(obj["metadata"], True, names.name_is_dns_subdomain)
    return errors + _validate_deployment_spec(obj.get("spec") or {}, options)


def validate_deployment_update(
    new: dict[str, Any], old: dict[str, Any], options: PodValidationOptions
) -> list[FieldError]:
    """A changed deployment."""
    errors = metadata.validate_object_meta_update(new["metadata"], old["metadata"])
    spec = new.get("spec") or {}
    errors += _validate_deployment_spec(spec, options)
    return errors + rollouts.same_selector(spec, old.get("spec") or {})


def _validate_deployment_spec(
    spec: dict[str, Any], options: PodValidationOptions
) -> list[FieldError]:
    errors = rollouts.not_negative(spec.get("replicas"), "spec.replicas")
    errors += _validate_selector_and_template(spec, options)
    errors += _validate_strategy(spec.get("strategy") or {}, "spec.strategy")
    errors += rollouts.counts(spec, ("minReadySeconds", "revisionHistoryLimit"), "spec")
    deadline = spec.get("progressDeadlineSeconds")
    if deadline is not None:
        path = "spec.progressDeadlineSeconds"
        errors += rollouts.not_negative(deadline, path)
        if deadline <= (spec.get("minReadySeconds") or 0):
            errors.append(field.invalid(path, deadline, "must be greater than minReadySeconds"))
    return errors


def _validate_selector_and_template(
    spec: dict[str, Any], options: PodValidationOptions
) -> list[FieldError]:
    errors: list[FieldError] = []
    path = "spec.selector"
    selector = spec.get("selector")
    if selector is None:
        errors.append(field.required(path))
    else:
        errors += label_selectors.validate_label_selector(selector, path)
        if not selector.get("matchLabels") and not selector.get("matchExpressions"):
            detail = "empty selector is invalid for deployment"
            errors.append(field.invalid(path, rollouts.shown_selector(selector), detail))
    matching = rollouts.matching(selector)
    if matching is None:
        shown = rollouts.shown_selector(selector)
        errors.append(field.invalid(path, shown, "invalid label selector"))
        return errors
    template = spec.get("template") or {}
    return errors + rollouts.template_for_replicas(
        template, matching, "spec.template", options, "ReplicaSet"
    )


def _validate_strategy(strategy: dict[str, Any], path: str) -> list[FieldError]:
    kind, rolling = strategy.get("type") or "", strategy.get("rollingUpdate")
    at = f"{path}.rollingUpdate"
    if kind == "Recreate":
        if rolling is None:
            return []
        detail = "may not be specified when strategy `type` is 'Recreate'"
        return [field.forbidden(at, detail)]
    if kind != "RollingUpdate":
        shown = internal_json.render("apps/v1.DeploymentStrategy", strategy)
        return [field.not_supported(path, shown, ("Recreate", "RollingUpdate"))]
    if rolling is None:
        return [field.required(at, "this should be defaulted and never be nil")]
    unavailable, surge = rolling.get("maxUnavailable"), rolling.get("maxSurge")
    errors = rollouts.int_or_percent(unavailable, f"{at}.maxUnavailable")
    errors += rollouts.int_or_percent(surge, f"{at}.maxSurge")
    if not rollouts.amount(unavailable) and not rollouts.amount(surge):
        detail = "may not be 0 when `maxSurge` is 0"
        shown = internal_json.render("intstr.IntOrString", unavailable)
        errors.append(field.invalid(f"{at}.maxUnavailable", shown, detail))
    return errors + rollouts.at_most_all(unavailable, f"{at}.maxUnavailable")


def validate_deployment_status_update(new: dict[str, Any], old: dict[str, Any]) -> list[FieldError]:
    """Progress of a deployment."""
    errors = metadata.validate_object_meta_update(new["metadata"], old["metadata"])
    status = new.get("status") or {}
    keys = (
        "observedGeneration", "replicas", "updatedReplicas", "readyReplicas", "availableReplicas",
        "unavailableReplicas", "terminatingReplicas", "collisionCount",
    )  # fmt: skip
    errors += rollouts.counts(status, keys, "status")
    replicas = ("updatedReplicas", "readyReplicas", "availableReplicas")
    errors += _validate_replicas(status, replicas)
    return errors + rollouts.not_decremented(status, old.get("status") or {}, "status")


def _validate_replicas(status: dict[str, Any], keys: tuple[str, ...]) -> list[FieldError]:
    errors = rollouts.not_above(status, keys, "replicas", _ABOVE_REPLICAS, "status")
    available = ("availableReplicas",)
    return errors + rollouts.not_above(
        status, available, "readyReplicas", "readyReplicas", "status"
    )


def validate_replica_set(
    obj: dict[str, Any], options: PodValidationOptions = pod_options.NEW_TEMPLATE
) -> list[FieldError]:
    """A new replica set."""
    errors = metadata.validate_object_meta(obj["metadata"], True, names.name_is_dns_subdomain)
    return errors + _validate_replica_set_spec(obj.get("spec") or {}, options)


def _validate_replica_set_spec(
    spec: dict[str, Any], options: PodValidationOptions
) -> list[FieldError]:
    errors = rollouts.counts(spec, ("replicas", "minReadySeconds"), "spec")
    return errors + _validate_selector_and_template(spec, options)


def validate_replica_set_update(
    new: dict[str, Any], old: dict[str, Any], options: PodValidationOptions
) -> list[FieldError]:
    """A changed replica set."""
    errors = metadata.validate_object_meta_update(new["metadata"], old["metadata"])
    spec = new.get("spec") or {}
    errors += _validate_replica_set_spec(spec, options)
    return errors + rollouts.same_selector(spec, old.get("spec") or {})


def validate_replicas_status_update(new: dict[str, Any], old: dict[str, Any]) -> list[FieldError]:
    """Counts reported for a replica set or replication controller."""
    errors = metadata.validate_object_meta_update(new["metadata"], old["metadata"])
    status = new.get("status") or {}
    keys = (
        "replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas",
        "observedGeneration", "terminatingReplicas",
    )  # fmt: skip
    errors += rollouts.counts(status, keys, "status")
    replicas = ("fullyLabeledReplicas", "readyReplicas", "availableReplicas")
    return errors + _validate_replicas(status, replicas)


def validate_replication_controller(
    obj: dict[str, Any], options: PodValidationOptions = pod_options.NEW_TEMPLATE
) -> list[FieldError]:
    """A new replication controller."""
    errors = metadata.validate_named_meta(obj["metadata"], True)
    return errors + _validate_controller_spec(obj.get("spec") or {}, options)


def _validate_controller_spec(
    spec: dict[str, Any], options: PodValidationOptions
) -> list[FieldError]:
    errors = rollouts.not_negative(spec.get("minReadySeconds"), "spec.minReadySeconds")
    selector = spec.get("selector") or {}
    if not selector:
        errors.append(field.required("spec.selector"))
    if spec.get("replicas") is None:
        errors.append(field.required("spec.replicas"))
    errors += rollouts.not_negative(spec.get("replicas"), "spec.replicas")
    template = spec.get("template")
    if template is None:
        errors.append(field.required("spec.template"))
        return errors
    matching = labels.selector_from_set(selector)
    return errors + rollouts.template_for_replicas(
        template, matching, "spec.template", options, "ReplicationController"
    )


def validate_replication_controller_update(
    new: dict[str, Any], old: dict[str, Any], options: PodValidationOptions
) -> list[FieldError]:
    """A changed replication controller; its selector may change."""
    errors = metadata.validate_object_meta_update(new["metadata"], old["metadata"])
    return errors + _validate_controller_spec(new.get("spec") or {}, options)


def validate_pod_template(
    obj: dict[str, Any], options: PodValidationOptions = pod_options.NEW_TEMPLATE
) -> list[FieldError]:
    """A new PodTemplate."""
    errors = metadata.validate_object_meta(obj["metadata"], True, names.name_is_dns_subdomain)
    template = obj.get("template") or {}
    return errors + pod_spec.validate_pod_template_spec(template, "template", options)


def validate_pod_template_update(
    new: dict[str, Any], old: dict[str, Any], options: PodValidationOptions
) -> list[FieldError]:
    """A changed PodTemplate."""
    errors = metadata.validate_object_meta_update(new["metadata"], old["metadata"])
    template = new.get("template") or {}
    return errors + pod_spec.validate_pod_template_spec(template, "template", options)
