"""Rules for daemon sets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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


def validate_daemon_set(
    obj: dict[str, Any], options: PodValidationOptions = pod_options.NEW_TEMPLATE
) -> list[FieldError]:
    """A new daemon set."""
    errors = metadata.validate_object_meta(obj["metadata"], True, names.name_is_dns_subdomain)
    return errors + _validate_spec(obj.get("spec") or {}, options)


def validate_daemon_set_update(
    new: dict[str, Any], old: dict[str, Any], options: PodValidationOptions
) -> list[FieldError]:
    """A changed daemon set."""
    errors = metadata.validate_object_meta_update(new["metadata"], old["metadata"])
    spec = new.get("spec") or {}
    errors += rollouts.same_selector(spec, old.get("spec") or {})
    return errors + _validate_spec(spec, options)


def _validate_spec(spec: dict[str, Any], options: PodValidationOptions) -> list[FieldError]:
    selector, template = spec.get("selector"), spec.get("template") or {}
    errors = label_selectors.validate_label_selector(
        selector,
        "spec.selector",
        allow_invalid_values=options.allow_invalid_label_value_in_selector,
    )
    matching = rollouts.matching(selector)
    if matching is not None and not rollouts.selects(matching, template):
        errors.append(rollouts.no_match(template, "spec.template"))
    if selector is not None and not (
        selector.get("matchLabels") or selector.get("matchExpressions")
    ):
        detail = "empty selector is invalid for daemonset"
        errors.append(field.invalid("spec.selector", rollouts.shown_selector(selector), detail))
    errors += pod_spec.validate_pod_template_spec(template, "spec.template", options)
    errors += rollouts.always_running(template.get("spec") or {}, "spec.template.spec", "DaemonSet")
    errors += rollouts.not_negative(spec.get("minReadySeconds"), "spec.minReadySeconds")
    errors += _validate_strategy(spec.get("updateStrategy") or {}, "spec.updateStrategy")
    return errors + rollouts.counts(spec, ("revisionHistoryLimit",), "spec")


def _validate_strategy(strategy: dict[str, Any], path: str) -> list[FieldError]:
    kind, rolling = strategy.get("type") or "", strategy.get("rollingUpdate")
    if kind == "OnDelete":
        return []
    if kind != "RollingUpdate":
        shown = internal_json.render("apps/v1.DaemonSetUpdateStrategy", strategy)
        return [field.not_supported(path, shown, ("RollingUpdate", "OnDelete"))]
    at = f"{path}.rollingUpdate"
    if rolling is None:
        return [field.required(at)]
    unavailable, surge = rolling.get("maxUnavailable"), rolling.get("maxSurge")
    errors = rollouts.int_or_percent(unavailable, f"{at}.maxUnavailable")
    errors += rollouts.int_or_percent(surge, f"{at}.maxSurge")
    errors += rollouts.at_most_all(unavailable, f"{at}.maxUnavailable")
    errors += rollouts.at_most_all(surge, f"{at}.maxSurge")
    has_unavailable, has_surge = rollouts.amount(unavailable) != 0, rollouts.amount(surge) != 0
    if has_unavailable and has_surge:
        shown = internal_json.render("intstr.IntOrString", surge)
        detail = "may not be set when maxUnavailable is non-zero"
        errors.append(field.invalid(f"{at}.maxSurge", shown, detail))
    elif not has_unavailable and not has_surge:
        errors.append(field.required(f"{at}.maxUnavailable", "cannot be 0 when maxSurge is 0"))
    return errors


def validate_daemon_set_status_update(new: dict[str, Any], old: dict[str, Any]) -> list[FieldError]:
    """Progress of a daemon set."""
    errors = metadata.validate_object_meta_update(new["metadata"], old["metadata"])
    status = new.get("status") or {}
    keys = (
        "currentNumberScheduled", "numberMisscheduled", "desiredNumberScheduled", "numberReady",
        "observedGeneration", "updatedNumberScheduled", "numberAvailable", "numberUnavailable",
        "collisionCount",
    )  # fmt: skip
    errors += rollouts.counts(status, keys, "status")
    return errors + rollouts.not_decremented(status, old.get("status") or {}, "status")
