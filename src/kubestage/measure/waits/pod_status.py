"""In what state pods are, counted and told as those who wait for them see it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable

    from kubestage.aliases import Json


UNKNOWN: Final = "Unknown"
TERMINATING: Final = "Terminating"
RUNNING_AND_READY: Final = "RunningAndReady"
RUNNING_BUT_NOT_READY: Final = "RunningButNotReady"
PENDING_SCHEDULED: Final = "PendingScheduled"
PENDING_NOT_SCHEDULED: Final = "PendingNotScheduled"
INACTIVE: Final = "Inactive"

_MANY: Final = 10
_LONG: Final = 200


def of(pod: Json) -> str:
    """The state of a pod: only one that is ready counts as running, and none that is leaving."""
    if (pod.get("metadata") or {}).get("deletionTimestamp") is not None:
        return TERMINATING
    status = pod.get("status") or {}
    phase = status.get("phase")
    if phase == "Running":
        for condition in status.get("conditions") or ():
            if condition.get("type") == "Ready" and condition.get("status") == "True":
                return RUNNING_AND_READY
        return RUNNING_BUT_NOT_READY
    if phase == "Pending":
        is_scheduled = (pod.get("spec") or {}).get("nodeName")
        return PENDING_SCHEDULED if is_scheduled else PENDING_NOT_SCHEDULED
    return INACTIVE if phase in ("Succeeded", "Failed") else UNKNOWN


def summary(count: Callable[[Hashable], int], total: int, desired: int, updated: int) -> str:
    """All states of a group of pods in one line."""
    return (
        f"Pods: {total - count(TERMINATING)} created, {desired} desired, "
        f"{count(RUNNING_AND_READY)} running ({updated} updated), "
        f"{count(PENDING_SCHEDULED)} pending scheduled, "
        f"{count(PENDING_NOT_SCHEDULED)} not scheduled, {count(INACTIVE)} inactive, "
        f"{count(TERMINATING)} terminating, {count(UNKNOWN)} unknown, "
        f"{count(RUNNING_BUT_NOT_READY)} runningButNotReady "
    )


def describe(pods: Iterable[Json]) -> str:
    """Which pods are not running and why, the first few of them; empty if all are."""
    bad = [pod for pod in pods if of(pod) != RUNNING_AND_READY]
    if not bad:
        return ""
    bad.sort(key=_name)
    words = [f"{_name(pod)} ({_why(pod)})" for pod in bad[:_MANY]]
    if len(bad) > _MANY:
        words.append(f"and {len(bad) - _MANY} more")
    return ", ".join(words)


def _name(pod: Json) -> str:
    meta = pod.get("metadata") or {}
    return f"{meta.get('namespace', '')}/{meta.get('name', '')}"


def _why(pod: Json) -> str:
    state, reason = of(pod), _reason(pod)
    return f"{state}: {reason}" if reason else state


def _reason(pod: Json) -> str:
    """What the cluster itself says of a pod that is not running."""
    status = pod.get("status") or {}
    if status.get("reason") or status.get("message"):
        return _said(status)
    for name in ("initContainerStatuses", "containerStatuses"):
        for container in status.get(name) or ():
            state = container.get("state") or {}
            troubled = state.get("waiting") or state.get("terminated")
            if troubled:
                return f"container {container.get('name', '')}: {_said(troubled)}"
    for condition in status.get("conditions") or ():
        if condition.get("status") != "True" and condition.get("reason"):
            return _said(condition)
    return ""


def _said(told: Json) -> str:
    text = " ".join(str(told[name]) for name in ("reason", "message") if told.get(name))
    return text if len(text) <= _LONG else text[: _LONG - 3] + "..."
