"""How far a rollout is, and whether it has got stuck."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.deployment import conditions, replica_sets
from kubestage.controllers.deployment import status as statuses
from kubestage.objects import timestamps
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.deployment.rollout import Rollout


_RETRY_NS: Final = 5_000_000
# No lack of progress follows upon these. Upstream keeps checking all the same.
_FINAL: Final = (conditions.TIMED_OUT, conditions.NEW_AVAILABLE)


def report(rollout: Rollout) -> int | None:
    """Write the status, with progress; when to check for the lack of it, if nothing happens."""
    status = statuses.calculate(rollout)
    current = status["conditions"]
    known = conditions.find(rollout.conditions, conditions.PROGRESSING)
    if not rollout.has_deadline:
        current = conditions.without(current, conditions.PROGRESSING)
    elif not _was_complete(status, known):
        current = _estimated(rollout, status, known)
    failure = _replica_failure(rollout)
    if failure is not None:
        current = conditions.put(current, failure)
    elif conditions.find(current, conditions.REPLICA_FAILURE) is not None:
        current = conditions.without(current, conditions.REPLICA_FAILURE)
    status["conditions"] = current
    if status != rollout.status:
        rollout.record(status)
    return _next_check_ns(rollout)


def check_paused(rollout: Rollout) -> None:
    """Say that a Deployment is paused or resumed, so that its pause is not held against it."""
    known = conditions.find(rollout.conditions, conditions.PROGRESSING)
    reason = known.get("reason") if known is not None else None
    is_paused = bool(rollout.spec.get("paused"))
    if not rollout.has_deadline or reason == conditions.TIMED_OUT:
        return
    if is_paused == (reason == conditions.PAUSED):
        return
    answer = (
        (conditions.PAUSED, "Deployment is paused")
        if is_paused
        else (conditions.RESUMED, "Deployment is resumed")
    )
    now_ns = rollout.now_unix_ns
    condition = conditions.new(conditions.PROGRESSING, "Unknown", *answer, now_ns)
    rollout.record_conditions(conditions.put(rollout.conditions, condition))


def _was_complete(status: Json, known: Json | None) -> bool:
    return (
        known is not None
        and known.get("reason") == conditions.NEW_AVAILABLE
        and (status.get("replicas") or 0) == (status.get("updatedReplicas") or 0)
    )


def _estimated(rollout: Rollout, status: Json, known: Json | None) -> list[Json]:
    current: list[Json] = status["conditions"]
    if statuses.is_complete(rollout, status):
        answer = ("True", conditions.NEW_AVAILABLE, "has successfully progressed.")
    elif _is_progressing(rollout.status, status):
        answer = ("True", conditions.REPLICA_SET_UPDATED, "is progressing.")
    elif _is_overdue(rollout, known):
        answer = ("False", conditions.TIMED_OUT, "has timed out progressing.")
    else:
        return current
    text = f"{_subject(rollout)} {answer[2]}"
    now_ns = rollout.now_unix_ns
    condition = conditions.new(conditions.PROGRESSING, answer[0], answer[1], text, now_ns)
    if answer[1] == conditions.REPLICA_SET_UPDATED and known is not None:
        # Every bit of progress counts, so here the time is renewed even if the reason stays.
        if known["status"] == "True":
            condition["lastTransitionTime"] = known["lastTransitionTime"]
        current = conditions.without(current, conditions.PROGRESSING)
    return conditions.put(current, condition)


def _subject(rollout: Rollout) -> str:
    if rollout.new is not None:
        return f'ReplicaSet "{replica_sets.name(rollout.new)}"'
    return f'Deployment "{rollout.deployment["metadata"]["name"]}"'


def _is_progressing(old: Json, new: Json) -> bool:
    """Whether there are more new pods, fewer old ones, or more that are ready or available."""
    for field in ("updatedReplicas", "readyReplicas", "availableReplicas"):
        if (new.get(field) or 0) > (old.get(field) or 0):
            return True
    return _outdated(new) < _outdated(old)


def _outdated(status: Json) -> int:
    count: int = (status.get("replicas") or 0) - (status.get("updatedReplicas") or 0)
    return count


def _is_overdue(rollout: Rollout, known: Json | None) -> bool:
    if known is None or known.get("reason") == conditions.NEW_AVAILABLE:
        return False
    if known.get("reason") == conditions.TIMED_OUT:
        return True
    return _deadline_ns(rollout, known) < rollout.now_unix_ns


def _deadline_ns(rollout: Rollout, known: Json) -> int:
    seconds: int = rollout.spec["progressDeadlineSeconds"]
    return timestamps.parse_time(known["lastUpdateTime"]) + seconds * SECOND_NS


def _replica_failure(rollout: Rollout) -> Json | None:
    """The failure that a ReplicaSet reports; of several, the new one's."""
    sets = [rollout.new, *rollout.old] if rollout.new is not None else rollout.old
    for each in sets:
        reported = (each.get("status") or {}).get("conditions")
        found = conditions.find(reported, conditions.REPLICA_FAILURE) if reported else None
        if found is not None:
            return {**found, "lastUpdateTime": found["lastTransitionTime"]}
    return None


def _next_check_ns(rollout: Rollout) -> int | None:
    known = conditions.find(rollout.conditions, conditions.PROGRESSING)
    if not rollout.has_deadline or known is None or known.get("reason") in _FINAL:
        return None
    if statuses.is_complete(rollout, rollout.status):
        return None
    deadline_ns, now_ns = _deadline_ns(rollout, known), rollout.now_unix_ns
    if deadline_ns - now_ns < SECOND_NS:
        return max(deadline_ns, now_ns) + _RETRY_NS
    return deadline_ns + SECOND_NS
