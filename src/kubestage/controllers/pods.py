"""What loops ask of a pod."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import timestamps
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json


POD: Final = ("v1", "Pod")


def phase(pod: Json) -> str:
    """Pending, Running, Succeeded, Failed or nothing yet."""
    found: str = (pod.get("status") or {}).get("phase") or ""
    return found


def condition(status: Json | None, kind: str) -> Json | None:
    """The condition of a type in a status."""
    for each in (status or {}).get("conditions") or ():
        if each["type"] == kind:
            found: Json = each
            return found
    return None


def is_true(status: Json | None, kind: str) -> bool:
    """Whether a status has a condition, and it is True."""
    found = condition(status, kind)
    return found is not None and found["status"] == "True"


def is_ready(pod: Json) -> bool:
    """Whether a pod can serve."""
    return is_true(pod.get("status"), "Ready")


def is_terminal(pod: Json) -> bool:
    """Whether a pod has run to its end."""
    return phase(pod) in ("Succeeded", "Failed")


def is_terminating(pod: Json) -> bool:
    """Whether a pod is being deleted."""
    return "deletionTimestamp" in pod["metadata"]


def is_active(pod: Json) -> bool:
    """Whether a pod counts as a replica: it has neither ended nor is it to go."""
    return not is_terminal(pod) and not is_terminating(pod)


def available_from_ns(pod: Json, min_ready_seconds: int) -> int | None:
    """From when on a pod counts as available, in unix nanoseconds; None while it is not ready."""
    ready = condition(pod.get("status"), "Ready")
    if ready is None or ready["status"] != "True":
        return None
    if not min_ready_seconds:
        return 0
    since = ready.get("lastTransitionTime")
    if not since:
        return None
    return timestamps.parse_time(since) + min_ready_seconds * SECOND_NS


def is_available(pod: Json, min_ready_seconds: int, now_unix_ns: int) -> bool:
    """Whether a pod has been ready for long enough."""
    from_ns = available_from_ns(pod, min_ready_seconds)
    return from_ns is not None and from_ns <= now_unix_ns


def with_condition(conditions: Sequence[Json], new: Json) -> list[Json]:
    """Conditions with one of them replaced in its place, or added at the end."""
    replaced = [new if each["type"] == new["type"] else each for each in conditions]
    if any(each is new for each in replaced):
        return replaced
    return [*replaced, new]
