"""Rules for what a job does when its pods fail or succeed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects.validation import field, internal_json, names, rollouts

if TYPE_CHECKING:
    from collections.abc import Collection

    from kubestage.objects.validation.field import FieldError

_ACTIONS: Final = ("Count", "FailIndex", "FailJob", "Ignore")
_OPERATORS: Final = ("In", "NotIn")
_STATUSES: Final = ("False", "True", "Unknown")
_RULES_LIMIT: Final = 20
_VALUES_LIMIT: Final = 255
_INDEXES_LIMIT: Final = 64 * 1024


def _listed(choices: tuple[str, ...]) -> str:
    return f"valid values: [{' '.join(field.quote(choice) for choice in choices)}]"


def _choice(value: str, choices: tuple[str, ...], path: str) -> list[FieldError]:
    if not value:
        return [field.required(path, _listed(choices))]
    if value not in choices:
        return [field.not_supported(path, internal_json.text(value), choices)]
    return []


def validate_failure_policy(spec: dict[str, Any], path: str) -> list[FieldError]:
    """Rules that tell failures apart."""
    rules = spec["podFailurePolicy"].get("rules") or []
    path = f"{path}.rules"
    errors: list[FieldError] = []
    if len(rules) > _RULES_LIMIT:
        errors.append(field.too_many(path, len(rules), _RULES_LIMIT))
    pod = (spec.get("template") or {}).get("spec") or {}
    known = {
        container.get("name")
        for kind in ("containers", "initContainers")
        for container in pod.get(kind) or ()
    }
    for index, rule in enumerate(rules):
        errors += _validate_failure_rule(spec, rule, known, f"{path}[{index}]")
    return errors


def _validate_failure_rule(
    spec: dict[str, Any], rule: dict[str, Any], known: Collection[str], path: str
) -> list[FieldError]:
    action = rule.get("action") or ""
    errors: list[FieldError] = []
    if action == "FailIndex":
        if spec.get("backoffLimitPerIndex") is None:
            detail = "requires the backoffLimitPerIndex to be set"
            errors.append(field.invalid(f"{path}.action", internal_json.text(action), detail))
    else:
        errors += _choice(action, _ACTIONS, f"{path}.action")
    codes, conditions = rule.get("onExitCodes"), rule.get("onPodConditions") or []
    if codes is not None:
        errors += _validate_exit_codes(codes, known, f"{path}.onExitCodes")
    if conditions:
        errors += _validate_conditions(conditions, f"{path}.onPodConditions")
    if codes is not None and conditions:
        detail = "specifying both OnExitCodes and OnPodConditions is not supported"
        errors.append(field.invalid(path, field.OMITTED, detail))
    if codes is None and not conditions:
        detail = "specifying one of OnExitCodes and OnPodConditions is required"
        errors.append(field.invalid(path, field.OMITTED, detail))
    return errors


def _validate_conditions(conditions: list[dict[str, Any]], path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    if len(conditions) > _RULES_LIMIT:
        errors.append(field.too_many(path, len(conditions), _RULES_LIMIT))
    for index, pattern in enumerate(conditions):
        at = f"{path}[{index}]"
        kind = pattern.get("type") or ""
        errors += field.invalids(f"{at}.type", kind, names.is_qualified_name(kind))
        errors += _choice(pattern.get("status") or "", _STATUSES, f"{at}.status")
    return errors


def _validate_exit_codes(
    codes: dict[str, Any], known: Collection[str], path: str
) -> list[FieldError]:
    operator = codes.get("operator") or ""
    errors = _choice(operator, _OPERATORS, f"{path}.operator")
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


def validate_success_policy(spec: dict[str, Any], path: str) -> list[FieldError]:
    """Rules that let a job succeed before all its pods have."""
    policy = spec["successPolicy"]
    if spec.get("completionMode") != "Indexed":
        shown = internal_json.render("batch/v1.SuccessPolicy", policy)
        return [field.invalid(path, shown, "requires indexed completion mode")]
    rules = policy.get("rules") or []
    errors: list[FieldError] = []
    if not rules:
        detail = "at least one rules must be specified when the successPolicy is specified"
        errors.append(field.required(f"{path}.rules", detail))
    if len(rules) > _RULES_LIMIT:
        errors.append(field.too_many(f"{path}.rules", len(rules), _RULES_LIMIT))
    for index, rule in enumerate(rules):
        errors += _validate_success_rule(
            rule, spec.get("completions") or 0, f"{path}.rules[{index}]"
        )
    return errors


def _validate_success_rule(rule: dict[str, Any], completions: int, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    count, indexes = rule.get("succeededCount"), rule.get("succeededIndexes")
    if count is None and indexes is None:
        detail = "at least one of succeededCount or succeededIndexes must be specified"
        errors.append(field.required(path, detail))
    total = 0
    if indexes is not None:
        at = f"{path}.succeededIndexes"
        if names.size(indexes) > _INDEXES_LIMIT:
            errors.append(field.too_long(at, _INDEXES_LIMIT))
        try:
            total = count_indexes(indexes, completions)
        except ValueError as error:
            detail = f"error parsing succeededIndexes: {error}"
            errors.append(field.invalid(at, indexes, detail))
    if count is None:
        return errors
    at = f"{path}.succeededCount"
    errors += rollouts.not_negative(count, at)
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


def count_indexes(text: str, completions: int) -> int:
    """How many indexes a text such as ``1,3-5`` names; ValueError has upstream's words."""
    total = 0
    last: int | None = None
    for interval in text.split(",") if text else ():
        first, final = _interval(interval, completions)
        if last is not None and last >= first:
            raise ValueError(f"non-increasing order, previous: {last}, current: {first}")
        total += final - first + 1
        last = final
    return total


def _interval(text: str, completions: int) -> tuple[int, int]:
    parts = text.split("-")
    if len(parts) > 2:
        raise ValueError(
            f"the fragment {field.quote(text)} violates the requirement that an index interval "
            "can have at most two parts separated by '-'"
        )
    limits = []
    for part in parts:
        if not (part.removeprefix("+").isascii() and part.removeprefix("+").isdecimal()):
            raise ValueError(f"cannot convert string to integer for index: {field.quote(part)}")
        if int(part) >= completions:
            raise ValueError(f"too large index: {field.quote(part)}")
        limits.append(int(part))
    if len(limits) == 2 and limits[0] >= limits[1]:
        raise ValueError(f"non-increasing order, previous: {limits[0]}, current: {limits[1]}")
    return limits[0], limits[-1]


def validate_replacement_policy(spec: dict[str, Any], path: str) -> list[FieldError]:
    """When a failed pod is replaced."""
    policy = spec.get("podReplacementPolicy")
    has_failure_policy = spec.get("podFailurePolicy") is not None
    choices = ("Failed",) if has_failure_policy else ("Failed", "TerminatingOrFailed")
    if policy is None or policy in choices:
        return []
    return [field.not_supported(path, internal_json.text(policy), choices)]


def with_mutable_parts(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """The old pod spec with what a suspended job may change: where its pods go, what they get."""
    kept = dict(old)
    for key in ("nodeSelector", "tolerations", "schedulingGates"):
        kept[key] = new.get(key)
    affinity, old_affinity = new.get("affinity"), old.get("affinity")
    if affinity is not None:
        node_affinity = affinity.get("nodeAffinity")
        kept["affinity"] = {**(old_affinity or {}), "nodeAffinity": node_affinity}
    elif old_affinity is not None:
        rest = {key: value for key, value in old_affinity.items() if key != "nodeAffinity"}
        kept["affinity"] = rest or None
    for kind in ("containers", "initContainers"):
        now, before = new.get(kind) or [], old.get(kind) or []
        if now and len(now) == len(before):
            kept[kind] = [
                {**was, "resources": container.get("resources")}
                if was.get("name") == container.get("name")
                else was
                for was, container in zip(before, now, strict=True)
            ]
    return kept
