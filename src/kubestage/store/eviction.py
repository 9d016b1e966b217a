"""The eviction subresource: a deletion that disruption budgets may forbid."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.errors import ApiError, Forbidden, SeveralBudgets, TooManyRequests
from kubestage.objects import gvk, timestamps
from kubestage.objects.validation import status
from kubestage.store import deletion, namespaces, refusals, replacing, updating

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.kinds import Kind
    from kubestage.store.core import Core
    from kubestage.store.deletion import DeleteOptions, Deletion
    from kubestage.store.updating import UpdateContext

# So many evictions may be under way that the controller of budgets has not seen yet.
_MOST_DISRUPTED: Final = 2000
_REFUSED: Final = "Cannot evict pod as it would violate the pod's disruption budget."
_ALLOWED: Final = "DisruptionAllowed"
_TARGET: Final = "DisruptionTarget"
_NO_LABELS: Final[dict[str, str]] = {}


def evict(core: Core, kind: Kind, key: str, name: str, options: DeleteOptions) -> Deletion:
    """Delete a pod if its disruption budget has room for that, and take the room."""
    namespace = key.partition("/")[0]
    home = core.read(namespaces.NAMESPACE).get(namespace)
    if home is not None and "deletionTimestamp" in home["metadata"]:
        raise refusals.namespace_ending(kind, name, namespace)
    pod = core.ledger.collection(kind).objects.get(key)
    if pod is None:
        raise status.not_found(kind, name)
    if not _is_past_disruption(pod):
        budget = _budget_of(core, pod, namespace)
        if budget is not None:
            if _is_harmless(pod, budget):
                # Bound to the version just read, whatever version was requested.
                options = msgspec.structs.replace(options, resource_version=None)
            else:
                _spend(core, budget, name, dry_run=options.dry_run)
    return _mark_and_delete(core, kind, key, name, options)


def _is_past_disruption(pod: Json) -> bool:
    """Whether nothing is lost with a pod: it has ended, has not started, or is terminating."""
    phase = (pod.get("status") or {}).get("phase")
    return phase in ("Succeeded", "Failed", "Pending") or "deletionTimestamp" in pod["metadata"]


def _budget_of(core: Core, pod: Json, namespace: str) -> Json | None:
    collection = core.ledger.collection(core.kind(gvk.POD_DISRUPTION_BUDGET))
    assert collection.budget_selectors is not None, "these are the budgets"
    matching = collection.budget_selectors.matching(
        namespace, pod["metadata"].get("labels") or _NO_LABELS
    )
    if len(matching) > 1:
        raise SeveralBudgets(
            "This pod has more than one PodDisruptionBudget, which the eviction subresource does "
            "not support."
        )
    return collection.objects[matching[0]] if matching else None


def _is_harmless(pod: Json, budget: Json) -> bool:
    """Whether a pod that is not ready may go without being charged to its budget."""
    conditions = (pod.get("status") or {}).get("conditions") or ()
    if any(each.get("type") == "Ready" and each.get("status") == "True" for each in conditions):
        return False
    if (budget.get("spec") or {}).get("unhealthyPodEvictionPolicy") == "AlwaysAllow":
        return True
    state = budget.get("status") or {}
    desired = state.get("desiredHealthy") or 0
    return 0 < desired <= (state.get("currentHealthy") or 0)


def _spend(core: Core, budget: Json, pod_name: str, *, dry_run: bool) -> None:
    """Take one disruption from a budget, or refuse."""
    metadata = budget["metadata"]
    key = f"{metadata['namespace']}/{metadata['name']}"
    try:
        _check_room(budget)
    except ApiError:
        if not dry_run:
            core.report_refused_eviction(key, f"{metadata['namespace']}/{pod_name}")
        raise
    state = dict(budget["status"])
    now = timestamps.format_time(core.clock.unix_ns)
    state["disruptionsAllowed"] -= 1
    if not state["disruptionsAllowed"]:
        state["conditions"] = _with_insufficient(state, now)
    if dry_run:
        return
    state["disruptedPods"] = {**(state.get("disruptedPods") or {}), pod_name: now}
    change = updating.UpdateContext("status", manager="kube-apiserver")
    _write_status(core, core.kind(gvk.POD_DISRUPTION_BUDGET), key, budget, state, change)


def _check_room(budget: Json) -> None:
    metadata, state = budget["metadata"], budget.get("status") or {}
    name: str = metadata["name"]
    allowed = state.get("disruptionsAllowed") or 0
    if (state.get("observedGeneration") or 0) < (metadata.get("generation") or 0):
        why = f"The disruption budget {name} is still being processed by the server."
        raise _too_many(why, retry_after_seconds=10)
    if allowed < 0:
        raise _forbidden(name, "pdb disruptions allowed is negative")
    if len(state.get("disruptedPods") or ()) > _MOST_DISRUPTED:
        why = "DisruptedPods map too big - too many evictions not confirmed by PDB controller"
        raise _forbidden(name, why)
    if allowed == 0:
        raise _too_many(_why_none(name, state))


def _why_none(name: str, state: Json) -> str:
    conditions = state.get("conditions") or ()
    found: Json = next((each for each in conditions if each["type"] == _ALLOWED), {})
    message = found.get("message") if found.get("status") == "False" else ""
    desired, current = state.get("desiredHealthy") or 0, state.get("currentHealthy") or 0
    reason = f"The disruption budget {name} does not allow evicting pods currently"
    if message and found.get("reason") == "SyncFailed":
        return f"{reason} because it failed sync: {message}"
    if current <= desired:
        return (
            f"The disruption budget {name} needs {desired} healthy pods and has {current} currently"
        )
    return f"{reason} ({found['reason']}): {message}" if message else reason


def _too_many(why: str, *, retry_after_seconds: int = 0) -> TooManyRequests:
    details: Json = {"causes": [{"reason": "DisruptionBudget", "message": why}]}
    if retry_after_seconds:
        details["retryAfterSeconds"] = retry_after_seconds
    return TooManyRequests(_REFUSED, details)


def _forbidden(name: str, why: str) -> Forbidden:
    details = {"name": name, "group": "policy", "kind": "poddisruptionbudget"}
    return Forbidden(f'poddisruptionbudget.policy "{name}" is forbidden: {why}', details)


def _with_insufficient(state: Json, now: str) -> list[Json]:
    """The conditions of a budget that has nothing left."""
    generation = state.get("observedGeneration")
    fresh = {
        "type": _ALLOWED,
        "status": "False",
        **({"observedGeneration": generation} if generation else {}),
        "lastTransitionTime": now,
        "reason": "InsufficientPods",
        "message": "",
    }
    return _with_condition(state.get("conditions") or [], fresh)


def _with_condition(conditions: list[Json], fresh: Json) -> list[Json]:
    """The conditions with another state of one; its time stays if its status does."""
    for index, old in enumerate(conditions):
        if old.get("type") == fresh["type"]:
            if old.get("status") == fresh["status"] and old.get("lastTransitionTime"):
                fresh = {**fresh, "lastTransitionTime": old["lastTransitionTime"]}
            return [*conditions[:index], fresh, *conditions[index + 1 :]]
    return [*conditions, fresh]


def _mark_and_delete(
    core: Core, kind: Kind, key: str, name: str, options: DeleteOptions
) -> Deletion:
    """Write on the pod why it goes, then delete it."""
    if not options.dry_run:
        pod = core.ledger.collection(kind).objects[key]
        deletion.check_preconditions(kind, pod, options)
        state = pod.get("status") or {}
        target = {
            "type": _TARGET,
            "status": "True",
            "lastTransitionTime": timestamps.format_time(core.clock.unix_ns),
            "reason": "EvictionByEvictionAPI",
            "message": "Eviction API: evicting",
            "lastProbeTime": None,
        }
        conditions = _with_condition(state.get("conditions") or [], target)
        # This has no field manager.
        change = updating.UpdateContext("status", is_tracked=True)
        state = {**state, "conditions": conditions}
        marked = _write_status(core, kind, key, pod, state, change)
        if options.resource_version is not None:
            version = marked["metadata"]["resourceVersion"]
            options = msgspec.structs.replace(options, resource_version=version)
    return deletion.delete(core, kind, key, name, options)


def _write_status(
    core: Core, kind: Kind, key: str, old: Json, state: Json, change: UpdateContext
) -> Json:
    """Write a status that is right by construction, in the shorter way if there is no difference.

    There is one for objects whose managers are tracked, that are being deleted or were stored
    without their defaults, for a condition that was there before, and if users add checks.

    NOTE: an update of the status twice for each eviction was a tenth of the time of a drain of all
    nodes (benchmarks/rehearse.py).
    """
    metadata, before = old["metadata"], (old.get("status") or {}).get("conditions") or ()
    if (
        core.uses_templates
        and "managedFields" not in metadata
        and "deletionTimestamp" not in metadata
        and metadata["uid"] not in core.unread
        and not any(each.get("type") == _TARGET for each in before)
    ):
        return replacing.record_status(core, kind, key, state)
    return updating.write(core, kind, key, {**old, "status": state}, change)
