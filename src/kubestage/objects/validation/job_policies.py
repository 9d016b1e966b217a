"""Rules for what a job does when its pods fail or succeed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import markers
from kubestage.objects.validation import field, index_lists, internal_json, names

if TYPE_CHECKING:
    from collections.abc import Collection

    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError

_RULE: Final = "batch/v1.PodFailurePolicyRule"
_VALUES_LIMIT: Final = 255


def validate_failure_policy(spec: Json, path: str) -> list[FieldError]:
    """Rules that distinguish failures."""
    policy = spec["podFailurePolicy"]
    errors = markers.check("batch/v1.PodFailurePolicy", policy, path)
    pod = (spec.get("template") or {}).get("spec") or {}
    known = {
        container.get("name")
        for kind in ("containers", "initContainers")
        for container in pod.get(kind) or ()
    }
    for index, rule in enumerate(policy.get("rules") or ()):
        errors += _validate_failure_rule(spec, rule, known, f"{path}.rules[{index}]")
    return errors


def _validate_failure_rule(
    spec: Json, rule: Json, known: Collection[str], path: str
) -> list[FieldError]:
    action = rule.get("action") or ""
    errors: list[FieldError] = []
    if action == "FailIndex":
        if spec.get("backoffLimitPerIndex") is None:
            detail = "requires the backoffLimitPerIndex to be set"
            errors.append(field.invalid(f"{path}.action", internal_json.text(action), detail))
    else:
        errors += markers.check(_RULE, rule, path, "action")
    codes, conditions = rule.get("onExitCodes"), rule.get("onPodConditions") or []
    if codes is not None:
        errors += _validate_exit_codes(codes, known, f"{path}.onExitCodes")
    if conditions:
        errors += markers.check(_RULE, rule, path, "onPodConditions")
        errors += _validate_conditions(conditions, f"{path}.onPodConditions")
    if codes is not None and conditions:
        detail = "specifying both OnExitCodes and OnPodConditions is not supported"
        errors.append(field.invalid(path, field.OMITTED, detail))
    if codes is None and not conditions:
        detail = "specifying one of OnExitCodes and OnPodConditions is required"
        errors.append(field.invalid(path, field.OMITTED, detail))
    return errors


def _validate_conditions(conditions: list[Json], path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    for index, pattern in enumerate(conditions):
        at = f"{path}[{index}]"
        kind = pattern.get("type") or ""
        errors += field.invalids(f"{at}.type", kind, names.is_qualified_name(kind))
        errors += markers.check("batch/v1.PodFailurePolicyOnPodConditionsPattern", pattern, at)
    return errors


def _validate_exit_codes(codes: Json, known: Collection[str], path: str) -> list[FieldError]:
    operator = codes.get("operator") or ""
    errors = markers.check("batch/v1.PodFailurePolicyOnExitCodesRequirement", codes, path)
    container = codes.get("containerName")
    if container is not None and container not in known:
        detail = "must be one of the container or initContainer names in the pod template"
        errors.append(field.invalid(f"{path}.containerName", container, detail))
    values = codes.get("values") or []
    at = f"{path}.values"
    if not values:
        shown = internal_json.text(codes.get("values"))
        errors.append(field.invalid(at, shown, "at least one value is required"))
    elif len(values) > _VALUES_LIMIT:
        errors.append(field.too_many(at, len(values), _VALUES_LIMIT))
    seen: set[int] = set()
    for index, value in enumerate(values):
        if operator == "In" and value == 0:
            detail = "must not be 0 for the In operator"
            errors.append(field.invalid(f"{at}[{index}]", value, detail))
        if value in seen:
            errors.append(field.duplicate(f"{at}[{index}]", value))
        seen.add(value)
    if values != sorted(values):
        errors.append(field.invalid(at, internal_json.text(values), "must be ordered"))
    return errors


def validate_success_policy(spec: Json, path: str) -> list[FieldError]:
    """Rules that let a job succeed before all its pods have."""
    policy = spec["successPolicy"]
    if spec.get("completionMode") != "Indexed":
        shown = internal_json.render("batch/v1.SuccessPolicy", policy)
        return [field.invalid(path, shown, "requires indexed completion mode")]
    errors = markers.check("batch/v1.SuccessPolicy", policy, path)
    for index, rule in enumerate(policy.get("rules") or ()):
        errors += _validate_success_rule(
            rule, spec.get("completions") or 0, f"{path}.rules[{index}]"
        )
    return errors


def _validate_success_rule(rule: Json, completions: int, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    count, indexes = rule.get("succeededCount"), rule.get("succeededIndexes")
    if count is None and indexes is None:
        detail = "at least one of succeededCount or succeededIndexes must be specified"
        errors.append(field.required(path, detail))
    total = 0
    if indexes is not None:
        at = f"{path}.succeededIndexes"
        errors += markers.check("batch/v1.SuccessPolicyRule", rule, path, "succeededIndexes")
        try:
            total = index_lists.count(indexes, completions)
        except index_lists.UnreadableIndexes as error:
            detail = f"error parsing succeededIndexes: {error}"
            errors.append(field.invalid(at, indexes, detail))
    if count is None:
        return errors
    at = f"{path}.succeededCount"
    errors += markers.check("batch/v1.SuccessPolicyRule", rule, path, "succeededCount")
    if count > completions:
        detail = (
            f"must be less than or equal to {completions} (the number of specified completions)"
        )
        errors.append(field.invalid(at, count, detail))
    if indexes is not None and count > total:
        detail = (
            f"must be less than or equal to {total} (the number of indexes in the specified "
            "succeededIndexes field)"
        )
        errors.append(field.invalid(at, count, detail))
    return errors


def validate_replacement_policy(spec: Json, path: str) -> list[FieldError]:
    """When a failed pod is replaced."""
    policy = spec.get("podReplacementPolicy")
    has_failure_policy = spec.get("podFailurePolicy") is not None
    choices = ("Failed",) if has_failure_policy else ("Failed", "TerminatingOrFailed")
    if policy is None or policy in choices:
        return []
    return [field.not_supported(path, policy, choices)]


def with_mutable_parts(old: Json, new: Json) -> Json:
    """The old pod spec with what a suspended job may change: where its pods go, what they get."""
    mutated = dict(old)
    for key in ("nodeSelector", "tolerations", "schedulingGates"):
        mutated[key] = new.get(key)
    affinity, old_affinity = new.get("affinity"), old.get("affinity")
    if affinity is not None:
        node_affinity = affinity.get("nodeAffinity")
        mutated["affinity"] = {**(old_affinity or {}), "nodeAffinity": node_affinity}
    elif old_affinity is not None:
        rest = {key: value for key, value in old_affinity.items() if key != "nodeAffinity"}
        mutated["affinity"] = rest or None
    for kind in ("containers", "initContainers"):
        now, before = new.get(kind) or [], old.get(kind) or []
        if now and len(now) == len(before):
            mutated[kind] = [
                {**was, "resources": container.get("resources")}
                if was.get("name") == container.get("name")
                else was
                for was, container in zip(before, now, strict=True)
            ]
    return mutated
