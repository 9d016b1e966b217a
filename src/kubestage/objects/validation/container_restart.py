"""When a container is restarted: by its own policy, by exit code, or because it is resized."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import markers
from kubestage.objects.validation import field, internal_json

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.validation.field import FieldError

_RESIZE_RESOURCES: Final = ("cpu", "memory")
_RESIZE_POLICIES: Final = ("NotRequired", "RestartContainer")


def validate_restart_policy(container: Json, path: str) -> list[FieldError]:
    """The restart policy of one container and the rules by exit code."""
    errors: list[FieldError] = []
    policy = container.get("restartPolicy")
    rules = container.get("restartPolicyRules") or ()
    if policy is None:
        if not rules:
            return []
        detail = "must specify restartPolicy when restart rules are used"
        errors.append(field.required(f"{path}.restartPolicy", detail))
    return errors + markers.check(
        "core/v1.Container", container, path, "restartPolicy", "restartPolicyRules"
    )


def validate_init_restart_policy(container: Json, path: str) -> list[FieldError]:
    """As `validate_restart_policy`; rules without a policy are one error, whatever they hold."""
    if container.get("restartPolicy") is None:
        if not container.get("restartPolicyRules"):
            return []
        detail = "must specify restartPolicy when restart rules are used"
        return [field.required(f"{path}.restartPolicy", detail)]
    return validate_restart_policy(container, path)


def validate_resize_policy(
    policies: list[Json], pod_restart_policy: str, path: str
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
