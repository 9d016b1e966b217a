"""Rules for horizontal pod autoscalers.

Whether an autoscaler may go down to no replica is a feature gate, which is off; one that already
may is left alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import quantity
from kubestage.objects.validation import (
    field,
    internal_json,
    metadata,
    metric_specs,
    names,
    rollouts,
)

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError


_MAX_PERIOD: Final = 1800
_MAX_WINDOW: Final = 3600
_SELECT_POLICIES: Final = ("Disabled", "Max", "Min")
_POLICIES: Final = ("Percent", "Pods")


def validate_autoscaler(obj: Json) -> list[FieldError]:
    """A new autoscaler."""
    errors = metadata.validate_object_meta(obj["metadata"], True, names.name_is_dns_subdomain)
    return errors + _validate_spec(obj.get("spec") or {}, {})


def validate_autoscaler_update(new: Json, old: Json) -> list[FieldError]:
    """A changed autoscaler: what was there already and is wrong may stay."""
    errors = metadata.validate_object_meta_update(new["metadata"], old["metadata"])
    return errors + _validate_spec(new.get("spec") or {}, old.get("spec") or {})


def validate_autoscaler_status_update(new: Json, old: Json) -> list[FieldError]:
    """What an autoscaler sees and wants."""
    errors = metadata.validate_object_meta_update(new["metadata"], old["metadata"])
    keys = ("currentReplicas", "desiredReplicas")
    return errors + rollouts.counts(new.get("status") or {}, keys, "status")


def _validate_spec(spec: Json, old: Json) -> list[FieldError]:
    errors = _validate_bounds(spec, 0 if old.get("minReplicas") == 0 else 1)
    target = spec.get("scaleTargetRef") or {}
    was = old.get("scaleTargetRef") or {}
    same = bool(old) and all(target.get(key) == was.get(key) for key in ("apiVersion", "kind"))
    errors += metric_specs.validate_reference(
        target,
        "spec.scaleTargetRef",
        allow_any=same,
        allow_no_group=target.get("kind") == "ReplicationController",
    )
    wrong_already = any(map(metric_specs.refers_wrongly, old.get("metrics") or ()))
    errors += metric_specs.validate_metrics(spec, allow_any=wrong_already)
    behavior = spec.get("behavior") or {}
    for way in ("scaleUp", "scaleDown"):
        if behavior.get(way) is not None:
            errors += _validate_rules(behavior[way], f"spec.behavior.{way}")
    return errors


def _validate_bounds(spec: Json, lowest: int) -> list[FieldError]:
    errors: list[FieldError] = []
    least, most = spec.get("minReplicas"), spec.get("maxReplicas", 0)
    if least is not None and least < lowest:
        detail = f"must be greater than or equal to {lowest}"
        errors.append(field.invalid("spec.minReplicas", least, detail))
    if most == 0:
        errors.append(field.required("spec.maxReplicas", "must be set and greater than 0"))
    elif most < 0:
        detail = "must be greater than or equal to 1"
        errors.append(field.invalid("spec.maxReplicas", most, detail))
    if least is not None and most < least:
        detail = "must be greater than or equal to `minReplicas`"
        errors.append(field.invalid("spec.maxReplicas", most, detail))
    return errors


def _validate_rules(rules: Json, path: str) -> list[FieldError]:
    """How fast to scale one way."""
    errors: list[FieldError] = []
    window = rules.get("stabilizationWindowSeconds")
    if window is not None and window < 0:
        detail = "must be greater than or equal to zero"
        errors.append(field.invalid(f"{path}.stabilizationWindowSeconds", window, detail))
    if window is not None and window > _MAX_WINDOW:
        detail = f"must be less than or equal to {_MAX_WINDOW}"
        errors.append(field.invalid(f"{path}.stabilizationWindowSeconds", window, detail))
    select = rules.get("selectPolicy")
    if select is not None and select not in _SELECT_POLICIES:
        shown = internal_json.text(select)
        errors.append(field.not_supported(f"{path}.selectPolicy", shown, _SELECT_POLICIES))
    policies = rules.get("policies") or ()
    if not policies:
        errors.append(field.required(f"{path}.policies", "must specify at least one Policy"))
    for index, policy in enumerate(policies):
        errors += _validate_policy(policy, f"{path}.policies[{index}]")
    tolerance = rules.get("tolerance")
    if tolerance is not None and quantity.of(tolerance).sign < 0:
        shown_tolerance = str(quantity.of(tolerance))
        errors.append(field.invalid(f"{path}.tolerance", shown_tolerance, names.NOT_NEGATIVE))
    return errors


def _validate_policy(policy: Json, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    kind = policy.get("type") or ""
    if kind not in _POLICIES:
        shown = internal_json.text(kind)
        errors.append(field.not_supported(f"{path}.type", shown, _POLICIES))
    value, period = policy.get("value", 0), policy.get("periodSeconds", 0)
    if value <= 0:
        errors.append(field.invalid(f"{path}.value", value, "must be greater than zero"))
    if period <= 0:
        errors.append(field.invalid(f"{path}.periodSeconds", period, "must be greater than zero"))
    if period > _MAX_PERIOD:
        detail = f"must be less than or equal to {_MAX_PERIOD}"
        errors.append(field.invalid(f"{path}.periodSeconds", period, detail))
    return errors


_NAME: Final = "HorizontalPodAutoscaler"
# Whatever the version of the request, the rules are those of the stored one.
_VERSIONS: Final = ("autoscaling/v2", "autoscaling/v1")

CREATE: Final = {(version, _NAME): validate_autoscaler for version in _VERSIONS}

UPDATE: Final = {
    (version, _NAME, subresource): rule
    for version in _VERSIONS
    for subresource, rule in (
        ("", validate_autoscaler_update),
        ("status", validate_autoscaler_status_update),
    )
}
