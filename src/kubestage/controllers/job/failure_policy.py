"""What the failure of a pod means for its Job, by the rules that the Job states."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from kubestage.aliases import Json

FAIL_INDEX: Final = "FailIndex"


class FailureDecision(NamedTuple):
    """`message` is set if the whole Job fails; `counts` if the pod counts for backoff limits."""

    message: str | None = None
    counts: bool = True
    action: str | None = None


_PLAIN: Final = FailureDecision()


def match_failure_policy(policy: Json | None, pod: Json) -> FailureDecision:
    """The decision of the first rule that matches a failed pod."""
    if policy is None:
        return _PLAIN
    status = pod.get("status") or {}
    for number, rule in enumerate(policy["rules"]):
        action = rule["action"]
        cause = _cause(rule, status)
        if cause is None:
            continue
        if action == "FailJob":
            message = f"{_description(pod, cause)} matching {action} rule at index {number}"
            return FailureDecision(message, action=action)
        return FailureDecision(counts=action != "Ignore", action=action)
    return _PLAIN


def _cause(rule: Json, status: Json) -> Json | None:
    """The container status or the pod condition that a rule is about."""
    if rule.get("onExitCodes") is not None:
        return _exited(rule["onExitCodes"], status)
    patterns = rule.get("onPodConditions")
    for condition in status.get("conditions") or () if patterns else ():
        for pattern in patterns or ():
            if (condition["type"], condition["status"]) == (pattern["type"], pattern["status"]):
                found: Json = condition
                return found
    return None


def _exited(requirement: Json, status: Json) -> Json | None:
    expected = requirement.get("containerName")
    is_in = requirement["operator"] == "In"
    for group in ("containerStatuses", "initContainerStatuses"):
        for container in status.get(group) or ():
            terminated = (container.get("state") or {}).get("terminated")
            if terminated is None or expected not in (None, container["name"]):
                continue
            code = terminated.get("exitCode", 0)
            if code != 0 and (code in requirement["values"]) == is_in:
                found: Json = container
                return found
    return None


def _description(pod: Json, cause: Json) -> str:
    name = f"{pod['metadata']['namespace']}/{pod['metadata']['name']}"
    if "state" not in cause:
        return f"Pod {name} has condition {cause['type']}"
    code = cause["state"]["terminated"].get("exitCode", 0)
    return f"Container {cause['name']} for pod {name} failed with exit code {code}"
