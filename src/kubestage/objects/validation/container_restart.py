"""When a container is restarted: by its own policy, by exit code, or because it is resized."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects.validation import field, internal_json

if TYPE_CHECKING:
    from kubestage.objects.validation.field import FieldError

_POLICIES: Final = ("Always", "Never", "OnFailure")
_ACTIONS: Final = ("Restart", "RestartAllContainers")
_OPERATORS: Final = ("In", "NotIn")
_RESIZE_RESOURCES: Final = ("cpu", "memory")
_RESIZE_POLICIES: Final = ("NotRequired", "RestartContainer")
_MAX_RULES: Final = 20
_MAX_EXIT_CODES: Final = 255


def validate_restart_policy(container: dict[str, Any], path: str) -> list[FieldError]:
    """The restart policy of one container and the rules by exit code."""
    errors: list[FieldError] = []
    policy = container.get("restartPolicy")
    rules = container.get("restartPolicyRules") or ()
    if policy is None:
        if not rules:
            return []
        detail = "must specify restartPolicy when restart rules are used"
        errors.append(field.required(f"{path}.restartPolicy", detail))
    elif policy not in _POLICIES:
        errors.append(
            field.not_supported(f"{path}.restartPolicy", internal_json.text(policy), _POLICIES)
        )
    if len(rules) > _MAX_RULES:
        errors.append(field.too_many(f"{path}.restartPolicyRules", len(rules), _MAX_RULES))
    for index, rule in enumerate(rules):
        errors += _validate_rule(rule, f"{path}.restartPolicyRules[{index}]")
    return errors


def _validate_rule(rule: dict[str, Any], path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    action = rule.get("action") or ""
    if action not in _ACTIONS:
        errors.append(field.not_supported(f"{path}.action", internal_json.text(action), _ACTIONS))
    codes = rule.get("exitCodes")
    if codes is None:
        errors.append(field.required(f"{path}.exitCodes", "must be specified"))
        return errors
    operator = codes.get("operator") or ""
    if operator not in _OPERATORS:
        at = f"{path}.exitCodes.operator"
        errors.append(field.not_supported(at, internal_json.text(operator), _OPERATORS))
    values = codes.get("values") or ()
    if len(values) > _MAX_EXIT_CODES:
        at = f"{path}.exitCodes.values"
        errors.append(field.too_many(at, len(values), _MAX_EXIT_CODES))
    return errors


def validate_init_restart_policy(container: dict[str, Any], path: str) -> list[FieldError]:
    """As `validate_restart_policy`; rules without a policy are one error, whatever they say."""
    if container.get("restartPolicy") is None:
        if not container.get("restartPolicyRules"):
            return []
        detail = "must specify restartPolicy when restart rules are used"
        return [field.required(f"{path}.restartPolicy", detail)]
    return validate_restart_policy(container, path)


def validate_resize_policy(
    policies: list[dict[str, Any]], pod_restart_policy: str, path: str
) -> list[FieldError]:
    """What a change of resources does to the running container."""
    errors: list[FieldError] = []
    seen: set[str] = set()
    for index, policy in enumerate(policies):
        resource, restart = policy.get("resourceName") or "", policy.get("restartPolicy") or ""
        if resource in seen:
            errors.append(field.duplicate(f"{path}[{index}]", internal_json.text(resource)))
        seen.add(resource)
        errors += _validate_choice(resource, _RESIZE_RESOURCES, path)
        errors += _validate_choice(restart, _RESIZE_POLICIES, path)
        if pod_restart_policy == "Never" and restart != "NotRequired":
            detail = "must be 'NotRequired' when pod `restartPolicy` is 'Never'"
            errors.append(field.invalid(path, internal_json.text(restart), detail))
    return errors


def _validate_choice(value: str, supported: tuple[str, ...], path: str) -> list[FieldError]:
    if value in supported:
        return []
    if not value:
        return [field.required(path)]
    return [field.not_supported(path, internal_json.text(value), supported)]
