"""Rules for pod disruption budgets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects.validation import (
    conditions,
    field,
    internal_json,
    label_selectors,
    metadata,
    names,
    rollouts,
)

if TYPE_CHECKING:
    from kubestage.objects.validation.field import FieldError

_EVICTION: Final = ("AlwaysAllow", "IfHealthyBudget")


def validate_disruption_budget(obj: dict[str, Any]) -> list[FieldError]:
    """A new budget; its metadata is judged last, and as any object's."""
    errors = _validate_spec(obj.get("spec") or {}, allow_invalid_values=False)
    return errors or metadata.validate_object_meta(
        obj["metadata"], True, names.path_segment_name, kube_finalizers=False
    )


def _validate_spec(spec: dict[str, Any], *, allow_invalid_values: bool) -> list[FieldError]:
    errors: list[FieldError] = []
    if spec.get("minAvailable") is not None and spec.get("maxUnavailable") is not None:
        shown = internal_json.render("policy/v1.PodDisruptionBudgetSpec", spec)
        detail = "minAvailable and maxUnavailable cannot be both set"
        errors.append(field.invalid("spec", shown, detail))
    for key in ("minAvailable", "maxUnavailable"):
        amount = spec.get(key)
        if amount is not None:
            errors += rollouts.int_or_percent(amount, f"spec.{key}")
            errors += rollouts.at_most_all(amount, f"spec.{key}")
    errors += label_selectors.validate_label_selector(
        spec.get("selector"), "spec.selector", allow_invalid_values=allow_invalid_values
    )
    policy = spec.get("unhealthyPodEvictionPolicy")
    if policy is not None and policy not in _EVICTION:
        shown = internal_json.text(policy)
        errors.append(field.not_supported("spec.unhealthyPodEvictionPolicy", shown, _EVICTION))
    return errors


def validate_disruption_budget_update(new: dict[str, Any], old: dict[str, Any]) -> list[FieldError]:
    """A changed budget."""
    selector = (old.get("spec") or {}).get("selector")
    allow = label_selectors.has_invalid_value(selector)
    return _validate_spec(new.get("spec") or {}, allow_invalid_values=allow)


def validate_disruption_budget_status_update(
    new: dict[str, Any], _: dict[str, Any]
) -> list[FieldError]:
    """How many disruptions are left."""
    status = new.get("status") or {}
    errors = conditions.validate_conditions(status.get("conditions") or [], "status.conditions")
    keys = ("disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods")
    return errors + rollouts.counts(status, keys, "status")
