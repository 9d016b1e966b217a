"""The status of a budget, computed from its numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.golang import integers

if TYPE_CHECKING:
    from kubestage.aliases import Json

CONDITION: Final = "DisruptionAllowed"


def share(amount: int | str, total: int) -> int:
    """A number, or a percentage of a total, rounded up."""
    if isinstance(amount, int):
        return amount
    return -(-integers.parse(amount.removesuffix("%")) * total // 100)


def needs_scale(spec: Json) -> bool:
    """Whether it matters how many pods there should be, not only how many there are."""
    return spec.get("maxUnavailable") is not None or isinstance(spec.get("minAvailable"), str)


def desired_healthy(spec: Json, expected: int) -> int:
    """How many pods have to stay."""
    limit = spec.get("maxUnavailable")
    if limit is not None:
        return max(expected - share(limit, expected), 0)
    return share(spec.get("minAvailable") or 0, expected)


def counted(budget: Json, healthy: int, desired: int, expected: int, now: str) -> Json:
    """The status for a count, but for the pods that are about to go."""
    # Without any pod the first ones that come would be fair game until they are counted.
    allowed = max(healthy - desired, 0) if expected > 0 else 0
    generation = budget["metadata"].get("generation") or 0
    status: Json = {"observedGeneration": generation} if generation else {}
    status |= {
        "disruptionsAllowed": allowed,
        "currentHealthy": healthy,
        "desiredHealthy": desired,
        "expectedPods": expected,
    }
    verdict = ("True", "SufficientPods") if allowed else ("False", "InsufficientPods")
    status["conditions"] = _with(budget, *verdict, "", generation, now)
    return status


def failed(budget: Json, why: str, now: str) -> Json:
    """The status when nothing could be counted: to be safe, no pod may go."""
    status = dict(budget.get("status") or {})
    generation = status.get("observedGeneration") or 0
    status["disruptionsAllowed"] = 0
    for field in ("currentHealthy", "desiredHealthy", "expectedPods"):
        status.setdefault(field, 0)
    status["conditions"] = _with(budget, "False", "SyncFailed", why, generation, now)
    return status


def _with(
    budget: Json, status: str, reason: str, message: str, generation: int, now: str
) -> list[Json]:
    conditions = list((budget.get("status") or {}).get("conditions") or ())
    at = next((i for i, each in enumerate(conditions) if each["type"] == CONDITION), None)
    if at is not None and conditions[at]["status"] == status:
        now = conditions[at]["lastTransitionTime"]
    new: Json = {"type": CONDITION, "status": status}
    if generation:
        new["observedGeneration"] = generation
    new |= {"lastTransitionTime": now, "reason": reason, "message": message}
    if at is None:
        return [*conditions, new]
    conditions[at] = new
    return conditions


def selector_text(selector: Json | None) -> str:
    """A selector as Go prints it."""
    if selector is None:
        return "nil"
    labels = sorted((selector.get("matchLabels") or {}).items())
    expressions = [
        f"LabelSelectorRequirement{{Key:{each['key']},Operator:{each['operator']},"
        f"Values:[{' '.join(each.get('values') or ())}],}},"
        for each in selector.get("matchExpressions") or ()
    ]
    return (
        f"&LabelSelector{{MatchLabels:map[string]string{{"
        f"{''.join(f'{key}: {value},' for key, value in labels)}}},"
        f"MatchExpressions:[]LabelSelectorRequirement{{{''.join(expressions)}}},}}"
    )
